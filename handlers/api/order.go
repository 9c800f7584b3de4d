package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/handlers/form"
	"dailies/handlers/press"
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/part"
)

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

// keyOf returns the Idempotency-Key of the request; empty if it has none.
func keyOf(r *http.Request) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	rule := input.Valid(fmt.Sprintf("bytes=%d,key", program.MaxKey), keyTooLong)
	if sentence := site.Broken(key, input.Rules{rule}); sentence != "" {
		return "", badKey(sentence)
	}
	return key, nil
}

func badKey(sentence string) error {
	return &Problem{Status: http.StatusBadRequest, Code: Invalid, Field: "Idempotency-Key", Detail: sentence}
}

// A submission asks for videos.
type submission struct {
	key    string // the Idempotency-Key; empty for none
	sent   []byte // the body
	title  string
	any    bool                                                   // a price that is not known beforehand may turn out as it likes
	most   float64                                                // what each video whose price is not known may cost
	order  func(context.Context) (ordered, error)                 // what is to be made
	allows func(part.Price) error                                 // reports that it may not cost that
	encode func([]db.Task) (status int, answer []byte, err error) // encodes the answer about the videos
	send   func(status int, answer []byte, first int64) error     // sends it
}

// An ordered order may come from the blanks of a recipe.
type ordered struct {
	press.Order
	filled *form.FilledForm // nil if there is no recipe
}

// quoted returns the order with its price, or what is wrong with its requests. It looks at no
// pictures, and nothing is placed.
func (a *API) quoted(ctx context.Context, o ordered) (*press.Completed, part.Price, error) {
	o.Quoted = true
	c, err := a.press.Complete(ctx, o.Order)
	if err != nil {
		return nil, part.Price{}, err
	}
	problems := c.Check()
	if o.filled != nil {
		problems = o.filled.Problems(problems)
	}
	if problems == nil {
		problems = c.Consent()
	}
	if problems != nil {
		return nil, part.Price{}, problemIn(problems)
	}
	price := c.Price()
	if o.filled != nil {
		if problems := o.filled.OverCeiling(o.User, c.Prices[0]); problems != nil {
			return nil, price, problemIn(problems)
		}
	}
	return c, price, nil
}

// MakeVideos makes videos. The Idempotency-Key finds the answer of the first request again.
func (a *API) MakeVideos(w http.ResponseWriter, r *http.Request) error {
	var b body
	return a.makeFrom(w, r, &b, &b.terms, func(context.Context) (ordered, error) {
		o, err := b.order(a.catalog, caller(r).User)
		return ordered{Order: o}, err
	})
}

// makeFrom reads the body, in which the terms are, and makes the videos that order returns.
func (a *API) makeFrom(w http.ResponseWriter, r *http.Request, into any, t *terms,
	order func(context.Context) (ordered, error)) error {
	key, err := keyOf(r)
	if err != nil {
		return err
	}
	if key == "" {
		return &Problem{Status: http.StatusBadRequest, Code: NoKey, Field: "Idempotency-Key", Detail: keyMissing}
	}
	sent, err := readBody(w, r, into)
	if err != nil {
		return err
	}
	sub := submission{
		key: key, sent: sent, title: t.Title,
		allows: func(p part.Price) error { return t.allows(p, false) },
		encode: func(tasks []db.Task) (int, []byte, error) { return a.encodeOutcome(r, tasks) },
		send:   func(status int, answer []byte, first int64) error { return sendOutcome(w, status, answer, first) },
	}
	sub.order = func(ctx context.Context) (ordered, error) {
		if err := t.check(true); err != nil {
			return ordered{}, err
		}
		return order(ctx)
	}
	if t.Max != nil {
		sub.most = *t.Max / float64(t.count())
	}
	return a.makeOnce(w, r, sub)
}

