package aside_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/aside"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 5e6, time.UTC)

func note(id int64, body string) aside.Note {
	return aside.Note{
		Reply: db.Reply{
			TaskID: id, SentAt: noon, At: noon.Add(time.Second), State: db.Pending, Next: noon.Add(time.Minute),
			Report: db.Report{RemoteID: "r“1”", UpstreamID: "u", Status: "pending", Progress: 0.5, Charged: db.CreditsOf(30),
				Results: []db.Result{{Kind: db.Video, URL: "https://example.com/v.mp4"}}},
		},
		Answers: []db.Answer{{TaskID: id, Call: "create", Status: "pending", HTTP: 200, Body: body, At: noon}},
	}
}

func TestNotesAreReadBackWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answers [1]*")
	f := aside.In(dir)
	if notes, err := f.All(); len(notes) > 0 || err != nil {
		t.Fatalf("before the first: %v, %v", notes, err)
	}
	must(t, f.Put(note(7, "old")))
	must(t, f.Put(note(7, "{}")))
	must(t, f.Put(note(8, strings.Repeat("é", 20_000))))
	notes, err := f.All()
	must(t, err)
	if len(notes) != 2 || !reflect.DeepEqual(notes[0], note(7, "{}")) || len(notes[1].Answers[0].Body) > 16<<10 {
		t.Errorf("got %+v", notes)
	}
	info, err := os.Stat(filepath.Join(dir, "7.json"))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others can read it: %v", info.Mode())
	}
	must(t, f.Remove(7))
	must(t, f.Remove(7))
	if notes, _ := f.All(); len(notes) != 1 {
		t.Errorf("%d are left", len(notes))
	}
}

func TestInvalidNotesAreReportedAndLeftInPlace(t *testing.T) {
	dir := t.TempDir()
	f := aside.In(dir)
	must(t, f.Put(note(7, "{}")))
	for name, text := range map[string]string{"8.json": "{", "9.json": "{}", "10.json": strings.Repeat(" ", 2<<20), "11.json.begun": "{"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	notes, err := f.All()
	if len(notes) != 1 || err == nil {
		t.Fatalf("%d notes, %v", len(notes), err)
	}
	for _, name := range []string{"8.json", "9.json", "10.json"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not told of in %q", name, err)
		}
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 5 {
		t.Errorf("left %q", left)
	}
}

// /dev/full refuses every write, like a full disk.
func TestNoteOnAFullDiskLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink("/dev/full", filepath.Join(dir, "7.json.begun")))
	if err := aside.In(dir).Put(note(7, "{}")); err == nil {
		t.Fatal("it is put on a full disk")
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 0 {
		t.Errorf("left %q", left)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"Reply":{"TaskID":1,"SentAt":"2026-11-03T12:00:00Z"}}`))
	f.Add([]byte(`{"Reply":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if n, err := aside.Parse(text); err == nil && n.Reply.TaskID <= 0 {
			t.Errorf("a note of no task: %q", text)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
