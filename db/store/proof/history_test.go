package proof_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/sampletest"
)

// A call reads or changes the store. The same call is made on both engines.
type call func(ctx context.Context, s *store.Store) (any, error)

// A history makes the same calls on two databases, one of each engine. Its bytes
// decide which calls these are.
type history struct {
	tb       testing.TB
	bytes    []byte
	engines  [2]*store.Store // SQLite, Postgres
	raw      [2]*sql.DB      // the same databases, bypassing the store
	now      time.Time
	tasks    int // how many tasks there are
	people   []db.User
	shares   []string // tokens of share links
	sessions []signin.Session
	steps    int
}

// more reports whether bytes are left to decide the next call.
func (h *history) more() bool { return len(h.bytes) > 0 }

// n returns a number from 0 to limit - 1, or 0 if no bytes are left.
func (h *history) n(limit int) int {
	if !h.more() {
		return 0
	}
	b := h.bytes[0]
	h.bytes = h.bytes[1:]
	return int(b) % limit
}

// one returns one of the choices.
func one[T any](h *history, choices ...T) T { return choices[h.n(len(choices))] }

// some returns a list of up to most values, each returned by next.
func some[T any](h *history, most int, next func() T) (list []T) {
	for range h.n(most + 1) {
		list = append(list, next())
	}
	return list
}

// id returns the ID of a task, occasionally of one that does not exist. New tasks
// are the most frequent.
func (h *history) id() int64 {
	if h.n(3) > 0 {
		return int64(max(1, h.tasks-h.n(4)))
	}
	return int64(1 + h.n(h.tasks+1))
}

// small returns an ID of a kind of which there are few.
func (h *history) small() int64 { return int64(1 + h.n(4)) }

func (h *history) person() db.User { return h.people[h.n(len(h.people))] }

func (h *history) flag() bool { return h.n(2) == 1 }

// do makes the call on both engines, and fails the test unless the results agree.
// It returns the result, or nil after an error.
func (h *history) do(what string, call call) any {
	h.tb.Helper()
	var answers [2]any
	var errs [2]error
	for i, s := range h.engines {
		answers[i], errs[i] = call(h.tb.Context(), s)
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
		h.tb.Fatalf("step %d, %s:\nSQLite:   %v\nPostgres: %v", h.steps, what, errs[0], errs[1])
	}
	if errs[0] != nil {
		return nil
	}
	if !reflect.DeepEqual(answers[0], answers[1]) {
		h.tb.Fatalf("step %d, %s:\nSQLite:   %s\nPostgres: %s", h.steps, what, plain(answers[0]), plain(answers[1]))
	}
	return answers[0]
}

// plain formats a value, following a pointer.
func plain(v any) string {
	text := fmt.Sprintf("%+v", v)
	if value := reflect.ValueOf(v); value.IsValid() && value.Kind() == reflect.Pointer && !value.IsNil() {
		text = fmt.Sprintf("%+v", value.Elem().Interface())
	}
	return text
}

// align makes Postgres continue with the same row IDs as SQLite: a rolled-back
// change leaves a gap in them, on which nothing depends.
func (h *history) align() {
	h.tb.Helper()
	var set []string
	h.rows(0, `
		SELECT m.name, coalesce(n.seq, 0) FROM sqlite_schema m LEFT JOIN sqlite_sequence n ON n.name = m.name
		WHERE m.type = 'table' AND m.sql LIKE '%AUTOINCREMENT%'`, func(scan func(...any) error) {
		var table string
		var last int64
		must(h.tb, scan(&table, &last))
		set = append(set, fmt.Sprintf(`setval('%s_id_seq', %d, %t)`, table, max(1, last), last > 0))
	})
	_, err := h.raw[1].ExecContext(h.tb.Context(), `SELECT `+strings.Join(set, ", "))
	must(h.tb, err)
}

func (h *history) rows(engine int, query string, see func(scan func(...any) error)) {
	h.tb.Helper()
	rows, err := h.raw[engine].QueryContext(h.tb.Context(), query)
	must(h.tb, err)
	defer rows.Close()
	for rows.Next() {
		see(rows.Scan)
	}
	must(h.tb, rows.Err())
}

// A twin plays one history after another on both engines. It has a database of the
// server to itself, and creates an SQLite file for each history.
type twin struct {
	raw    *sql.DB
	server *store.Store
	empty  string // the statements that empty the server's database
}

// newTwin opens a database of the server for the rest of the process, because the
// fuzzer runs many tests, one per input.
func newTwin(tb testing.TB) *twin {
	tb.Helper()
	address := newDatabase(tb)
	raw, err := sql.Open("pgx", address)
	must(tb, err)
	w := &twin{raw: raw}
	w.server, err = store.Open(context.Background(), address)
	must(tb, err)
	var names string
	must(tb, raw.QueryRow(`
		SELECT string_agg(tablename, '; DELETE FROM ') FROM pg_tables
		WHERE schemaname = 'public' AND tablename NOT IN ('schema_version', 'services')`).Scan(&names))
	// Deleting few rows is many times as fast as TRUNCATE, which creates new files.
	w.empty = `SET session_replication_role = replica; DELETE FROM ` + names + `; RESET session_replication_role`
	return w
}

// play plays the history that the bytes determine, with at most most steps, and
// compares the databases afterwards: completely if whole is set.
func (w *twin) play(tb testing.TB, told []byte, most int, whole bool) {
	tb.Helper()
	_, err := w.raw.ExecContext(tb.Context(), w.empty)
	must(tb, err)
	path := tb.TempDir() + "/dailies.db"
	h := &history{tb: tb, bytes: bytes.Clone(told), now: time.Date(2022, 11, 3, 12, 0, 0, 5e6, time.UTC)}
	h.engines = [2]*store.Store{sampletest.Open(tb, path), w.server}
	file, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(5000)")
	must(tb, err)
	defer file.Close()
	h.raw = [2]*sql.DB{file, w.raw}
	h.begin()
	if whole {
		h.addPieces()
	}
	for ; h.more() && h.steps < most; h.steps++ {
		h.align()
		h.now = h.now.Add(time.Duration(h.n(120)) * time.Minute)
		steps[h.n(len(steps))](h)
	}
	h.compare(whole)
}
