package handlers_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"sync"
	"testing"

	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// While another program has locked the database, a write is refused with a sentence, not as
// a failure of the server.
func TestALockedDatabaseIsNoFailureOfTheServer(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	id := h.AddKept(t, 1, "a film").ID
	unlock := locked(t, h.Database)
	p.Post(fmt.Sprintf("/tasks/%d/notes", id), url.Values{"at": {"0"}, "body": {"Make the sky darker"}}).Is(503).Shows("We can’t save anything right now")
	unlock()
	p.Post("/collections", url.Values{"name": {"Spring"}}).Is(303)
}

// A guest's answer, and a video that a program orders in the words of the service, come at
// the same time. Both are refused like a note, and go through afterwards.
func TestALockedDatabaseRefusesGuestsAndProgramsWithASentence(t *testing.T) {
	scopetest.Whole(t) // SQLite waits for seconds before each write is refused
	t.Parallel()
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "a boat")
	link := p.Share(fmt.Sprintf("/tasks/%d", film.ID), "Our boat", "may", "decide")
	token := handlerstest.AddToken(t, h, 1)
	approve := func() *handlerstest.Answer {
		return h.Stranger(t).Post(link+"/verdict", url.Values{"task": {fmt.Sprint(film.ID)}, "name": {"Mara"}, "verdict": {"approved"}})
	}
	order := func() *handlerstest.Answer {
		const body = `{"mediaType":"video","scene":"text-to-video","model":"seedance-2.0","prompt":"a tram","options":{"duration":5}}`
		return h.Stranger(t).Tell("POST", "/api/ai/generate", body, "Authorization", "Bearer "+token, "Content-Type", "application/json", "Idempotency-Key", "k")
	}
	unlock := locked(t, h.Database)
	var both sync.WaitGroup
	var ordered *handlerstest.Answer
	both.Go(func() { ordered = order() })
	approved := approve()
	both.Wait()
	unlock()
	approved.Is(503).Shows("We can’t save anything right now")
	ordered.Is(200).Shows(`{"code":-1,"message":"internal error, please try again later"}`)
	for _, a := range []*handlerstest.Answer{approved, ordered} {
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%s does not say when to try again", a.Request.URL.Path)
		}
	}
	approve().Is(303)
	order().Is(200).Shows(`"code":0`)
}

// locked locks an SQLite file against writes.
func locked(t *testing.T, file string) (unlock func()) {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+file)
	must(t, err)
	t.Cleanup(func() { _ = raw.Close() })
	raw.SetMaxOpenConns(1)
	_, err = raw.Exec(`BEGIN IMMEDIATE`)
	must(t, err)
	return func() {
		_, err := raw.Exec(`ROLLBACK`)
		must(t, err)
	}
}
