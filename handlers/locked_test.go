package handlers_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"testing"

	"dailies/handlers/handlerstest"
)

// While another program has locked the database, a write is refused with a sentence, not as
// a failure of the server.
func TestALockedDatabaseIsNoFailureOfTheServer(t *testing.T) {
	dir := t.TempDir()
	h := handlerstest.NewAt(t, dir)
	p := h.Founder(t)
	id := h.AddKept(t, 1, "a film").ID
	raw, err := sql.Open("sqlite", "file:"+dir+"/dailies.db")
	must(t, err)
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	_, err = raw.Exec(`BEGIN IMMEDIATE`)
	must(t, err)
	p.Post(fmt.Sprintf("/tasks/%d/notes", id), url.Values{"at": {"0"}, "body": {"Make the sky darker"}}).Is(503).Shows("We can’t save anything right now")
	_, err = raw.Exec(`ROLLBACK`)
	must(t, err)
	p.Post("/collections", url.Values{"name": {"Spring"}}).Is(303)
}
