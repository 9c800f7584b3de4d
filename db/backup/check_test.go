package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/cast"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/postgres/postgrestest"
)

func TestCheckFindsWhatIsWrong(t *testing.T) {
	old := time.Now().Add(-2 * time.Hour)
	path := func(h *dataFolder, hash string) string { return h.dir + "/media/" + hash[:2] + "/" + hash[2:] }
	for name, tt := range map[string]struct {
		harm func(t *testing.T, h *dataFolder, first db.Task)
		says string // part of the report; empty if all is well
	}{
		"all is well": {func(*testing.T, *dataFolder, db.Task) {}, ""},
		"missing": {func(t *testing.T, h *dataFolder, first db.Task) {
			must(t, h.files.Remove(t.Context(), first.Media[0].Hash))
		}, "is missing: media/"},
		"damaged": {func(t *testing.T, h *dataFolder, first db.Task) {
			must(t, os.WriteFile(path(h, first.Media[1].Hash), []byte("other"), 0o600))
		}, "the file is damaged"},
		"the same size": {func(t *testing.T, h *dataFolder, first db.Task) {
			must(t, os.WriteFile(path(h, first.Media[0].Hash), bytes.Repeat([]byte("x"), int(first.Media[0].Size)), 0o600))
		}, "its content has changed"},
		"wrong totals": {func(t *testing.T, h *dataFolder, _ db.Task) {
			raw, err := sql.Open("sqlite", h.dir+"/dailies.db")
			must(t, err)
			defer raw.Close()
			_, err = raw.Exec(`UPDATE usage SET tasks = tasks + 1`)
			must(t, err)
		}, "usage of person 1 on "},
		"orphaned": {func(t *testing.T, h *dataFolder, _ db.Task) {
			hash, _, err := h.files.Put(t.Context(), strings.NewReader("nobody's"), 100)
			must(t, err)
			must(t, os.Chtimes(path(h, hash), old, old))
		}, "belongs to nothing"},
		"just written": {func(t *testing.T, h *dataFolder, _ db.Task) {
			_, _, err := h.files.Put(t.Context(), strings.NewReader("somebody's soon"), 100)
			must(t, err)
			must(t, os.WriteFile(h.dir+"/media/begun-1", nil, 0o600))
		}, ""},
		"a stranger": {func(t *testing.T, h *dataFolder, _ db.Task) {
			must(t, os.WriteFile(h.dir+"/media/notes.txt", nil, 0o600))
		}, "does not belong there"},
		"kept without a file": {func(t *testing.T, h *dataFolder, _ db.Task) {
			_, err := h.store.Tasks.UpdateTask(t.Context(), h.add(t, "x"), func(t *db.Task) error {
				t.State, t.Keeping = db.Success, db.Kept
				return nil
			})
			must(t, err)
		}, "counts as kept, and has no file"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newDataFolder(t, 2)
			tt.harm(t, h, h.made(t)[1])
			before := list(t, h.dir)
			var report bytes.Buffer
			err := backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report)
			if (err == nil) != (tt.says == "") || err != nil && !errors.Is(err, backup.ErrTrouble) {
				t.Errorf("got %v", err)
			}
			if !strings.Contains(report.String(), tt.says) {
				t.Errorf("it says %s", report.String())
			}
			if after := list(t, h.dir); after != before {
				t.Errorf("it changed the folder from\n%s to\n%s", before, after)
			}
		})
	}
}

// list returns the paths of all files in the folder.
func list(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all.WriteString(path + "\n")
		}
		return err
	}))
	return all.String()
}

