package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/views/part"
)

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
