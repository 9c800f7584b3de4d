package handlerstest

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"embed"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A Legacy is a data folder that an earlier version of the program made. It ran
// with the secret of handlerstest and with the sandbox, and was stopped while
// videos were being made. What the sandbox had rendered is left out; the copies
// that were kept are in it.
type Legacy struct {
	Dir    string
	Made   int64 // unix milliseconds
	People []LegacyPerson
	Shares []struct {
		ID           int64
		Title, Token string
	}
	Picture, Unused string // addresses of Kim's two uploads; a video and a recipe use the first
	Tasks           []struct {
		ID                     int64
		State, Keeping, Prompt string
	}
}

// A LegacyPerson is somebody with an account in that folder.
type LegacyPerson struct {
	Name, Email, Password, Note string
	Session                     string // the token in this person's cookie
}

//go:embed testdata/*.zip
var legacies embed.FS

// Yesterday unpacks a folder from before tokens were sealed, e-mail addresses and
// passwords normalised, and the cookie renamed.
func Yesterday(t testing.TB) *Legacy {
	t.Helper()
	return legacy(t, "yesterday.zip")
}

// FirstDesign unpacks a folder of the last version with the first design, whose
// schema was 011. It has one of everything that a team makes. Its videos are of
// 480p, drawn at a fifth of that and one second long.
func FirstDesign(t testing.TB) *Legacy {
	t.Helper()
	l := legacy(t, "first_design.zip")
	later(t, filepath.Join(l.Dir, "dailies.db"), 0, `UPDATE tasks SET day = (created_at + 9*3600000) / 86400000`) // in Tokyo
	return l
}

// legacy moves the folder's times as if it had been stopped just now, so that
// nothing in it has expired however old the test is.
func legacy(t testing.TB, name string) *Legacy {
	t.Helper()
	l := &Legacy{Dir: t.TempDir()}
	content, err := legacies.ReadFile("testdata/" + name)
	must(t, err)
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	for _, f := range archive.File {
		if !f.FileInfo().IsDir() {
			unpack(t, f, filepath.Join(l.Dir, f.Name))
		}
	}
	people, err := os.ReadFile(filepath.Join(l.Dir, "people.json"))
	must(t, err)
	must(t, json.Unmarshal(people, l))
	age := time.Now().UnixMilli() - l.Made
	later(t, filepath.Join(l.Dir, "dailies.db"), age)
	// Meanwhile the service went on with the videos that were being made.
	later(t, filepath.Join(l.Dir, "sandbox/sandbox.db"), age, `UPDATE job SET due_at = 1 WHERE ended_at = 0`)
	return l
}

func unpack(t testing.TB, f *zip.File, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	in, err := f.Open()
	must(t, err)
	defer in.Close()
	b, err := io.ReadAll(in)
	must(t, err)
	must(t, os.WriteFile(path, b, 0o600))
}

// later adds the milliseconds to every time in the database, and then makes the
// other changes.
func later(t testing.TB, path string, age int64, more ...string) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer d.Close()
	rows, err := d.Query(`
		SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.sql LIKE '%STRICT%'
			AND (c.name LIKE '%\_at' ESCAPE '\' OR c.name IN ('at', 'leased_until'))`)
	must(t, err)
	var changes []string
	for rows.Next() {
		var table, column string
		must(t, rows.Scan(&table, &column))
		changes = append(changes, `UPDATE "`+table+`" SET "`+column+`" = "`+column+`" + ? WHERE "`+column+`" > 0`)
	}
	must(t, rows.Err())
	if len(changes) < 5 {
		t.Fatalf("%s: only %d columns of times", path, len(changes))
	}
	for _, change := range changes {
		_, err := d.Exec(change, age)
		must(t, err)
	}
	for _, change := range more {
		_, err := d.Exec(change)
		must(t, err)
	}
}

// Person finds somebody of the folder by what is special about them.
func (l *Legacy) Person(t testing.TB, note string) LegacyPerson {
	t.Helper()
	i := slices.IndexFunc(l.People, func(p LegacyPerson) bool { return p.Note == note })
	if i < 0 {
		t.Fatalf("nobody in the folder is %q", note)
	}
	return l.People[i]
}

// OldBrowser returns a browser that still has the cookie the program gave it then.
func OldBrowser(t testing.TB, h *Server, who LegacyPerson) *Browser {
	t.Helper()
	p := h.Stranger(t)
	at, err := url.Parse(h.URL)
	must(t, err)
	p.Jar.SetCookies(at, OldCookies(t, who.Session))
	return p
}
