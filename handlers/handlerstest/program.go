package handlerstest

import (
	"database/sql"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/program"
)

// AddToken adds a token of the person that may change things, and returns it.
func AddToken(t testing.TB, h *Server, userID int64) (secret string) {
	t.Helper()
	secret = program.NewSecret()
	hash, _ := program.Parse(secret)
	now := db.Now()
	must(t, h.Store.Programs.Add(t.Context(), &program.Token{
		UserID: userID, Name: "Importer", Start: program.Start(secret), Hash: hash, May: program.Change, CreatedAt: now,
		EndsAt: now.Add(24 * time.Hour),
	}))
	return secret
}

// SQL changes the database, which has to be an SQLite file, behind the program's back.
func (h *Server) SQL(t testing.TB, statement string) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	_, err = d.ExecContext(t.Context(), statement)
	must(t, err)
}

// WithToken sends a GET request as a program with the token.
func (h *Server) WithToken(t testing.TB, secret, path string) *Answer {
	t.Helper()
	return h.Stranger(t).Get(path, "Authorization", "Bearer "+secret)
}
