// Package form reads and draws requests for videos as pages show them: fields, options,
// cast, price, and what was made last.
package form

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/naming"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A Form holds the submitted fields of the form that makes a video.
type Form struct {
	// Its pictures are those of image_input, of which some may be empty.
	db.Request
	EndPicture string
	Unread     option.Text // options whose text is not of their type, as it was typed

	Chosen videoapi.Model // the model with the ID Model, if it offers the scene
	Known  bool           // whether Chosen is set

	Count      string
	List       bool // each row of the prompt is a video of its own
	Listed     formList
	DraftFirst bool // make a draft on the faster model that Chosen names for drafts, if any

	// From is the ID of the task that the form reuses, and Use says which parts it
	// reuses. Parent is that task, once Making.SettleParent has loaded it.
	From   int64
	Use    db.Reuse
	Parent *db.Task
	// NoteIDs are the notes on From that the video answers, and Notes are those that are
	// still there, once Making.SettleParent has loaded them. Take is the number that the video
	// will have among the takes.
	NoteIDs []int64
	Notes   []review.Note
	Take    int

	Casting formCasting // what the form says about the cast members in it

	// OptionsOf is the model whose options the page showed. If it differs from Model,
	// the user has chosen a model without seeing its options.
	OptionsOf string
	// SlowTold are the addresses of pictures that the user was already told are slow.
	SlowTold []string

	Refused *db.Task                // the task that the service has just refused; nil if none
	Asked   *part.CreditRequestForm // the request to an admin that was just submitted; nil if none
}

// ReadForm reads the form from the values, which may come from anybody. It accepts
// any values; check returns what is wrong with them.
func ReadForm(scene videoapi.Scene, c *videoapi.Catalog, v url.Values) Form {
	return Form{}.With(scene, c, v)
}

// scene returns the scene of the form.
func (f Form) scene() videoapi.Scene { return videoapi.Scene(f.Scene) }

// With returns the form of the scene with the values that are there, and those of f for the rest of
// the request and its cast.
func (f Form) With(scene videoapi.Scene, c *videoapi.Catalog, v url.Values) Form {
	text := func(name string) string { return strings.TrimSpace(site.PlainText(v.Get(name))) }
	f.Scene = string(scene)
	for name, field := range map[string]*string{
		"model": &f.Model, "prompt": &f.Prompt, "provider": &f.Provider, "end_image_url": &f.EndPicture,
	} {
		if v.Has(name) {
			*field = text(name)
		}
	}
	f.Count, f.OptionsOf, f.SlowTold = text("count"), text("options_of"), FirstValues(v["slow_told"])
	f.DraftFirst, f.List = option.Switch(text("draft_first")) == "true", option.Switch(text("lines")) == "true"
	if f.Listed.Kinds = listKinds(v.Get(createview.KindsField)); len(f.Listed.Kinds) == 0 {
		n, _ := strconv.Atoi(text("line_count")) // zero for anything else
		f.Listed.Kinds = []listKind{{Rows: min(max(n, 1), ordering.MaxRows)}}
	}
	f.Listed.Left, f.Listed.Sum = leftOut(v.Get(createview.LeftField)), site.Clip(v.Get(createview.SumField), 100)
	f.readList()
	if only := text("only"); only != "" { // a button that makes fewer videos
		f.Count = only
	}
	if use := db.Reuse(text("use")); slices.Contains(db.Reuses(), use) && site.ParseID(text("from")) > 0 {
		f.From, f.Use = site.ParseID(text("from")), use
	}
	if f.Use == db.Answered {
		f.NoteIDs = NoteIDs(v["note"])
	}
	if v.Has("image_input") {
		f.Pictures = nil
	}
	for _, p := range v["image_input"] {
		f.Pictures = append(f.Pictures, strings.TrimSpace(site.PlainText(p)))
	}
	if first := text("image_url"); first != "" && strings.Join(f.Pictures, "") == "" {
		f.Pictures = []string{first} // API.md: "equal to the first image_input entry"
	}
	f.Casting = f.Casting.with(v)
	f.choose(c)
	options := OptionsIn(v)
	f.Chosen.Tidy(options)
	for name, text := range options {
		f.setOption(name, text)
	}
	if scene == videoapi.FramesToVideo && f.EndPicture != "" && (len(f.Pictures) < 2 || f.Pictures[1] == "") {
		f.Pictures = append(f.Pictures, make([]string, max(0, 2-len(f.Pictures)))...)
		f.Pictures[1], f.EndPicture = f.EndPicture, ""
	}
	return f
}

