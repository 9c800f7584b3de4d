package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db/store/sqlite"
)

// pool opens a database with the table n, which contains the numbers 1 to 100.
func pool(tb testing.TB, connections int) *sql.DB {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "n.db")
	p, err := sqlite.OpenPool("file:" + path + "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)")
	must(tb, err)
	p.SetMaxOpenConns(connections)
	p.SetMaxIdleConns(connections)
	tb.Cleanup(func() {
		must(tb, p.Close())
		stillOpen(tb, path)
	})
	_, err = p.Exec(`CREATE TABLE n (i INTEGER PRIMARY KEY, square INTEGER UNIQUE) STRICT;
		WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100)
		INSERT INTO n SELECT i, i * i FROM c`)
	must(tb, err)
	return p
}

// stillOpen fails the test if the process still has the file open: a connection
// that is closed before its statements stays open and keeps its memory.
func stillOpen(tb testing.TB, path string) {
	tb.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	open, err := os.ReadDir("/proc/self/fd")
	must(tb, err)
	for _, f := range open {
		if name, _ := os.Readlink("/proc/self/fd/" + f.Name()); strings.HasPrefix(name, path) {
			tb.Errorf("%s is still open", name)
		}
	}
}

func one(tb testing.TB, p *sql.DB) *sql.Conn {
	tb.Helper()
	c, err := p.Conn(tb.Context())
	must(tb, err)
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// number runs a query that returns one number.
func number(tb testing.TB, c interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, text string, args ...any) (n int) {
	tb.Helper()
	must(tb, c.QueryRowContext(tb.Context(), text, args...).Scan(&n))
	return n
}

func TestAStatementIsParsedOnce(t *testing.T) {
	c := one(t, pool(t, 1))
	var first int
	for i := range 100 {
		if n := number(t, c, `SELECT square FROM n WHERE i = ?`, i+1); n != (i+1)*(i+1) {
			t.Fatalf("%d squared is %d", i+1, n)
		}
		_, err := c.ExecContext(t.Context(), `UPDATE n SET square = square WHERE i = ?`, i+1)
		must(t, err)
		statements, bytes, err := sqlite.Kept(c)
		must(t, err)
		if i == 0 {
			first = bytes
		}
		if statements != 2 || bytes == 0 || bytes > first+1000 {
			t.Fatalf("after %d times there are %d statements of %d bytes, at first %d", i+1, statements, bytes, first)
		}
	}
}

func TestAStatementInUseIsNotUsedTwice(t *testing.T) {
	p := pool(t, 1)
	tx, err := p.BeginTx(t.Context(), nil)
	must(t, err)
	defer tx.Rollback()
	const text = `SELECT i FROM n WHERE i > ? ORDER BY i`
	outer, err := tx.QueryContext(t.Context(), text, 90)
	must(t, err)
	var seen []int
	for outer.Next() {
		var i, within int
		must(t, outer.Scan(&i))
		must(t, tx.QueryRowContext(t.Context(), text, 50).Scan(&within))
		seen = append(seen, i*1000+within)
	}
	must(t, errors.Join(outer.Err(), outer.Close()))
	if len(seen) != 10 || seen[0] != 91051 || seen[9] != 100051 {
		t.Errorf("seen %d", seen)
	}
	must(t, tx.Commit())
	if statements, _, err := sqlite.Kept(one(t, p)); statements != 1 || err != nil {
		t.Errorf("%d statements are kept, %v", statements, err)
	}
}

func TestFewStatementsAreKept(t *testing.T) {
	c := one(t, pool(t, 1))
	var most int
	for i := range 5 * sqlite.MostPrepared {
		number(t, c, `SELECT 1`)
		number(t, c, fmt.Sprintf(`SELECT count(*) FROM n WHERE i <> %d`, i))
		statements, bytes, err := sqlite.Kept(c)
		must(t, err)
		if statements > sqlite.MostPrepared {
			t.Fatalf("%d statements are kept", statements)
		}
		if i < 2*sqlite.MostPrepared {
			most = max(most, bytes)
		} else if bytes > most*11/10 {
			t.Fatalf("%d bytes, before at most %d", bytes, most)
		}
	}
}

func TestAQueryThatIsCutOffLeavesNoTrace(t *testing.T) {
	p := pool(t, 1)
	const text = `WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) SELECT sum(i) FROM c`
	for range 3 {
		for name, run := range map[string]func(context.Context) error{
			"query": func(ctx context.Context) error {
				var n int
				return p.QueryRowContext(ctx, text, int64(1e12)).Scan(&n)
			},
			"exec": func(ctx context.Context) error {
				_, err := p.ExecContext(ctx, `WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) DELETE FROM n WHERE i = (SELECT -sum(i) FROM c)`, int64(1e12))
				return err
			},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			err := run(ctx) // which would count for hours
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			if n := number(t, p, text, 100); n != 5050 {
				t.Errorf("after %s the sum is %d", name, n)
			}
		}
	}
	if n := number(t, p, `SELECT count(*) FROM n`); n != 100 {
		t.Errorf("%d rows", n)
	}
}

func TestRowsThatNobodyReadsHoldNothing(t *testing.T) {
	p := pool(t, 2)
	reader, writer := one(t, p), one(t, p)
	number(t, reader, `SELECT i FROM n`) // one of a hundred
	tx, err := reader.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	must(t, err)
	left, err := tx.QueryContext(t.Context(), `SELECT i FROM n`)
	must(t, err)
	if !left.Next() {
		t.Fatal(left.Err())
	}
	must(t, tx.Rollback()) // closes the rows
	_, err = writer.ExecContext(t.Context(), `UPDATE n SET square = -i`)
	must(t, err)
	var busy, log, done int
	must(t, writer.QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &done))
	if busy != 0 {
		t.Error("an old state of the database is still held")
	}
	if n := number(t, reader, `SELECT min(square) FROM n`); n != -100 {
		t.Errorf("the reader sees %d", n)
	}
}