func TestCheckWorksWithoutTheProgram(t *testing.T) {
	h := newDataFolder(t, 2)
	must(t, h.store.Close())
	var report bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report); err != nil ||
		!strings.Contains(report.String(), "Kept here: 2 videos and 1 uploaded picture in 7 files") {
		t.Errorf("%v: %s", err, report.String())
	}
	if err := backup.Check(t.Context(), backup.Location{Dir: t.TempDir()}, io.Discard); err == nil || errors.Is(err, backup.ErrTrouble) {
		t.Errorf("no folder: got %v", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := backup.Check(stopped, backup.Location{Dir: h.dir}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCheckFindsADamagedDatabase(t *testing.T) {
	h := newDataFolder(t, 40)
	must(t, h.store.Close())
	content, err := os.ReadFile(h.dir + "/dailies.db")
	must(t, err)
	for at := len(content) / 2; at < len(content); at += 64 {
		content[at] ^= 0xff
	}
	must(t, os.WriteFile(h.dir+"/dailies.db", content, 0o600))
	var report bytes.Buffer
	err = backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report)
	if said := fmt.Sprint(err) + report.String(); err == nil || !strings.Contains(said, "dailies restore FILE") {
		t.Errorf("it says %s", said)
	}
}

func TestCheckTellsGoneFromTooLarge(t *testing.T) {
	h := newDataFolder(t, 0)
	tooLarge := func(t *db.Task) error { return t.LoseFiles(db.TooLarge) }
	for _, lose := range []func(*db.Task) error{tooLarge, tooLarge, func(t *db.Task) error { return t.LoseFiles("It is gone.") }} {
		_, err := h.store.Tasks.UpdateTask(t.Context(), h.add(t, "x"), func(t *db.Task) error {
			t.State, t.Keeping = db.Success, db.Saving
			return lose(t)
		})
		must(t, err)
	}
	var report bytes.Buffer
	must(t, backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report))
	for _, want := range []string{"1 video could not be saved: gone", "2 videos could not be saved: too large"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("it says %s", report.String())
		}
	}
}

// addAnna adds a cast member with an uploaded picture that has an address of its own, and a
// labelled video of her. It returns the token of the address.
func (h *dataFolder) addAnna(t *testing.T) (token string) {
	t.Helper()
	hash, size, err := h.files.Put(t.Context(), strings.NewReader("the face of Anna"), 1000)
	must(t, err)
	p := ordering.Picture{
		UserID: 1, Token: secrets.NewToken(), Sealed: []byte("sealed"), Hash: hash, Type: "image/png", Size: size,
		Name: "anna.png", CreatedAt: db.Now(),
	}
	must(t, h.store.Pictures.AddPicture(t.Context(), &p))
	p.Token, p.Sealed = secrets.NewToken(), []byte("sealed for Anna")
	m := cast.Member{
		Handle: "anna", Name: "Anna", Kind: cast.Person, Look: "dark bob", Pictures: []string{"https://dailies.example.com" + p.Path()},
		Consent: cast.Consent{By: "Anna", On: db.Now().Truncate(24 * time.Hour)}, CreatedBy: 1, CreatedAt: db.Now(),
	}
	must(t, h.store.Cast.Create(t.Context(), &m, []ordering.Picture{p}))
	task := db.Task{
		UserID: 1, FormToken: secrets.NewToken(),
		Request:    db.Request{Scene: "reference-to-video", Model: "seedance-2.0", Prompt: "@anna waves", Pictures: m.Pictures},
		SentPrompt: "Anna waves",
		Cast:       []cast.Appearance{cast.AppearanceOf(m, 0)}, CreatedAt: db.Now(),
	}
	queue(t, h.store, &task)
	labelled, size, err := h.files.Put(t.Context(), strings.NewReader("a video with a label"), 1000)
	must(t, err)
	_, err = h.store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		t.State, t.Keeping, t.DoneAt = db.Success, db.Kept, db.Now()
		t.Media = []db.Media{{
			Kind: db.Video, Hash: labelled, Type: "video/mp4", Size: size, Marks: db.LabelMark,
			ServedHash: strings.Repeat("5", 64), CreatedAt: db.Now(),
		}}
		return nil
	})
	must(t, err)
	return p.Token
}

// A portrayal lists what must not get lost of the cast member Anna.
type portrayal struct {
	Cast    []cast.Member
	Was     []cast.Appearance
	Video   db.Media
	Film    string
	Face    string
	Picture ordering.Picture
	Public  bool
}

