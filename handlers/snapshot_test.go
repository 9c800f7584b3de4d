package handlers_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"modernc.org/sqlite"
)

// A snapshot is a copy of an SQLite database to which the original can be set back.
type snapshot struct {
	conn    *sql.Conn // of the original
	copy    string
	tables  []string
	version int // of the original, as SQLite counts the commits of other connections
	writes  int // by refresh
	steady  steadier
	rows    *sql.Stmt         // reads the rows of all tables
	last    []string          // what it read last
	dumped  map[string]string // and what that became, by table

	index *os.File // the wal-index of the original
	saved walIndex // when it was as it is set back to
}

// A walIndex is the beginning of SQLite's wal-index: twice the header, and how many pages of
// the log are copied into the file of the database (https://www.sqlite.org/walformat.html).
type walIndex [100]byte

func (w walIndex) header() []byte { return w[:96] }
func (w walIndex) salt() []byte   { return w[32:40] } // another one when the log begins anew
func (w walIndex) pages() uint32  { return binary.NativeEndian.Uint32(w[16:]) }
func (w walIndex) copied() uint32 { return binary.NativeEndian.Uint32(w[96:]) }

func newSnapshot(t *testing.T, database string) *snapshot {
	t.Helper()
	pool, err := sql.Open("sqlite", "file:"+database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	t.Cleanup(func() { _ = pool.Close() })
	conn, err := pool.Conn(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	s := &snapshot{conn: conn, steady: steadier{}, copy: t.TempDir() + "/copy.db"}
	_, err = conn.ExecContext(t.Context(), `INSERT INTO settings (name, value) VALUES ('refreshed', '')`)
	must(t, err)
	_, err = conn.ExecContext(t.Context(), `VACUUM INTO ?`, s.copy)
	must(t, err)
	rows, err := conn.QueryContext(t.Context(), `
		SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		s.tables = append(s.tables, name)
	}
	must(t, rows.Err())
	s.rows, err = conn.PrepareContext(t.Context(), rowsOf(t, conn, s.tables))
	must(t, err)
	t.Cleanup(func() { _ = s.rows.Close() })
	// It stays open: closing it would release the locks that SQLite holds on it.
	s.index, err = os.OpenFile(database+"-shm", os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { _ = s.index.Close() })
	s.save(t)
	return s
}

// save remembers how the database is now. The log has something in it then, so that it goes
// on where it is, and does not begin anew.
func (s *snapshot) save(t *testing.T) {
	t.Helper()
	var busy, log, copied int
	must(t, s.conn.QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &copied))
	s.refresh(t)
	s.saved = s.read(t)
	if busy != 0 || s.saved.pages() == 0 || s.saved.copied() != 0 {
		t.Fatalf("the log has %d pages, of which %d are copied; busy: %d", s.saved.pages(), s.saved.copied(), busy)
	}
	s.version = s.counter(t)
}

// read reads the wal-index.
func (s *snapshot) read(t *testing.T) (w walIndex) {
	t.Helper()
	_, err := s.index.ReadAt(w[:], 0)
	must(t, err)
	return w
}

func (s *snapshot) counter(t *testing.T) (n int) {
	t.Helper()
	must(t, s.conn.QueryRowContext(t.Context(), `PRAGMA data_version`).Scan(&n))
	return n
}

// changed reports whether anything was committed since the database was set back.
func (s *snapshot) changed(t *testing.T) bool {
	t.Helper()
	return s.counter(t) != s.version
}

// restore sets the database back. What was committed meanwhile stands in the log behind what
// was there before. Without its entry in the header of the wal-index, SQLite takes it for the
// remains of a process that was killed before it committed them, and writes over them. That
// takes as little time for a large database as for a small one.
func (s *snapshot) restore(t *testing.T) {
	t.Helper()
	if now := s.read(t); !bytes.Equal(now.salt(), s.saved.salt()) || now.copied() != 0 {
		s.copyBack(t) // the log has begun anew
		return
	}
	for _, at := range []int64{48, 0} { // the second copy of the header first, as SQLite does
		_, err := s.index.WriteAt(s.saved.header()[at:at+48], at)
		must(t, err)
	}
	s.version = s.counter(t)
}

// copyBack copies the snapshot into the database.
func (s *snapshot) copyBack(t *testing.T) {
	t.Helper()
	must(t, s.conn.Raw(func(c any) error {
		b, err := c.(interface {
			NewRestore(from string) (*sqlite.Backup, error)
		}).NewRestore("file:" + s.copy)
		if err != nil {
			return err
		}
		if _, err := b.Step(-1); err != nil {
			return err
		}
		return b.Finish()
	}))
	s.save(t)
}

// refresh commits a write that changes nothing, after which the app trusts nothing that it
// remembers of the database.
func (s *snapshot) refresh(t *testing.T) {
	t.Helper()
	s.writes++
	_, err := s.conn.ExecContext(t.Context(), `UPDATE settings SET value = ? WHERE name = 'refreshed'`, fmt.Sprintf("%06d", s.writes))
	must(t, err)
}

var (
	times  = regexp.MustCompile(`\b(9[0-9]{11}|[0-9]{13})\b`)
	tokens = regexp.MustCompile(
		`\$argon2\S+|whsec_[A-Za-z0-9+/]+|last_four=\w+|after=…\w{4}|[A-Z2-7]{26,28}|[0-9a-f]{32,}|[A-Za-z0-9_-]{40,}`,
	)
	stamps = regexp.MustCompile(`stamp=\d+|files/\d+\.\d+\.\d+\.\d+|name=refreshed value=\w*|(last_scene|seen_at)=\S*`)
	zoned  = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z?`)
)

// A steadier replaces what differs between two runs of the same request: times and random
// tokens. It holds the pieces of texts that it has seen, with what became of them, because
// most pieces come again.
type steadier map[string]string

// text returns the text, whose pieces end with a tag or a line.
func (s steadier) text(text string) string {
	var b strings.Builder
	for text != "" {
		piece := text
		if end := strings.IndexAny(text, ">\n"); end >= 0 {
			piece = text[:end+1]
		}
		text = text[len(piece):]
		known, ok := s[piece]
		if !ok {
			known = piece
			for _, r := range []*regexp.Regexp{stamps, times, tokens, zoned} {
				known = r.ReplaceAllString(known, "…")
			}
			s[strings.Clone(piece)] = known
		}
		b.WriteString(known)
	}
	return b.String()
}

// rowsOf returns the statement that reads the rows of the tables, one text per table with a
// line per row. SQLite makes them, because the race detector watches whatever Go does.
func rowsOf(t *testing.T, conn *sql.Conn, tables []string) string {
	t.Helper()
	var all []string
	for _, table := range tables {
		var line string
		must(t, conn.QueryRowContext(t.Context(), `
			SELECT group_concat(format('''%w=''||CASE typeof("%w") WHEN ''null'' THEN ''NULL'' WHEN ''blob'' THEN length("%w")||'' bytes'' ELSE "%w" END',
				name, name, name, name), '||'' ''||')
			FROM pragma_table_xinfo(?) WHERE hidden <> 1`, table).Scan(&line))
		all = append(all, fmt.Sprintf(
			`(SELECT coalesce(group_concat(line, ''), '') FROM (SELECT %s||char(32, 10) AS line FROM "%s"))`, line, table,
		))
	}
	return "SELECT " + strings.Join(all, ", ")
}

// dump returns the rows of every table, without what differs between two runs.
func (s *snapshot) dump(t *testing.T) map[string]string {
	t.Helper()
	texts, places := make([]string, len(s.tables)), make([]any, len(s.tables))
	for i := range texts {
		places[i] = &texts[i]
	}
	must(t, s.rows.QueryRowContext(t.Context()).Scan(places...))
	all := map[string]string{}
	for i, table := range s.tables {
		if s.dumped != nil && texts[i] == s.last[i] {
			all[table] = s.dumped[table] // most tables stay as they are
		} else {
			all[table] = s.steady.text(texts[i])
		}
	}
	s.last, s.dumped = texts, all
	return all
}

// difference returns the lines of the tables in which two dumps differ, by table.
func difference(want, got map[string]string) map[string]string {
	found := map[string]string{}
	for table := range want {
		if want[table] != got[table] {
			found[table] = lines(want[table], got[table])
		}
	}
	return found
}

// lines returns the lines of which only one of the texts has so many, at most six.
func lines(want, got string) string {
	counts := map[string]int{}
	for l := range strings.Lines(want) {
		counts[l]--
	}
	for l := range strings.Lines(got) {
		counts[l]++
	}
	var text []string
	for l, n := range counts {
		if n != 0 && len(text) < 6 {
			text = append(text, fmt.Sprintf("%+d %.300s", n, strings.TrimSpace(l)))
		}
	}
	return strings.Join(text, "\n")
}
