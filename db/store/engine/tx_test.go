package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/sqlite"
)

// open returns a database with the tables of the app, in which two settings are stored.
func open(t *testing.T) *engine.DB {
	t.Helper()
	d, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), sqlite.Schema{Files: sqlite.Migrations, Empty: sqlite.Empty})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	wrapped := &engine.DB{Engine: d, Writes: d.Writes, Reads: d.Reads}
	if err := wrapped.Write(t.Context(), func(tx *engine.Tx) {
		put(tx, "a", "1")
		put(tx, "b", "2")
	}); err != nil {
		t.Fatal(err)
	}
	return wrapped
}

func put(tx *engine.Tx, name, value string) {
	tx.Exec(`INSERT INTO settings (name, value) VALUES ($1, $2)`, name, value)
}

const selectNames = `SELECT name FROM settings ORDER BY name`

func names(t *testing.T, d *engine.DB) (list []string) {
	t.Helper()
	if err := d.Read(t.Context(), func(tx *engine.Tx) { list = engine.All(tx, engine.ScanValue[string], selectNames) }); err != nil {
		t.Fatal(err)
	}
	return list
}

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

var errFirst = errors.New("first")

func TestATransactionReadsAndWrites(t *testing.T) {
	d := open(t)
	if err := d.Write(t.Context(), func(tx *engine.Tx) {
		expect(t, "count", tx.Count(`SELECT 1 FROM settings WHERE name >= $1`, "b"), 1)
		expect(t, "value", engine.Value[string](tx, `SELECT value FROM settings WHERE name = $1`, "b"), "2")
		expect(t, "one", engine.One(tx, engine.ScanValue[string], selectNames), "a")
		var id int64
		tx.Insert(&id, `INSERT INTO settings (name, value) VALUES ('c', 3) RETURNING 17`)
		expect(t, "id", id, 17)
		expect(t, "rows", tx.Exec(`UPDATE settings SET value = 'x'`), 3)
		tx.ExecOr(errFirst, `DELETE FROM settings WHERE name = 'c'`)
		var name, value string
		tx.Row(`SELECT name, value FROM settings WHERE name = $1`, "a").Scan(&name, &value)
		expect(t, "row", name+value, "ax")
		expect(t, "found", tx.Row(`SELECT name FROM settings WHERE name = $1`, "b").Find(&name), true)
		expect(t, "found", tx.Row(`SELECT name FROM settings WHERE name = $1`, "z").Find(&name), false)
		_, found := engine.Find(tx, engine.ScanValue[string], selectNames+` LIMIT 0`)
		expect(t, "found", found, false)
		expect(t, "free", engine.IsFree(tx, " A", selectNames), false)
		expect(t, "free", engine.IsFree(tx, "ab", selectNames), true)
		expect(t, "OK", tx.OK(), true)
	}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, d); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
}

