package library

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/views/input"
	"dailies/views/part"
)

// A TaskPage holds everything that the page of one video shows.
type TaskPage struct {
	Card    part.Card
	Still   bool        // the video waits to be played
	Answers []db.Answer // the service's raw answers, for the maker only
	// MayDelete means that the viewer may move it to the bin and restore it.
	MayDelete bool
	Tags      []string    // the team's tags, to choose from
	Title     *input.Text // as it was typed; nil if it was not
	Position  Position

	Collections CollectionPart

	Story     []db.Task        // the storyline that it belongs to, itself included
	Uploads   bool             // the service can fetch pictures that are uploaded here
	NextError string           // why the picture for the next scene is invalid
	Recipe    *ordering.Recipe // the recipe that it was made with; nil for none

	Lineage Lineage
	Takes   Takes

	Discussion part.Discussion
	Writing    bool           // the form for a note is asked for
	NoteForm   *part.NoteForm // what was typed into the form for a note, if it is not valid
}

// title returns the field with the title as it was typed.
func (p TaskPage) title() input.Text {
	if p.Title == nil {
		return input.Text{}
	}
	return *p.Title
}

// A Position says where the video is in the gallery from which the viewer came, with
// the filter used there.
type Position struct {
	gallery.Place
	Most   int    // largest number that is exact; see gallery.Filter.MostCounted
	Filter string // the gallery's query; empty for the plain gallery
}

// place says which of how many videos it is; empty if the filter excludes it.
func (w Position) place() string {
	most := func(n int) string {
		if n > w.Most {
			return part.Number(w.Most) + "+"
		}
		return part.Number(n)
	}
	if w.Position == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s", most(w.Position), most(w.Total))
}

// to returns the address of another video's page, with the same filter.
func (w Position) to(id int64) string { return withQuery(part.TaskPath(id), w.Filter) }

// gallery returns the address of the gallery, scrolled to the video.
func (p TaskPage) gallery() string {
	query := "through=" + strconv.FormatInt(p.Card.Task.ID, 10)
	if p.Position.Filter != "" {
		query = p.Position.Filter + "&" + query
	}
	return "/gallery?" + query + "#" + p.Card.ID("task")
}

// WithAnswers is the field of the query that asks for the service's raw answers.
const WithAnswers = "answers"

// answers returns the address of this page with the service's raw answers.
func (p TaskPage) answers() string {
	address := p.here()
	if p.Position.Filter == "" {
		return address + "?" + WithAnswers + "#answers"
	}
	return address + "&" + WithAnswers + "#answers"
}

// here returns the address of this page, with the filter.
func (p TaskPage) here() string { return p.Position.to(p.Card.Task.ID) }

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// TaskStatus shows taskStatus, which polls only while the task can still change.
func TaskStatus(p TaskPage) templ.Component {
	if !p.Card.Live() {
		return taskStatus(p)
	}
	return part.Polled(taskStatus(p))
}

// statusPath returns the address from which taskStatus refreshes itself.
func (p TaskPage) statusPath() string {
	address := withQuery(p.Card.Path()+"/status", p.Position.Filter)
	if p.Position.Filter == "" {
		return address + "?" + part.Unseen
	}
	return address + "&" + part.Unseen
}

// answerName names the request that the service answered.
func answerName(a db.Answer) string {
	switch create := a.Call == "create"; {
	case create && a.Status != "":
		return fmt.Sprintf("Create request: %s", a.Status)
	case create:
		return "Create request"
	case a.Status != "":
		return fmt.Sprintf("Status check: %s", a.Status)
	}
	return "Status check"
}

// Pretty indents JSON; any other text stays as it is.
func Pretty(body string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(body), "", "  ") != nil {
		return body
	}
	return out.String()
}

// hasNext reports whether a next scene can be made from the video.
func (p TaskPage) hasNext() bool { return p.Card.Task.Playable() }

// ServiceIDRules returns the rules of the ID that the video service gave a video. Their form is
// not documented.
func ServiceIDRules() input.Rules {
	return input.Rules{
		input.Required("Paste the video ID."), input.Max(200, "Too long for a video ID. Copy it once more."),
		input.Valid("excludes=://", "That’s a link. Paste the video ID alone."),
		input.Valid("graphic", "That isn’t a video ID. Copy it once more."),
	}
}

// NewTitle returns the empty field with the title of a video.
func NewTitle() input.Text {
	return input.Text{Field: input.Field{Name: "title", ID: "video-title", Rules: titleRules()}}
}

