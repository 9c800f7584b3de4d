package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/create"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A body asks for videos: the service's own fields with those of ours beside them.
type body struct {
	MediaType string   `json:"mediaType"`
	Provider  string   `json:"provider"`
	Scene     string   `json:"scene"`
	Model     string   `json:"model"`
	Prompt    string   `json:"prompt"`
	Options   options  `json:"options"`
	Count     *int     `json:"count"`
	Title     string   `json:"title"`
	Max       *float64 `json:"max_credits"` // for the whole request
	Unknown   bool     `json:"accept_unknown_price"`
}

// options are those of API.md. Values that only repeat others are accepted and not used.
type options struct {
	Mode        string       `json:"mode"`
	Duration    *json.Number `json:"duration"`
	AspectRatio *string      `json:"aspect_ratio"`
	Resolution  *string      `json:"resolution"`
	Pictures    []string     `json:"image_input"`
	Start       string       `json:"image_url"`
	End         string       `json:"end_image_url"`
	CameraFixed *bool        `json:"camera_fixed"`
	FixedLens   *bool        `json:"fixed_lens"`
	Seed        *json.Number `json:"seed"`
	Safety      *bool        `json:"enable_safety_checker"`
	Audio       *bool        `json:"generate_audio"`
	HasAudio    *bool        `json:"has_audio"`
}

// text returns the options as a form sends them.
func (o options) text() map[string]string {
	t := map[string]string{}
	for name, value := range map[string]*json.Number{"duration": o.Duration, "seed": o.Seed} {
		if value != nil {
			t[name] = value.String()
		}
	}
	for name, value := range map[string]*string{"aspect_ratio": o.AspectRatio, "resolution": o.Resolution} {
		if value != nil {
			t[name] = *value
		}
	}
	camera := o.CameraFixed
	if camera == nil {
		camera = o.FixedLens
	}
	for name, value := range map[string]*bool{"camera_fixed": camera, "enable_safety_checker": o.Safety, "generate_audio": o.Audio} {
		if value != nil {
			t[name] = strconv.FormatBool(*value)
		}
	}
	return t
}

// pictures returns the addresses in the order in which they are sent.
func (o options) pictures() []string {
	if len(o.Pictures) > 0 || o.Start == "" && o.End == "" {
		return slices.Clone(o.Pictures)
	}
	if o.End == "" {
		return []string{o.Start}
	}
	return []string{o.Start, o.End}
}

// maxCredits is the highest max_credits.
const maxCredits = 1e6

// check reports what is wrong with the fields that the pages do not have.
func (b body) check(spends bool) error {
	switch {
	case b.Count != nil && (*b.Count < 1 || *b.Count > site.MostVariations):
		return wrong("count", oddCount)
	case !validTitle(b.Title):
		return wrong("title", oddTitle)
	case b.Max == nil && spends:
		return wrong("max_credits", noMaximum)
	case b.Max != nil && (*b.Max < 0 || *b.Max > maxCredits || !isThousandths(*b.Max)):
		return wrong("max_credits", oddMaximum)
	}
	return nil
}

// isThousandths reports whether the amount has at most three decimals.
func isThousandths(credits float64) bool {
	text := strconv.FormatFloat(credits, 'f', -1, 64)
	_, decimals, _ := strings.Cut(text, ".")
	return len(decimals) <= 3
}

// count returns how many videos are asked for.
func (b body) count() int {
	if b.Count == nil {
		return 1
	}
	return *b.Count
}

// order returns the order for the person. Options that the model does not know are wrong,
// rather than left out.
func (b body) order(c *videoapi.Catalog, u db.User) (create.Order, error) {
	t := db.Task{UserID: u.ID, Scene: b.Scene, Model: b.Model, Prompt: strings.TrimSpace(b.Prompt), Provider: b.Provider, Pictures: b.Options.pictures(), CreatedAt: db.Now()}
	if !videoapi.Scene(b.Scene).Valid() {
		return create.Order{}, wrong("scene", oddField("scene"))
	}
	if b.MediaType != "" && b.MediaType != "video" {
		return create.Order{}, wrong("mediaType", oddField("mediaType"))
	}
	given := b.Options.text()
	if m, known := c.Model(b.Model); known {
		for field, sentence := range m.Check(m.Name, given) {
			return create.Order{}, wrong(fieldOf(field), sentence)
		}
		m.Tidy(given)
	}
	t.Options = optionValues(given)
	return create.Order{User: u, Tasks: create.Variations(c, t, b.count(), secrets.NewToken())}, nil
}