func (h *dataFolder) portray(t *testing.T, token string) (p portrayal) {
	t.Helper()
	var err error
	p.Cast, err = h.store.Cast.List(t.Context())
	must(t, err)
	p.Was, err = h.store.Cast.Of(t.Context(), 2)
	must(t, err)
	video, ok := h.made(t)[2].Video()
	if !ok || video.Marks != db.LabelMark || video.ServedHash == "" {
		t.Fatalf("the label of %+v is lost", video)
	}
	p.Video, p.Film = video, h.content(t, video.Hash)
	p.Picture, err = h.store.Pictures.Picture(t.Context(), token)
	must(t, err)
	p.Face = h.content(t, p.Picture.Hash)
	p.Public, err = h.store.Pictures.IsPublic(t.Context(), p.Picture)
	must(t, err)
	return p
}

// Labelled files, and the pictures of the cast with their public addresses, come along to
// another database and back, and out of a backup.
func TestTheCastAndLabelsComeAlong(t *testing.T) {
	server := postgrestest.Need(t)
	h := newDataFolder(t, 1)
	token := h.addAnna(t)
	want := h.portray(t, token)
	if !want.Public || len(want.Cast) != 1 || len(want.Was) != 1 {
		t.Fatalf("at first: %+v", want)
	}
	file := h.write(t)
	must(t, h.store.Close())
	places := map[string]backup.Location{"restored": {Dir: t.TempDir() + "/restored"}, "a folder": {Dir: t.TempDir() + "/folder"}}
	must(t, backup.Restore(t.Context(), file, places["restored"], io.Discard))
	address, err := server.Database(t.Context())
	must(t, err)
	places["a server"] = backup.Location{Dir: h.dir, Database: address}
	must(t, backup.Move(t.Context(), backup.Location{Dir: h.dir}, backup.Location{Database: address}, io.Discard))
	must(t, backup.Move(t.Context(), places["a server"], places["a folder"], io.Discard))
	for name, place := range places {
		var report bytes.Buffer
		if err := backup.Check(t.Context(), place, &report); err != nil {
			t.Errorf("%s: %v: %s", name, err, &report)
		}
		there := at(t, place, place.Dir)
		there.files, err = media.Open(place.Dir + "/media")
		must(t, err)
		if got := there.portray(t, token); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %+v\nwant %+v", name, got, want)
		}
	}
}

func TestCheckNoticesAGonePictureOfTheCast(t *testing.T) {
	h := newDataFolder(t, 1)
	token := h.addAnna(t)
	p, err := h.store.Pictures.Picture(t.Context(), token)
	must(t, err)
	raw, err := sql.Open("sqlite", h.dir+"/dailies.db")
	must(t, err)
	defer raw.Close()
	for _, tt := range []struct{ harm, says string }{
		{"", ""},
		{"file", "is missing: media/"},
		{"DELETE FROM picture_tokens WHERE member_id = 1", "@anna in the cast: picture 1 is gone"},
	} {
		switch tt.harm {
		case "":
		case "file":
			must(t, h.files.Remove(t.Context(), p.Hash))
		default:
			_, err := raw.Exec(tt.harm)
			must(t, err)
		}
		var report bytes.Buffer
		if err := backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report); (err == nil) != (tt.says == "") ||
			!strings.Contains(report.String(), tt.says) {
			t.Errorf("after %q: %v: %s", tt.harm, err, &report)
		}
	}
}

// A labelled file that was changed afterwards is no longer the one that was kept.
func TestCheckComparesALabelledFileWithItsOwnHash(t *testing.T) {
	h := newDataFolder(t, 1)
	h.addAnna(t)
	video, _ := h.made(t)[2].Video()
	must(t, h.files.Remove(t.Context(), video.Hash))
	var report bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: h.dir}, &report); err == nil ||
		!strings.Contains(report.String(), "video 2: its video") {
		t.Errorf("%v: %s", err, &report)
	}
}