// titleRules returns the rules of the title of a video, or of a link.
func titleRules() input.Rules {
	return input.Rules{
		input.Valid("visible", "Use letters people can see."),
		input.Max(db.MaxTitle, "A title has 120 letters at most. This one has %d."),
	}
}

// stackErrors returns the attributes that mark the field for another video as invalid.
func (p TaskPage) stackErrors() templ.Attributes {
	if p.Takes.Error == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": "stack-error", "autofocus": true}
}

// longWords is the number of characters above which a prompt is shortened until
// the user expands it.
const longWords = 600

// fileKind names the type of a kept file, such as "WebM".
func fileKind(m db.Media) string {
	_, kind, _ := strings.Cut(m.Type, "/")
	switch kind {
	case "webm":
		return "WebM"
	case "quicktime":
		return "MOV"
	case "x-matroska":
		return "MKV"
	case "mp2t":
		return "TS"
	}
	return strings.ToUpper(kind)
}

// marksOf says which marks of its origin a file carries, and nothing if nobody has looked.
func marksOf(m db.Media) (found []string) {
	switch {
	case m.Marks.Has(db.LabelMark) && m.ServedHash != "":
		found = append(found, "AI label of your team")
	case m.Marks.Has(db.LabelMark):
		found = append(found, "AI label of the service")
	}
	if m.Marks.Has(db.CredentialsMark) {
		found = append(found, "Content Credentials found, not checked")
	}
	if m.Marks.Has(db.NoMarks) {
		found = append(found, "None found")
	}
	return found
}

// binned reports whether the video is in the bin.
func (p TaskPage) binned() bool { return !p.Card.Task.DeletedAt.IsZero() }

// An amount is one line of a receipt.
type amount struct {
	Name, Text string
	At         time.Time // zero if nothing happened
}

// amounts lists the credits that were quoted, paid and returned.
func amounts(t db.Task) []amount {
	lines := []amount{{Name: "Quoted", Text: part.Credits(t.Quoted)}, {Name: "Paid", Text: paid(t)}}
	if t.Quoted.Known {
		lines[0].At = t.CreatedAt
	}
	if t.Charged.Known {
		lines[1].At = t.AcceptedAt
	}
	if !t.State.Running() && t.State != db.Unconfirmed {
		lines = append(lines, amount{"Came back", returned(t), t.ReturnedAt})
	}
	return lines
}

// paid says what the service charged for the task.
func paid(t db.Task) string {
	switch {
	case t.Charged.Known:
		return part.Credits(t.Charged)
	case t.State == db.Rejected:
		return "nothing"
	case t.State == db.Queued || t.State == db.Sending:
		return "nothing yet"
	case t.State == db.Unconfirmed:
		return "not certain"
	}
	return "not known"
}

// returned says what the service refunded.
func returned(t db.Task) string {
	switch {
	case t.Returned.Known && t.Returned.Amount > 0:
		return part.Credits(t.Returned)
	case t.RefundMissing():
		return "not yet"
	}
	return "nothing"
}

// returnNote says what the service promises about refunds, and what to do if one
// was not seen.
func returnNote(t db.Task) string {
	switch {
	case t.RefundMissing() && t.Charged.Known:
		return "Part of it hasn’t come back yet. Ask the service with the video ID."
	case t.RefundMissing():
		return "The service didn’t say what it cost. To be sure, ask it with the video ID."
	case t.Filtered():
		return "Credits for filtered videos don’t come back."
	case t.State == db.Failed:
		return "Credits for failed videos come back by themselves."
	case t.State == db.Canceled && !t.Returned.Known:
		return "Credits for cancelled videos don’t come back."
	}
	return ""
}

// A moment is one line of a timeline.
type moment struct {
	What string
	At   time.Time
}

// timeline lists what happened to the task and when.
func timeline(t db.Task) []moment {
	var moments []moment
	for _, m := range []moment{
		{"Asked for", t.CreatedAt},
		{"Sent to the service", t.SentAt},
		{"The service took it", t.AcceptedAt},
		{ended(t.State), t.DoneAt},
		{"Credits came back", t.ReturnedAt},
		{"Decided", t.DecidedAt},
	} {
		if !m.At.IsZero() {
			moments = append(moments, m)
		}
	}
	return moments
}

// ended names the task's end in a timeline.
func ended(s db.State) string {
	if s == db.Unconfirmed {
		return "The answer was lost"
	}
	return part.StateName(s)
}

