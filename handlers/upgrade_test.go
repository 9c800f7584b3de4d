package handlers_test

import (
	"archive/zip"
	"database/sql"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/handlers/handlerstest"
)

// legacy describes testdata/yesterday.zip: a data folder that the program made
// before tokens were sealed, e-mail addresses and passwords normalised, and the
// cookie renamed. It ran with the secret of handlerstest and with the sandbox, and
// was stopped while one video was being made. What the sandbox had rendered is
// left out; the copies that were kept are in it.
type legacy struct {
	dir    string
	Made   int64 // unix milliseconds
	People []legacyPerson
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

type legacyPerson struct {
	Name, Email, Password, Note string
	Session                     string // the token in this person's cookie
}

// yesterday unpacks the folder. Its times are moved as if it had been stopped
// just now, so that nothing in it has expired however old the test is.
func yesterday(t testing.TB) *legacy {
	t.Helper()
	l := &legacy{dir: t.TempDir()}
	archive, err := zip.OpenReader("testdata/yesterday.zip")
	must(t, err)
	defer archive.Close()
	for _, f := range archive.File {
		if !f.FileInfo().IsDir() {
			unpack(t, f, filepath.Join(l.dir, f.Name))
		}
	}
	people, err := os.ReadFile(filepath.Join(l.dir, "people.json"))
	must(t, err)
	must(t, json.Unmarshal(people, l))
	age := time.Now().UnixMilli() - l.Made
	later(t, filepath.Join(l.dir, "dailies.db"), age)
	// Meanwhile the service went on with the video that was being made.
	later(t, filepath.Join(l.dir, "sandbox/sandbox.db"), age, `UPDATE job SET due_at = 1 WHERE ended_at = 0`)
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

// person finds somebody of the folder by what is special about them.
func (l *legacy) person(t testing.TB, note string) legacyPerson {
	t.Helper()
	i := slices.IndexFunc(l.People, func(p legacyPerson) bool { return p.Note == note })
	if i < 0 {
		t.Fatalf("nobody in the folder is %q", note)
	}
	return l.People[i]
}

// oldBrowser is a browser that still has the cookie the program gave it then.
func oldBrowser(t testing.TB, h *handlerstest.Server, who legacyPerson) *handlerstest.Browser {
	t.Helper()
	p := h.Stranger(t)
	at, err := url.Parse(h.URL)
	must(t, err)
	p.Jar.SetCookies(at, handlerstest.OldCookies(t, who.Session))
	return p
}

func TestYesterdaysFolderOpens(t *testing.T) {
	l := yesterday(t)
	h := handlerstest.NewAt(t, l.dir)
	admin := oldBrowser(t, h, l.person(t, "admin"))
	admin.Get("/gallery").Is(200).Shows("The harbour at dusk", "A quiet room").Hides("Into the bin")
	admin.Get("/bin").Is(200).Shows("Into the bin")
	admin.Get("/recipes").Is(200).Shows("Harbour")
	admin.Get("/collections").Is(200).Shows("Spring")
	admin.Get("/tasks/2").Is(200)
	admin.Get("/media/1").Is(200)

	stranger := h.Stranger(t)
	for _, s := range l.Shares {
		want := 200
		if s.Title == "Taken back" {
			want = 404
		}
		stranger.Get("/share/" + s.Token).Is(want)
	}
	_, picture, _ := strings.Cut(l.Picture, "dailies.invalid")
	stranger.Get(picture).Is(200)
	for _, p := range l.People {
		if p.Note == "119 Cyrillic letters" {
			continue
		}
		h.Stranger(t).Post("/login", url.Values{"email": {p.Email}, "password": {p.Password}}).Is(303).LeadsTo("/")
	}
	// What was being made goes on with the key that it was sent with.
	oldBrowser(t, h, l.person(t, "password in NFD")).Post("/settings/key/delete", nil).Is(303)
	h.Run(t)
	for _, task := range l.Tasks {
		if task.State == "processing" {
			h.Reaches(t, task.ID, "success")
		}
	}
}