// failures are the ways in which something fails in a transaction, and the error that it
// is kept as.
var failures = map[string]struct {
	fail func(*engine.Tx)
	want error
}{
	"Check":   {func(tx *engine.Tx) { tx.Check(errFirst) }, errFirst},
	"Require": {func(tx *engine.Tx) { tx.Require(false, errFirst) }, errFirst},
	"ExecOr":  {func(tx *engine.Tx) { tx.ExecOr(errFirst, `DELETE FROM settings WHERE name = 'z'`) }, errFirst},
	"Value":   {func(tx *engine.Tx) { engine.Value[string](tx, selectNames+` LIMIT 0`) }, sql.ErrNoRows},
	"One":     {func(tx *engine.Tx) { engine.One(tx, engine.ScanValue[string], selectNames+` LIMIT 0`) }, sql.ErrNoRows},
	"Scan":    {func(tx *engine.Tx) { tx.Row(selectNames + ` LIMIT 0`).Scan(new(string)) }, sql.ErrNoRows},
	"Each":    {func(tx *engine.Tx) { tx.Each(func(*sql.Rows) error { return errFirst }, selectNames) }, errFirst},
	"All":     {func(tx *engine.Tx) { engine.All(tx, func(*sql.Rows) (int, error) { return 1, errFirst }, selectNames) }, errFirst},
	"Exec":    {func(tx *engine.Tx) { tx.Exec(`DELETE FROM nothing`) }, nil},
	"Insert": {func(tx *engine.Tx) {
		tx.Insert(new(int64), `INSERT INTO settings (name, value) VALUES ('a', 'twice') RETURNING 1`)
	}, nil},
	"Find":     {func(tx *engine.Tx) { tx.Row(`SELECT nothing`).Find(new(string)) }, nil},
	"Count":    {func(tx *engine.Tx) { tx.Count(`SELECT nothing`) }, nil},
	"view":     {func(tx *engine.Tx) { tx.In(context.Background()).Check(errFirst) }, errFirst},
	"IsFree":   {func(tx *engine.Tx) { engine.IsFree(tx, "a", `SELECT nothing`) }, nil},
	"Find row": {func(tx *engine.Tx) { engine.Find(tx, engine.ScanValue[string], `SELECT nothing`) }, nil},
}

// Whatever fails first, nothing is run afterwards, not even a statement that would
// succeed, and everything is rolled back.
func TestTheFirstErrorEndsATransaction(t *testing.T) {
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			before := errors.New("before")
			err := d.Write(t.Context(), func(tx *engine.Tx) {
				put(tx, "c", "3")
				f.fail(tx)
				before = tx.Err()
				for _, later := range failures {
					later.fail(tx)
				}
				nothingRuns(t, tx)
			})
			if err == nil || err != before {
				t.Errorf("%v, and after later failures %v", before, err)
			}
			if f.want != nil && !errors.Is(err, f.want) {
				t.Errorf("%v, want %v", err, f.want)
			}
			if got := names(t, d); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("%v are stored", got)
			}
		})
	}
}

// nothingRuns checks that the failed transaction reads nothing.
func nothingRuns(t *testing.T, tx *engine.Tx) {
	t.Helper()
	expect(t, "OK", tx.OK(), false)
	expect(t, "rows", tx.Exec(`UPDATE settings SET value = 'x'`), 0)
	id := int64(3)
	tx.Insert(&id, `INSERT INTO settings (name, value) VALUES ('d', 4) RETURNING 17`)
	expect(t, "id", id, 3)
	expect(t, "count", tx.Count(`SELECT 1 FROM settings`), 0)
	expect(t, "value", engine.Value[string](tx, `SELECT value FROM settings WHERE name = 'b'`), "")
	expect(t, "one", engine.One(tx, engine.ScanValue[string], selectNames), "")
	expect(t, "all", len(engine.All(tx, engine.ScanValue[string], selectNames)), 0)
	name := "unread"
	tx.Row(selectNames).Scan(&name)
	expect(t, "found", tx.Row(selectNames).Find(&name), false)
	tx.Each(func(*sql.Rows) error { name = "seen"; return nil }, selectNames)
	expect(t, "destination", name, "unread")
}

// A statement of a failed transaction is not sent to the database at all, where it could
// wait for a lock, or succeed.
func TestNothingIsSentAfterTheFirstError(t *testing.T) {
	d := open(t)
	_ = d.Write(t.Context(), func(tx *engine.Tx) {
		tx.Check(errFirst)
		for range 3 {
			put(tx, "c", "3")
		}
		put(tx, "a", "would be a conflict")
		if tx.Err() != errFirst {
			t.Error(tx.Err())
		}
	})
}