// setOption sets the named option to the text.
func (f *Form) setOption(name, text string) {
	unread := option.Text{}
	maps.Copy(unread, f.Unread) // forms of rows share it
	ok := false
	if f.Options, ok = f.Options.With(name, text); ok {
		delete(unread, name)
	} else {
		unread[name] = text
	}
	f.Unread = unread
}

// Texts returns the options as they were typed.
func (f Form) Texts() option.Text {
	texts := f.Options.Text()
	maps.Copy(texts, f.Unread)
	return texts
}

// OptionsIn reads the options from the values.
func OptionsIn(v url.Values) option.Text {
	options := option.Text{}
	for _, name := range option.Names() {
		if _, sent := v[name]; sent {
			options[name] = strings.TrimSpace(site.PlainText(v.Get(name)))
		}
	}
	return options
}

// maxNotes limits how many notes a video answers.
const maxNotes = 50

// NoteIDs parses the IDs of notes, without duplicates.
func NoteIDs(texts []string) (ids []int64) {
	for _, text := range texts {
		if id := site.ParseID(text); id > 0 && len(ids) < maxNotes && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// FirstValues returns the first picture.MaxFields values of a repeated field.
func FirstValues(values []string) []string { return values[:min(len(values), picture.MaxFields)] }

// FormOf returns a form with which the task can be made again.
func FormOf(t db.Task, c *videoapi.Catalog) Form {
	f := Form{Request: t.Request}
	f.Pictures, f.Options = slices.Clone(t.Pictures), t.Options.Asked()
	if f.scene() == videoapi.ImageToVideo && len(f.Pictures) == 2 {
		f.Pictures, f.EndPicture = f.Pictures[:1], f.Pictures[1]
	}
	f.choose(c)
	return f
}

// choose looks up the model named in the form.
func (f *Form) choose(c *videoapi.Catalog) {
	f.Chosen, f.Known = press.ModelFor(c, f.Model, f.scene())
}

// Task returns the task that the form describes, with gaps between the pictures kept.
// It omits options that cannot be parsed; check reports these.
func (f Form) Task(u db.User) db.Task {
	t := db.Task{UserID: u.ID, Request: f.Request, State: db.Queued, CreatedAt: db.Now()}
	t.Pictures = f.AllPictures()
	if f.Parent != nil {
		t.ParentID, t.Reuse, t.Private, t.NoteIDs = f.Parent.ID, f.Use, f.Parent.Private, f.NoteIDs
	}
	return t
}

// sent returns the form that is actually submitted: with DraftFirst, that is the form
// on the faster model, with the options adapted to it.
func (f Form) sent(c *videoapi.Catalog) Form {
	quick, ok := c.Draft(f.Model, f.scene())
	if !f.DraftFirst || !ok {
		return f
	}
	f.Model, f.Chosen = quick.ID, quick
	fitted, left, _ := quick.Fit(quick.Name, f.Options, f.Unread)
	if f.Options.AspectRatio == "" && f.Options.Shape == option.ChosenShape { // Press fills in what was not sent
		fitted.AspectRatio, fitted.Shape = "", option.ChosenShape
	}
	f.Options, f.Unread = fitted, left
	return f
}

// AllPictures returns the pictures in the order in which the service expects them, with
// gaps kept.
func (f Form) AllPictures() []string {
	pictures := slices.Clone(f.Pictures)
	if f.EndPicture == "" {
		return pictures
	}
	if len(pictures) == 0 {
		pictures = []string{""}
	}
	return append(pictures, f.EndPicture)
}

// Check returns the errors of the form of one video by field, or nil if there are none.
func (f Form) Check(c *videoapi.Catalog) input.Errors {
	return f.Errors(append(f.unread(), f.Casting.check(c, f.Task(db.User{}))...))
}

// CheckOrder checks the form and its order. Of a list, it leaves the rows with faults out of
// the order, if the page has shown them.
func (f Form) CheckOrder(c *videoapi.Catalog, o *press.Completed) site.Problems {
	problems := o.Check()
	switch {
	case f.IsList():
		rows, whole := f.rows(c, o.Faults)
		if problems = f.listProblems(rows, whole); problems == nil {
			o.Keep(func(i int) bool { return len(rows[i/f.count()].Faults) == 0 })
		}
	case f.sent(c).Model != f.Model: // the model of which the page showed the options has to take them, too
		if full := o.ProblemsOf(f.Task(o.User)); full != nil {
			problems = full
		}
	}
	return append(f.unread(), problems...)
}

// unread returns a problem for each field whose text is not of its kind.
func (f Form) unread() (problems site.Problems) {
	if f.Known {
		for name, sentence := range f.Chosen.Check(f.Chosen.Name, f.Unread) {
			problems = append(problems, site.Problem{Field: name, Text: sentence})
		}
	}
	if n, err := strconv.Atoi(f.Count); f.Count != "" && (err != nil || n < 1 || n > site.MostVariations) {
		problems = append(problems, site.Problem{Field: "count", Text: createview.NotOffered})
	}
	return problems
}

// Errors returns the problems as messages by the form's own fields.
func (f Form) Errors(problems site.Problems) input.Errors {
	errs := problems.Errors()
	if end := site.PictureField(max(1, len(f.Pictures))); f.EndPicture != "" && errs[end] != "" {
		errs["end_image_url"] = errs[end]
		delete(errs, end)
	}
	if why := errs["provider"]; why != "" { // no page shows the field
		errs[""] = cmp.Or(errs[""], why)
		delete(errs, "provider")
	}
	return errs
}

// count returns how many videos the form asks for or, of a list, how many of each line.
func (f Form) count() int {
	if n, err := strconv.Atoi(f.Count); err == nil && n >= 1 && n <= site.MostVariations {
		return n
	}
	return 1
}

// Adapt adapts the form to the model, and returns notes about what it changed. A
// value that the model does not support becomes its default, and an end picture that
// it cannot use is removed. Other pictures and the texts are kept.
func (f *Form) Adapt(c *videoapi.Catalog) (notes []string) {
	if !f.Known {
		usual := c.For(f.scene())[0]
		if f.Model != "" {
			notes = append(notes, createview.ModelReplaced(c.Name(site.Clip(f.Model, 60)), usual.Name))
		}
		f.Chosen, f.Model, f.Known = usual, usual.ID, true
	}
	m := f.Chosen
	fitted, left, more := m.Fit(m.Name, f.Options, f.Unread)
	f.Options, f.Unread, notes = fitted, left, append(notes, more...)
	if f.EndPicture != "" && f.scene() == videoapi.ImageToVideo && m.ImagesFor(f.scene()).Max < 2 {
		notes = append(notes, createview.EndRemoved(m.Name))
		f.EndPicture = ""
	}
	return notes
}

// View returns the form's data for its page.
func (f Form) View(c *videoapi.Catalog, token string) createview.CreateForm {
	v := createview.CreateForm{
		Scene: f.scene(), Token: token, Models: c.For(f.scene()), Model: f.Chosen,
		Prompt: f.Prompt, PromptMax: press.MaxPrompt, Pictures: f.Inputs(), EndPicture: f.EndPicture,
		Options: f.Texts(), Provider: f.Provider, SlowTold: f.SlowTold, Count: f.count(), DraftFirst: f.DraftFirst,
		List: f.List, LeftOut: leftField(f.Listed.Left),
	}
	kinds := f.kinds(c)
	if v.Lines = lines(kinds); f.List {
		v.Kinds = kindsField(kinds)
	}
	if !f.Known {
		v.Model = v.Models[0]
	}
	if !videoapi.ProviderFits(f.Provider) {
		v.Provider = ""
	}
	return v
}

// Inputs returns the picture fields that the page shows: at least as many as the
// scene has, and all that contain an address.
func (f Form) Inputs() []string {
	fields := map[videoapi.Scene]int{videoapi.ImageToVideo: 1, videoapi.FramesToVideo: 2, videoapi.ReferenceToVideo: 3}[f.scene()]
	inputs := slices.Clone(f.Pictures)
	for len(inputs) > fields && inputs[len(inputs)-1] == "" {
		inputs = inputs[:len(inputs)-1]
	}
	for len(inputs) < fields {
		inputs = append(inputs, "")
	}
	return FirstValues(inputs)
}

// Values returns the form's fields, to be submitted again.
func (f Form) Values() url.Values {
	v := url.Values{"image_input": f.Pictures}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	if f.Use != db.NoReuse {
		set("from", strconv.FormatInt(f.From, 10))
		set("use", string(f.Use))
	}
	for _, id := range f.NoteIDs {
		v.Add("note", strconv.FormatInt(id, 10))
	}
	if f.count() > 1 {
		set("count", f.Count)
	}
	if f.DraftFirst {
		set("draft_first", "true")
	}
	if f.List {
		set("lines", "true")
	}
	set(createview.LeftField, leftField(f.Listed.Left))
	f.Casting.set(v)
	set("model", f.Model)
	set("prompt", f.Prompt)
	set("end_image_url", f.EndPicture)
	set("provider", f.Provider)
	for name, text := range f.Texts() {
		set(name, text)
	}
	return v
}

// Cast does what a button beside the prompt asks for: it adds a cast member to the prompt,
// puts a handle in the place of one that nobody has, or makes the first picture of one the start or the end.
func (f *Form) Cast(v url.Values) {
	if rename, ok := press.Renaming(v.Get(createview.UseField)); ok {
		f.Prompt = rename(f.Prompt)
		f.readList()
	}
	if c, ok := cast.ParseChoice(v.Get("cast_add")); ok {
		f.Prompt = strings.TrimLeft(f.Prompt+" "+cast.Choice{Handle: c.Handle, Number: 1}.String(), " ")
	}
	if c, ok := cast.ParseChoice(v.Get("cast_start")); ok {
		f.Put(f.place(site.PictureField(0)), c.String())
	}
	if c, ok := cast.ParseChoice(v.Get("cast_end")); ok && f.scene() == videoapi.FramesToVideo {
		f.Put(f.place(site.PictureField(1)), c.String())
	} else if ok {
		f.Put(f.place("end_image_url"), c.String())
	}
}

// Resent returns the ID of the unconfirmed task that the form replaces, or 0.
func (f Form) Resent(u db.User) int64 {
	if old := f.Parent; old != nil && f.Use == db.Retried && old.UserID == u.ID && old.State == db.Unconfirmed {
		return old.ID
	}
	return 0
}

// Pressed adds to the uploaded files what a button of the form asks for: an earlier
// picture ("pick"), or an empty picture for a field ("remove").
func Pressed(came []picture.Upload, values url.Values) []picture.Upload {
	if address := values.Get("pick"); address != "" {
		came = append(came, picture.Upload{Note: createview.PictureNote{Address: site.Clip(address, 2048)}})
	}
	if field := values.Get("remove"); field != "" {
		came = append(came, picture.Upload{Field: field})
	}
	return came
}

// TakeUploads puts uploaded or picked pictures into the form. It returns the last picture's
// note, and errors for unusable files.
func (f *Form) TakeUploads(came []picture.Upload, values url.Values) (note createview.PictureNote, errs input.Errors) {
	came = Pressed(came, values)
	if len(came) == 0 {
		note = createview.BadPicture(createview.FileMissing)
		return note, input.Errors{f.place(""): note.Text}
	}
	for _, one := range came {
		note = one.Note
		field := f.place(one.Field)
		f.Put(field, note.Address) // empty for an unusable file, so that no earlier picture stays in the field
		if note.Bad {
			errs.Set(field, note.Text)
		}
	}
	return note, errs
}

// place returns field if the form has it, or else the first empty picture field, or
// else the last.
func (f *Form) place(field string) string {
	f.Pictures = f.Inputs()
	free := slices.Index(f.Pictures, "")
	if free < 0 {
		free = len(f.Pictures) - 1
	}
	for i := range f.Pictures {
		if field == site.PictureField(i) {
			free = i
		}
	}
	if field == "end_image_url" && f.scene() == videoapi.ImageToVideo {
		return field
	}
	return site.PictureField(free)
}

func (f *Form) Put(field, address string) {
	if field == "end_image_url" {
		f.EndPicture = address
	}
	for i := range f.Pictures {
		if field == site.PictureField(i) {
			f.Pictures[i] = address
		}
	}
}

// AddUploadErrors adds an error for each file that was chosen but not uploaded, which
// happens without JavaScript: only its name was submitted, and the field contains
// another picture or none.
func AddUploadErrors(errs input.Errors, values url.Values) input.Errors {
	for name := range values {
		field, isFile := strings.CutPrefix(name, "file.")
		if file := naming.Short(site.Clip(values.Get(name), 1000), 100); isFile && field != "" && file != "" {
			errs.Set(field, createview.NotUploaded(file))
		}
	}
	return errs
}

// PictureFields returns the pictures that are not empty, by the names of their
// fields.
func (f Form) PictureFields() map[string]string {
	fields := map[string]string{"end_image_url": f.EndPicture}
	for i, address := range f.Pictures {
		fields[site.PictureField(i)] = address
	}
	maps.DeleteFunc(fields, func(_, address string) bool { return address == "" })
	return fields
}

func StatusFor(errs input.Errors) int {
	if errs != nil {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}

// Order returns what the form orders: of a list, each row that is not left out, all in one
// batch.
func (f Form) Order(c *videoapi.Catalog, u db.User, v url.Values) press.Order {
	o := press.Order{
		User: u, Tasks: f.tasks(c, u, f.Casting.token(v.Get("token"))),
		ShownPrice: v.Get("price_shown"), Service: site.ParseID(v.Get("service")),
		Accepted: f.SlowTold, Resent: f.Resent(u), Wait: true, Company: f.Casting.Company, Chosen: f.Casting.Chosen,
		ShownStrangers: f.Casting.ShownStrangers, ShownMembers: f.Casting.ShownMembers,
	}
	if f.Casting.Then && f.Parent != nil {
		o.CastOf = f.Parent.ID
	}
	return o
}

func (f Form) tasks(c *videoapi.Catalog, u db.User, token string) (tasks []db.Task) {
	first := f.sent(c).Task(u)
	if !f.IsList() {
		return press.Variations(c, first, f.count(), token)
	}
	rows := f.rowForms(c)
	first.Prompt = listSum(rows)
	once, batch := press.OnceToken(token, first, f.count()), secrets.NewToken()
	for _, r := range rows {
		for j, t := range press.Variations(c, r.Task(u), f.count(), token) {
			t.Batch, t.Bulk, t.FormToken = batch, true, fmt.Sprintf("%s line %d %d", once, r.At, j)
			t.TakeGroup = fmt.Sprintf("line %d", r.At)
			tasks = append(tasks, t)
		}
	}
	return tasks
}