// Takes holds the takes of a video that the viewer may see.
type Takes struct {
	Cards     []part.Card // the oldest first; none if the video is a take of no other
	Approvals map[int64]review.Approval
	Links     []gallery.Share // on which guests see other takes, but not this one, and could
	With      string          // what was typed as the video of which it is a take
	Error     string          // why that is not possible; empty if nothing is wrong
}

// The sentences about a video that cannot be put into a stack.
const (
	NoSuchVideo = "Paste the link of another video."
	SameVideo   = "That’s this video. Paste the link of another one."
)

// Number returns the number of the take, from 1, or 0 if the task is none.
func (t Takes) Number(id int64) int {
	for i, c := range t.Cards {
		if c.Task.ID == id {
			return i + 1
		}
	}
	return 0
}

// showing is the label of the button that shows the task on the link.
func (t Takes) showing(s gallery.Share, id int64) string {
	if len(t.Links) > 1 && s.Title != "" {
		return fmt.Sprintf("Show take %d on “%s”", t.Number(id), naming.Isolated(s.Title))
	}
	return fmt.Sprintf("Show take %d to the client", t.Number(id))
}

// several reports whether there is a stack.
func (t Takes) several() bool { return len(t.Cards) > 1 }

// place says which take the task is; empty if it is a take of no other.
func (t Takes) place(id int64) string {
	if n := t.Number(id); n > 0 && t.several() {
		return fmt.Sprintf("take %d of %d", n, len(t.Cards))
	}
	return ""
}

// name says, for screen readers, which take it is, and how it stands.
func (t Takes) name(i int) string {
	c := t.Cards[i]
	if c.Task.State != db.Success {
		return format.Facts(TakeName(i+1), part.StateName(c.Task.State))
	}
	return format.Facts(TakeName(i+1), part.Approval(t.Approvals[c.Task.ID]))
}

// TakeName names a take by its number.
func TakeName(n int) string { return fmt.Sprintf("Take %d", n) }

// decisionClass returns the class of the mark that says what guests decided; empty without one.
func (t Takes) decisionClass(i int) string {
	switch t.Approvals[t.Cards[i].Task.ID].Answer() {
	case review.Approved:
		return "good"
	case review.Changes:
		return "run"
	}
	return ""
}

// compared returns the IDs of the takes to compare with the task: the finished ones, at most
// four, itself among them.
func (t Takes) compared(id int64) []int64 {
	return Compared(t.ready(), id)
}

func (t Takes) ready() (ids []int64) {
	for _, c := range t.Cards {
		if c.Task.Playable() {
			ids = append(ids, c.Task.ID)
		}
	}
	return ids
}

// mostCompared is how many videos the comparison shows.
const mostCompared = 4

// Compared returns those of the takes that are compared with the one with the ID: the newest
// ones, at most four, in their order. It returns none if there is nothing to compare.
func Compared(ready []int64, id int64) (ids []int64) {
	left := mostCompared - 1
	for i := len(ready) - 1; i >= 0; i-- {
		if ready[i] == id || left > 0 {
			ids = append([]int64{ready[i]}, ids...)
			if ready[i] != id {
				left--
			}
		}
	}
	if len(ids) < 2 || len(ids) > mostCompared {
		return nil
	}
	return ids
}

// A Lineage holds the videos that are related to a video.
type Lineage struct {
	Parent   []part.Card // the video that it was made from; one or none
	Children []part.Card // made from it
	Batch    []part.Card // made together with it
}

// parentNote says what t took from its parent.
func (l Lineage) parentNote(t db.Task) func(part.Card) string {
	return func(part.Card) string { return part.ReuseLabel(t.Reuse) }
}

// childNote says what the child took from the video.
func childNote(c part.Card) string { return part.ReuseLabel(c.Task.Reuse) }

// batchName is the heading of the videos of t's batch: its other takes, if all have its
// prompt.
func (l Lineage) batchName(t db.Task) string {
	if slices.ContainsFunc(l.Batch, func(c part.Card) bool { return c.Task.Prompt != t.Prompt }) {
		return "Same batch"
	}
	return "Other takes"
}

// placeOf returns the position, from 1, that t has among the videos of Batch by
// ID, whether or not it is one of them.
func (l Lineage) placeOf(t db.Task) int {
	place := 1
	for _, other := range l.Batch {
		if other.Task.ID < t.ID {
			place++
		}
	}
	return place
}