func TestErrorsSayWhatTheyAreAbout(t *testing.T) {
	d := open(t)
	err := d.Write(t.Context(), func(tx *engine.Tx) {
		inner := tx.About("task 7").About("cover 1")
		inner.Check(nil)
		inner.Check(sql.ErrNoRows)
		tx.About("later").Check(errFirst)
	})
	if err == nil || err.Error() != "task 7: cover 1: not found" || !errors.Is(err, db.ErrNotFound) {
		t.Error(err)
	}
	err = d.Write(t.Context(), func(tx *engine.Tx) {
		_ = tx.About("not this")
		tx.About("the setting").Exec(`INSERT INTO settings (name, value) VALUES ('a', 'twice')`)
	})
	if !errors.Is(err, db.ErrConflict) || !strings.HasPrefix(err.Error(), "the setting: ") {
		t.Error(err)
	}
	one, two := "", ""
	_ = d.Write(t.Context(), func(tx *engine.Tx) { // views of one view do not share what they add
		base := tx.About("base")
		first, second := base.About("one"), base.About("two")
		second.Check(errFirst)
		two = tx.Err().Error()
		_ = first
	})
	_ = d.Write(t.Context(), func(tx *engine.Tx) {
		base := tx.About("base").About("wide").About("deep") // a slice with room for a fourth
		first := base.About("one")
		_ = base.About("two")
		first.Check(errFirst)
		one = tx.Err().Error()
	})
	expect(t, "error", two, "base: two: first")
	expect(t, "error", one, "base: wide: deep: one: first")
}

// A row that cannot be read, or that the reader refuses, ends the reading, and what was
// read before is not returned.
func TestNothingIsReadAfterARowThatFails(t *testing.T) {
	d := open(t)
	const second = `SELECT CASE value WHEN '2' THEN json('{') ELSE value END FROM settings ORDER BY name`
	if err := d.Read(t.Context(), func(tx *engine.Tx) {
		if list := engine.All(tx, engine.ScanValue[string], second); list != nil {
			t.Error(list)
		}
	}); err == nil {
		t.Error("a row that cannot be read is no error")
	}
	calls := 0
	_ = d.Read(t.Context(), func(tx *engine.Tx) {
		tx.Each(func(*sql.Rows) error { calls++; return errFirst }, selectNames)
	})
	expect(t, "rows", calls, 1)
	_ = d.Read(t.Context(), func(tx *engine.Tx) {
		expect(t, "found", tx.Row(`SELECT nothing`).Find(new(string)), false)
	})
}

type contextKey struct{}

func TestAViewHasItsOwnContext(t *testing.T) {
	d := open(t)
	if err := d.Write(t.Context(), func(tx *engine.Tx) {
		view := tx.In(context.WithValue(tx.Context(), contextKey{}, "view"))
		expect(t, "context", view.Context().Value(contextKey{}), any("view"))
		expect(t, "context", tx.Context().Value(contextKey{}), nil)
		expect(t, "context", view.About("x").Context().Value(contextKey{}), any("view"))
		put(view, "c", "3")
	}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, d); len(got) != 3 {
		t.Error(got)
	}
}

// An engine that retries does a transaction several times, as Postgres does after a
// deadlock.
type retrying struct {
	engine.Engine
	errs []error
}

func (r *retrying) WriteRow(ctx context.Context, durably bool, table string, id int64, do func(*sql.Tx) error) (err error) {
	for range 3 {
		if err = r.Engine.WriteRow(ctx, durably, table, id, do); err == nil {
			break
		}
		r.errs = append(r.errs, err)
	}
	return err
}

func TestARetryBeginsWithoutAnError(t *testing.T) {
	d := open(t)
	r := &retrying{Engine: d.Engine}
	d.Engine = r
	attempts := 0
	if err := d.WriteRow(t.Context(), true, "settings", 1, func(tx *engine.Tx) {
		attempts++
		expect(t, "OK", tx.OK(), true)
		expect(t, "count", tx.Count(`SELECT 1 FROM settings`), 2) // the earlier attempt is rolled back
		put(tx, "c", "3")
		tx.Require(attempts == 3, errFirst)
	}); err != nil {
		t.Fatal(err)
	}
	if attempts != 3 || len(r.errs) != 2 || r.errs[0] != errFirst || r.errs[1] != errFirst {
		t.Errorf("%d attempts, the engine has seen %v", attempts, r.errs)
	}
	if got := names(t, d); len(got) != 3 {
		t.Error(got)
	}
}