// Quotes says what videos would cost.
type Quotes struct {
	catalog *videoapi.Catalog
	press   *create.Press
}

// quotedFor is how long a program may rely on a quote, unless prices change.
const quotedFor = 15 * time.Minute

// A quote is what videos would cost. Null is unknown, or no limit.
type quote struct {
	Quote   string   `json:"quote"`
	Credits *float64 `json:"credits"` // for the whole request
	Price   string   `json:"price"`   // stated, estimated or unknown
	Left    left     `json:"left"`
	Expires string   `json:"expires_at"`
}

// left is what may still be spent this month.
type left struct {
	Cap   *float64 `json:"cap"`
	Limit *float64 `json:"limit"`
}

// Quote answers with what the videos would cost, and makes none.
func (h *Quotes) Quote(w http.ResponseWriter, r *http.Request, c Caller) error {
	var b body
	if _, err := readBody(w, r, &b); err != nil {
		return err
	}
	if err := b.check(false); err != nil {
		return err
	}
	o, err := b.order(h.catalog, c.User)
	if err != nil {
		return err
	}
	price, problems, err := h.press.Quote(r.Context(), o)
	if err != nil {
		return err
	}
	if problems != nil {
		return problemIn(problems)
	}
	if err := b.allows(price, true); err != nil {
		return err
	}
	capLeft := c.Token.Left()
	return sendJSON(w, http.StatusOK, quote{
		Quote: "q_" + secrets.NewToken(), Credits: amount(price.Total()), Price: certainty(price),
		Left: left{&capLeft, amount(price.Room.Left())}, Expires: stamp(db.Now().Add(quotedFor)),
	})
}

// certainty says where a price comes from.
func certainty(p part.Price) string {
	switch {
	case !p.Credits.Known:
		return "unknown"
	case p.Stated:
		return "stated"
	}
	return "estimated"
}

// allows reports whether the request allows the price. A quote may be unknown.
func (b body) allows(p part.Price, quoting bool) error {
	switch total := p.Total(); {
	case total.Known && b.Max != nil && total.Amount > *b.Max:
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceChanged, Field: "max_credits", Detail: tooDear(total.String())}
	case total.Known || quoting:
	case !b.Unknown:
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceUnknown, Field: "accept_unknown_price", Detail: priceUnknown}
	case p.Room.MustAsk:
		return &Problem{Status: http.StatusUnprocessableEntity, Code: PriceUnknown, Detail: priceMustAsk}
	}
	return nil
}

// Orders makes videos.
type Orders struct {
	drawing
	quotes   *Quotes
	programs *people.Programs
	made     *made
	running  *running
}

// made reads what an order has made.
type made struct {
	lineage *video.Lineage
	tasks   *video.Tasks
}

// running holds the requests that are running in this process, by person and key.
type running struct {
	mu  sync.Mutex
	now map[string]bool
}

func (r *running) enter(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now[name] {
		return false
	}
	r.now[name] = true
	return true
}

func (r *running) leave(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.now, name)
}

// keyOf returns the Idempotency-Key of the request.
func keyOf(r *http.Request) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	bad := func(sentence string) error {
		return &Problem{Status: http.StatusBadRequest, Code: Invalid, Field: "Idempotency-Key", Detail: sentence}
	}
	switch {
	case key == "":
		return "", bad(keyMissing)
	case len(key) > program.MaxKey || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }):
		return "", bad(keyTooLong)
	}
	return key, nil
}

// Make makes videos. The Idempotency-Key finds the answer of the first request again.
func (h *Orders) Make(w http.ResponseWriter, r *http.Request, c Caller) error {
	key, err := keyOf(r)
	if err != nil {
		return err
	}
	var b body
	sent, err := readBody(w, r, &b)
	if err != nil {
		return err
	}
	request := program.Request{UserID: c.User.ID, Key: key, Body: secrets.HashToken(r.Method + " " + r.URL.Path + "\n" + string(sent))}
	name := fmt.Sprintf("%d %s", c.User.ID, key)
	if !h.running.enter(name) {
		return busy()
	}
	defer h.running.leave(name)
	if done, err := h.replay(w, r, request, b, c); done || err != nil {
		return err
	}
	err = h.place(w, r, request, b, c)
	if errors.Is(err, program.ErrUsedKey) { // another process was faster
		done, err := h.replay(w, r, request, b, c)
		if !done && err == nil {
			err = busy()
		}
		return err
	}
	return err
}

