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

// A Legacy is a data folder made by an earlier version of the program. That version ran
// with the secret of handlerstest and with the sandbox, and was stopped while videos
// were being made. The folder does not contain the sandbox's rendered files, but it
// does contain the copies that the program stored.
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

// A LegacyPerson is a user of that folder.
type LegacyPerson struct {
	Name, Email, Password, Note string
	Session                     string // the token in this person's cookie
}

//go:embed testdata/*.zip
var legacies embed.FS

// Yesterday unpacks a folder from before tokens were encrypted, e-mail addresses and
// passwords were normalised, and the cookie was renamed.
func Yesterday(t testing.TB) *Legacy {
	t.Helper()
	return legacy(t, "yesterday.zip")
}

// FirstDesign unpacks a folder of the last version with the first design, whose schema
// was 011. It has one of everything that a team makes. Its videos claim to be 480p;
// they are drawn at a fifth of that, one second long.
func FirstDesign(t testing.TB) *Legacy {
	t.Helper()
	l := legacy(t, "first_design.zip")
	later(t, filepath.Join(l.Dir, "dailies.db"), 0, `UPDATE tasks SET day = (created_at + 9*3600000) / 86400000`) // the days of Tokyo's time zone
	return l
}

// legacy unpacks the archive and moves all its times as if the program had been stopped
// just now, so that nothing in it has expired.
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
	// The service has finished the videos that were being made.
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

// later adds age, in milliseconds, to every time in the database, and then executes the
// other statements.
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

// Person returns the user with the note.
func (l *Legacy) Person(t testing.TB, note string) LegacyPerson {
	t.Helper()
	i := slices.IndexFunc(l.People, func(p LegacyPerson) bool { return p.Note == note })
	if i < 0 {
		t.Fatalf("nobody in the folder is %q", note)
	}
	return l.People[i]
}

// OldBrowser returns a browser with the cookie that the earlier version gave to the
// user.
func OldBrowser(t testing.TB, h *Server, who LegacyPerson) *Browser {
	t.Helper()
	p := h.Stranger(t)
	at, err := url.Parse(h.URL)
	must(t, err)
	p.Jar.SetCookies(at, OldCookies(t, who.Session))
	return p
}