// What the disk refuses is tried again with an empty transaction, too.
func TestAFullDiskIsSeenThroughATransaction(t *testing.T) {
	d := open(t)
	limit := func(pages string) {
		if _, err := d.Writes.ExecContext(t.Context(), `PRAGMA max_page_count = `+pages); err != nil {
			t.Fatal(err)
		}
	}
	attempts := 0
	d.FreeSpace = func() bool { limit("100000"); return true }
	limit("1") // means the pages that there are
	if err := d.WriteAccess(t.Context(), func(tx *engine.Tx) {
		attempts++
		expect(t, "OK", tx.OK(), true)
		tx.Exec(`INSERT INTO settings (name, value) VALUES ('large', hex(zeroblob(1000000)))`)
		put(tx, "c", "3")
	}); err != nil {
		t.Fatal(err)
	}
	expect(t, "attempts", attempts, 3) // after the log was reused, and after room was freed
	if got := names(t, d); len(got) != 4 {
		t.Error(got)
	}
}

func TestAnEndedContextIsSeenThroughATransaction(t *testing.T) {
	d := open(t)
	ctx, stop := context.WithCancel(t.Context())
	err := d.Write(ctx, func(tx *engine.Tx) {
		put(tx, "c", "3")
		stop()
		put(tx, "d", "4")
		if !errors.Is(tx.Err(), context.Canceled) {
			t.Error(tx.Err())
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := names(t, d); len(got) != 2 {
		t.Error(got)
	}
}

func TestAPanicRollsBack(t *testing.T) {
	d := open(t)
	func() {
		defer func() { _ = recover() }()
		_ = d.Write(t.Context(), func(tx *engine.Tx) {
			put(tx, "c", "3")
			panic("of the test")
		})
	}()
	if got := names(t, d); len(got) != 2 {
		t.Error(got)
	}
}

func TestReadingKeepsItsFirstError(t *testing.T) {
	d := open(t)
	look := d.Reading(t.Context())
	expect(t, "count", look.Count(selectNames), 2)
	engine.Value[string](look, `SELECT nothing`)
	expect(t, "OK", look.OK(), false)
	expect(t, "count", look.Count(selectNames), 0)
}

func TestSingleStatements(t *testing.T) {
	d := open(t)
	rows, err := d.Exec(t.Context(), `UPDATE settings SET value = 'x'`)
	if err != nil || rows != 2 {
		t.Error(rows, err)
	}
	if err := d.ExecOr(t.Context(), errFirst, `UPDATE settings SET value = 'x' WHERE name = 'z'`); err != errFirst {
		t.Error(err)
	}
	if err := d.ExecOr(t.Context(), errFirst, `UPDATE settings SET value = 'x' WHERE name = 'a'`); err != nil {
		t.Error(err)
	}
	if err := d.ExecOr(t.Context(), errFirst, `UPDATE nothing SET value = 'x'`); err == nil || err == errFirst {
		t.Error(err)
	}
}

func TestALockedDatabaseAndAServerThatIsAwayAreBusy(t *testing.T) {
	for state, busy := range map[string]bool{"55P03": true, "57P01": true, "08006": true, "53300": true, "23505": false, "42P01": false, "53100": false} {
		if got := engine.IsBusy(fmt.Errorf("a note: %w", &pgconn.PgError{Code: state})); got != busy {
			t.Errorf("%s: %v", state, got)
		}
	}
	if !engine.IsBusy(fmt.Errorf("a note: %w", &pgconn.ConnectError{Config: &pgconn.Config{}})) || engine.IsBusy(errors.New("else")) || engine.IsBusy(nil) {
		t.Error("a server that is away is not known")
	}
}