func TestAFailedStatementFailsAsBefore(t *testing.T) {
	c := one(t, pool(t, 1))
	plain, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "plain.db"))
	must(t, err)
	defer plain.Close()
	_, err = plain.Exec(`CREATE TABLE n (i INTEGER PRIMARY KEY, square INTEGER UNIQUE) STRICT; INSERT INTO n VALUES (1, 1)`)
	must(t, err)
	for _, s := range []struct {
		text string
		args []any
	}{
		{`INSERT INTO n VALUES (?, ?)`, []any{1, 1}},
		{`INSERT INTO n VALUES (1, ?) RETURNING i`, []any{5}},
		{`INSERT INTO n VALUES (?, ?)`, []any{200, "text"}},
		{`INSERT INTO n VALUES (?, ?)`, []any{300}},
		{`SELECT nothing FROM n`, nil},
		{`SELECT FROM`, nil},
		{`SELECT json_extract(?, '$')`, []any{"{"}},
		{`SELECT json_extract(iif(i < 5, '1', '{'), '$') FROM n UNION ALL SELECT json_extract('{', '$')`, nil},
	} {
		for range 2 {
			_, want := plain.ExecContext(t.Context(), s.text, s.args...)
			_, got := c.ExecContext(t.Context(), s.text, s.args...)
			if want == nil || got == nil || got.Error() != want.Error() {
				t.Errorf("%s: %v, want %v", s.text, got, want)
			}
			rows, got := c.QueryContext(t.Context(), s.text, s.args...)
			if got == nil {
				for rows.Next() {
				}
				got = rows.Err()
			}
			if got == nil || got.Error() != want.Error() {
				t.Errorf("%s: the query says %v, want %v", s.text, got, want)
			}
		}
		if n := number(t, c, `SELECT count(*) FROM n`); n != 100 {
			t.Fatalf("%s: %d rows", s.text, n)
		}
		if statements, _, err := sqlite.Kept(c); statements != 1 || err != nil { // the count just above
			t.Errorf("%s: %d statements are kept, %v", s.text, statements, err)
		}
	}
	_, err = c.ExecContext(t.Context(), `INSERT INTO n VALUES (?, ?)`, 101, 101*101)
	must(t, err)
}