// busy says that the first request with the key has not been answered yet.
func busy() *Problem {
	return &Problem{Status: http.StatusConflict, Code: Busy, Detail: stillRunning, Wait: 1}
}

// place checks the price, makes the videos and answers.
func (h *Orders) place(w http.ResponseWriter, r *http.Request, request program.Request, b body, c Caller) error {
	if err := b.check(true); err != nil {
		return err
	}
	o, err := b.order(h.quotes.catalog, c.User)
	if err != nil {
		return err
	}
	price, problems, err := h.quotes.press.Quote(r.Context(), o)
	if err != nil {
		return err
	}
	if problems != nil {
		return problemIn(problems)
	}
	if err := b.allows(price, false); err != nil {
		return err
	}
	o.Wait, o.Program = true, &program.Order{Token: c.Token.ID, Request: request}
	if o.Shown = price.Shown(); !price.Credits.Known {
		o.Program.Hold = *b.Max / float64(b.count())
	}
	tasks, problems, err := h.quotes.press.Place(r.Context(), o)
	if err != nil {
		return err
	}
	if problems != nil {
		return problemIn(problems)
	}
	return h.answer(w, r, request, b, c, tasks)
}

// answer stores the answer about the videos, and sends it. From here on the videos are
// being made, whether or not the program still listens.
func (h *Orders) answer(w http.ResponseWriter, r *http.Request, request program.Request, b body, c Caller, tasks []db.Task) error {
	ctx := context.WithoutCancel(r.Context())
	if b.Title != "" {
		for i, t := range tasks {
			if err := h.made.tasks.TitleTask(ctx, c.User, t.ID, b.Title); err != nil {
				return err
			}
			tasks[i].Title = b.Title
		}
	}
	status, encoded, err := h.encodeOutcome(r, tasks)
	if err != nil {
		return err
	}
	if err := h.programs.Answered(ctx, request.UserID, request.Key, status, encoded); err != nil {
		return err
	}
	return h.send(w, status, encoded, tasks[0].ID)
}

// encodeOutcome returns the answer: the videos or, if the service has refused them all,
// the problem.
func (h *Orders) encodeOutcome(r *http.Request, tasks []db.Task) (status int, encoded []byte, err error) {
	if slices.ContainsFunc(tasks, func(t db.Task) bool { return t.State != db.Rejected }) {
		encoded, err = h.encode(r, tasks)
		return http.StatusAccepted, encoded, err
	}
	p := Problem{Status: http.StatusUnprocessableEntity, Code: Refused, Detail: part.Why(tasks[0])}
	if tasks[0].Blame == db.BlameCredits {
		p.Code = NoCredits
	}
	p.Title = http.StatusText(p.Status)
	encoded, err = json.Marshal(p)
	return p.Status, encoded, err
}

func (h *Orders) send(w http.ResponseWriter, status int, encoded []byte, first int64) error {
	if status != http.StatusAccepted {
		return sendBytes(w, status, "application/problem+json", encoded)
	}
	w.Header().Set("Location", fmt.Sprintf("/api/v1/videos/%d", first))
	return sendBytes(w, status, "application/json", encoded)
}

// answeredWithin is how long a request may take. One without an answer after that was cut
// off, and its answer is made again of its videos.
const answeredWithin = 5 * time.Second

// replay answers like the first request with the key, if there was one.
func (h *Orders) replay(w http.ResponseWriter, r *http.Request, request program.Request, b body, c Caller) (done bool, err error) {
	first, err := h.programs.Request(r.Context(), request.UserID, request.Key)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case first.Body != request.Body:
		return false, &Problem{Status: http.StatusUnprocessableEntity, Code: KeyReused, Field: "Idempotency-Key", Detail: keyReused}
	}
	w.Header().Set("Idempotent-Replayed", "true")
	if first.IsAnswered() {
		if len(first.Answer) == 0 { // the video was purged
			return false, gone()
		}
		return true, h.send(w, first.Status, bytes.Clone(first.Answer), first.TaskID)
	}
	if db.Now().Sub(first.CreatedAt) < answeredWithin {
		return false, busy()
	}
	tasks, err := h.made.by(r.Context(), first)
	if err != nil {
		return false, err
	}
	return true, h.answer(w, r, request, b, c, tasks)
}

// by returns the tasks that the request has made.
func (m *made) by(ctx context.Context, request program.Request) ([]db.Task, error) {
	t, err := m.tasks.Task(ctx, request.TaskID)
	if err != nil || t.Batch == "" {
		return []db.Task{t}, err
	}
	return m.lineage.BatchTasks(ctx, t.Batch, request.Count)
}