// makeOnce makes the videos or, if the submission was answered before, answers like then.
func (a *API) makeOnce(w http.ResponseWriter, r *http.Request, sub submission) error {
	request := program.Request{UserID: caller(r).User.ID, Key: sub.key,
		Body: secrets.HashToken(r.Method + " " + r.URL.Path + "\n" + string(sub.sent))}
	if sub.key == "" {
		return a.place(r, request, sub)
	}
	name := fmt.Sprintf("%d %s", request.UserID, sub.key)
	if !a.running.enter(name) {
		return busy()
	}
	defer a.running.leave(name)
	if done, err := a.replay(w, r, request, sub); done || err != nil {
		return err
	}
	err := a.place(r, request, sub)
	if errors.Is(err, program.ErrUsedKey) { // another process was faster
		done, err := a.replay(w, r, request, sub)
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
func (a *API) place(r *http.Request, request program.Request, sub submission) error {
	o, err := sub.order(r.Context())
	if err != nil {
		return err
	}
	c, price, err := a.quoted(r.Context(), o)
	if err != nil {
		return err
	}
	if err := sub.allows(price); err != nil {
		return err
	}
	c.Wait, c.Program = true, &program.Order{Token: caller(r).Token.ID, Request: request}
	if !price.Credits.Known {
		c.Program.Most, c.Program.AnyPrice = sub.most, sub.any
	}
	tasks, problems, err := a.press.Place(r.Context(), c)
	if err != nil {
		return err
	}
	if problems != nil {
		if o.filled != nil {
			problems[0].Field = o.filled.Field(problems[0].Field)
		}
		return problemIn(problems)
	}
	return a.answer(r, request, sub, tasks)
}

// answer stores the answer about the videos, and sends it. From here on the videos are
// being made, whether or not the program still listens.
func (a *API) answer(r *http.Request, request program.Request, sub submission, tasks []db.Task) error {
	ctx := context.WithoutCancel(r.Context())
	if sub.title != "" {
		for i, t := range tasks {
			if err := a.tasks.TitleTask(ctx, caller(r).User, t.ID, sub.title); err != nil {
				return err
			}
			tasks[i].Title = naming.Clean(sub.title) // as it is stored
		}
	}
	status, encoded, err := sub.encode(tasks)
	if err != nil {
		return err
	}
	if request.Key != "" {
		if err := a.programs.Answered(ctx, request.UserID, request.Key, status, encoded); err != nil {
			a.log.Error("cannot store the answer to a program", "task", tasks[0].ID, "err", err) // a repeat makes it again
		}
	}
	return sub.send(status, encoded, tasks[0].ID)
}

// encodeOutcome returns the answer: the videos or, if the service has refused them all,
// the problem.
func (a *API) encodeOutcome(r *http.Request, tasks []db.Task) (status int, encoded []byte, err error) {
	if slices.ContainsFunc(tasks, func(t db.Task) bool { return t.State != db.Rejected }) {
		encoded, err = a.encode(r, tasks)
		return http.StatusAccepted, encoded, err
	}
	p := refusal(tasks[0])
	p.Title = http.StatusText(p.Status)
	encoded, err = json.Marshal(p)
	return p.Status, encoded, err
}

// refusal returns the problem of a video that the service has refused.
func refusal(t db.Task) *Problem {
	p := &Problem{Status: http.StatusUnprocessableEntity, Code: Refused, Detail: part.FailureReason(t)}
	switch t.ErrorKind {
	case db.CreditsError:
		p.Code = NoCredits
	case db.LimitError:
		p.Code = LimitReached
	}
	return p
}

func sendOutcome(w http.ResponseWriter, status int, encoded []byte, first int64) error {
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
func (a *API) replay(w http.ResponseWriter, r *http.Request, request program.Request, sub submission) (done bool, err error) {
	first, err := a.programs.Request(r.Context(), request.UserID, request.Key)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case first.Body != request.Body:
		return false, &Problem{Status: http.StatusUnprocessableEntity, Code: KeyReused, Field: "Idempotency-Key", Detail: keyReused}
	}
	replayed := func() { w.Header().Set("Idempotent-Replayed", "true") }
	if first.IsAnswered() {
		if len(first.Answer) == 0 { // the video was purged
			return false, gone()
		}
		replayed()
		return true, sub.send(first.Status, bytes.Clone(first.Answer), first.TaskID)
	}
	if db.Now().Sub(first.CreatedAt) < answeredWithin {
		return false, busy()
	}
	tasks, err := a.madeBy(r.Context(), first)
	if err != nil {
		return false, err
	}
	replayed()
	return true, a.answer(r, request, sub, tasks)
}

// madeBy returns the tasks that the request has made.
func (a *API) madeBy(ctx context.Context, request program.Request) ([]db.Task, error) {
	t, err := a.tasks.Task(ctx, request.TaskID)
	if err != nil || t.Batch == "" {
		return []db.Task{t}, err
	}
	return a.lineage.BatchTasks(ctx, t.Batch, request.Count)
}

// quotedFor is how long a program may rely on a quote, unless prices change.
const quotedFor = 15 * time.Minute

// A quote gives the price of videos. Null is unknown, or no limit.
type quote struct {
	Quote   string   `json:"quote"`
	Credits *float64 `json:"credits"` // for the whole request
	Price   string   `json:"price"`   // stated, estimated or unknown
	Left    left     `json:"left"`
	Expires string   `json:"expires_at"`
}

// left holds how many credits may still be spent this month. Null is no limit.
type left struct {
	Cap   *float64 `json:"cap"`
	Limit *float64 `json:"limit"`
}

// Quote answers with what the videos would cost, and makes none.
func (a *API) Quote(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	var b body
	if _, err := readBody(w, r, &b); err != nil {
		return err
	}
	if err := b.check(false); err != nil {
		return err
	}
	o, err := b.order(a.catalog, c.User)
	if err != nil {
		return err
	}
	_, price, err := a.quoted(r.Context(), ordered{Order: o})
	if err != nil {
		return err
	}
	if err := b.allows(price, true); err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, quote{
		Quote: "q_" + secrets.NewToken(), Credits: amount(price.Total()), Price: certainty(price),
		Left: left{amount(c.Token.Left()), amount(price.Budget.Left())}, Expires: stamp(db.Now().Add(quotedFor)),
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

// A filled recipe is a request for videos that fills in its blanks.
type filled struct {
	Blanks map[string]string `json:"blanks"` // by name: words, or the address of a picture
	terms
}

// MakeFromRecipe makes videos of the recipe in the path, like MakeVideos.
func (a *API) MakeFromRecipe(w http.ResponseWriter, r *http.Request) error {
	var b filled
	return a.makeFrom(w, r, &b, &b.terms, func(ctx context.Context) (ordered, error) {
		u := caller(r).User
		f, problems, err := a.making.Fill(ctx, site.ParseID(r.PathValue("id")), b.Blanks)
		if err != nil {
			return ordered{}, err
		}
		if problems != nil {
			return ordered{}, problemIn(problems)
		}
		tasks := press.Variations(a.catalog, f.Task(u), b.count(), secrets.NewToken())
		return ordered{press.Order{User: u, Tasks: tasks}, &f}, nil
	})
}