func TestANewColumnIsSeen(t *testing.T) {
	p := pool(t, 2)
	reader, writer := one(t, p), one(t, p)
	columns := func() []string {
		rows, err := reader.QueryContext(t.Context(), `SELECT * FROM n WHERE i = 1`)
		must(t, err)
		defer rows.Close()
		names, err := rows.Columns()
		must(t, err)
		return names
	}
	if got, want := columns(), []string{"i", "square"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	_, err := writer.ExecContext(t.Context(), `ALTER TABLE n ADD COLUMN cube INTEGER`)
	must(t, err)
	if got, want := columns(), []string{"i", "square", "cube"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A pragma takes effect while it is parsed, and a script is more than one
// statement, so neither may be kept.
func TestPragmasAndScriptsRunEachTime(t *testing.T) {
	c := one(t, pool(t, 1))
	for _, level := range []string{"FULL", "NORMAL", "FULL", "NORMAL"} {
		_, err := c.ExecContext(t.Context(), `PRAGMA synchronous = `+level)
		must(t, err)
		if n, want := number(t, c, `PRAGMA synchronous`), map[string]int{"NORMAL": 1, "FULL": 2}[level]; n != want {
			t.Errorf("set to %s it is %d", level, n)
		}
		_, err = c.ExecContext(t.Context(), `UPDATE n SET square = square + 1000000 WHERE i = 1; UPDATE n SET square = square + 1000000 WHERE i = 2`)
		must(t, err)
	}
	if n := number(t, c, `SELECT sum(square) FROM n WHERE i < 3`); n != 8_000_005 {
		t.Errorf("the sum is %d", n)
	}
	if statements, _, err := sqlite.Kept(c); statements != 1 || err != nil {
		t.Errorf("%d statements are kept, %v", statements, err)
	}
}

// Many goroutines run the same query at once, and some are cancelled; each must get
// its own result.
func TestManyUseOneStatement(t *testing.T) {
	p := pool(t, 4)
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			for range 60 {
				ctx, cancel := context.WithCancel(t.Context())
				gone := rand.IntN(4) == 0
				if gone {
					time.AfterFunc(time.Duration(rand.IntN(200))*time.Microsecond, cancel)
				}
				from, sum := rand.IntN(100), 0
				rows, err := p.QueryContext(ctx, `SELECT i FROM n WHERE i > ? ORDER BY i`, from)
				if err == nil {
					for rows.Next() {
						var i int
						if err := rows.Scan(&i); err == nil {
							sum += i
						}
					}
					err = errors.Join(rows.Err(), rows.Close())
				}
				cancel()
				if want := 5050 - from*(from+1)/2; err == nil && sum != want && !gone {
					t.Errorf("the sum from %d is %d, want %d", from, sum, want)
				} else if err != nil && !gone {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := number(t, p, `SELECT count(i) FROM n`); n != 100 {
		t.Errorf("%d rows", n)
	}
}

// A bare parameter as limit makes SQLite parse the statement again each time it is
// bound; "? + 0" does not.
func TestNoLimitIsABareParameter(t *testing.T) {
	bare := regexp.MustCompile(`(?i)\b(limit|offset)\s+(?:[?@$]\w*|:\w+)(\s*\+ 0)?`)
	seen := 0
	for _, dir := range []string{"..", "../teamdb", "../people", "../video", "../sample", "../../../web/videoapi/sandbox"} {
		sources, err := filepath.Glob(dir + "/*.go")
		must(t, err)
		for _, name := range sources {
			text, err := os.ReadFile(name)
			must(t, err)
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, m := range bare.FindAllSubmatch(text, -1) {
				if seen++; len(m[2]) == 0 {
					t.Errorf("%s: %s", name, m[0])
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d limits were found", seen)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