// batchNote returns a function that numbers the videos of Batch with the same
// prompt as t; the others get no note.
func (l Lineage) batchNote(t db.Task) func(part.Card) string {
	return func(c part.Card) string {
		if c.Task.Prompt != t.Prompt {
			return ""
		}
		place := l.placeOf(c.Task)
		if t.ID < c.Task.ID {
			place++
		}
		return fmt.Sprintf("take %d", place)
	}
}

// relativeNote adds the model and, unless the video is ready, its state to a
// note.
func relativeNote(c part.Card, note string) string {
	state := ""
	if c.Task.State != db.Success {
		state = part.StateName(c.Task.State)
	}
	return format.Facts(note, c.ModelName, state)
}

// Starred says that n videos have a star now, or none any more.
func Starred(n int, on bool) string {
	if on {
		return theVideos(n, "Starred.", "%s videos starred.")
	}
	return theVideos(n, "Star removed.", "%s stars removed.")
}

// Tagged says which tags were added to n videos, or removed.
func Tagged(n int, add, remove []string) string {
	switch {
	case len(add) > 0 && n == 1:
		return fmt.Sprintf("Tagged %s.", quoted(add))
	case len(add) > 0:
		return fmt.Sprintf("%s videos tagged %s.", part.Number(n), quoted(add))
	case len(remove) > 0 && n == 1:
		return fmt.Sprintf("No longer tagged %s.", quoted(remove))
	case len(remove) > 0:
		return fmt.Sprintf("%s videos no longer tagged %s.", part.Number(n), quoted(remove))
	}
	return "Done."
}

// Hidden says who sees n videos now, and that others were not changed because
// they belong to other people.
func Hidden(n, others int, on bool) string {
	var changed, rest string
	switch {
	case n > 0 && on:
		changed = theVideos(n, "Private: only you see it.", "%s videos are private: only you see them.")
	case n > 0:
		changed = theVideos(n, "The team sees it now.", "The team sees %s videos now.")
	}
	switch {
	case others > 0 && n > 0:
		rest = part.Plural(others, "%s isn’t yours and stays as it is.", "%s aren’t yours and stay as they are.")
	case others > 0:
		rest = theVideos(others, "It isn’t yours, so it stays as it is.", "%s videos aren’t yours, so they stay as they are.")
	}
	return format.Sentences(changed, rest)
}

// Deleted says that n videos are in the bin, and why the videos in left are not.
func Deleted(n int, left []db.Task, viewer db.User) string {
	var deleted, undone, others string
	if n > 0 {
		deleted = theVideos(n, "It’s in the bin.", "%s videos are in the bin.")
	}
	foreign, running := 0, 0
	for _, t := range left {
		if t.DeletableBy(viewer) {
			running++
		} else {
			foreign++
		}
	}
	switch {
	case running > 0 && n > 0:
		undone = part.Plural(running, "%s isn’t done yet and stays.", "%s aren’t done yet and stay.")
	case running > 0:
		undone = theVideos(running, "It isn’t done yet, so it stays.", "%s videos aren’t done yet, so they stay.")
	}
	switch {
	case foreign > 0 && n+running > 0:
		others = part.Plural(foreign, "%s isn’t yours and stays.", "%s aren’t yours and stay.")
	case foreign > 0:
		others = theVideos(foreign, "It isn’t yours, so it stays.", "%s videos aren’t yours, so they stay.")
	}
	return format.Sentences(deleted, undone, others)
}

// Restored says that n videos have been restored.
func Restored(n int) string {
	return theVideos(n, "It’s back.", "%s videos are back.")
}

// theVideos returns the sentence about one video, or the one about n videos.
func theVideos(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, part.Number(n))
}

// quoted lists a few of the names and counts the others, because the message is
// stored in a cookie, which has little room.
func quoted(names []string) string {
	const most = 3
	var words []string
	for _, name := range names[:min(len(names), most)] {
		words = append(words, "“"+naming.Isolated(name)+"”")
	}
	if more := len(names) - most; more > 0 {
		words = append(words, fmt.Sprintf("%s more", part.Number(more)))
	}
	return format.List(words)
}

// starName returns the accessible name of the star button. aria-pressed says
// whether the video has a star.
func starName(c part.Card) string { return fmt.Sprintf("Star %s", c.Title()) }

// deletable reports whether the viewer can move the video to the bin now.
func (p TaskPage) deletable() bool {
	try := p.Card.Task
	return p.MayDelete && try.DeletedAt.IsZero() && try.Delete(p.Card.Task.UserID, p.Card.Now) == nil
}
