package backup_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/media/buckettest"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
)

// at opens the house's database for reading.
func at(t *testing.T, in backup.Location, dir string) *dataFolder {
	t.Helper()
	name := in.Database
	if name == "" {
		name = in.Dir + "/dailies.db"
	}
	s, err := store.OpenToRead(t.Context(), name)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return &dataFolder{dir: dir, store: s}
}

func TestEverythingMovesToAServerAndBack(t *testing.T) {
	server := postgrestest.Need(t)
	address, err := server.Database(t.Context())
	must(t, err)
	h := newDataFolder(t, 3)
	want := h.made(t)
	must(t, h.store.Close())
	folder := backup.Location{Dir: h.dir}
	onServer := backup.Location{Dir: h.dir, Database: address}

	var said bytes.Buffer
	must(t, backup.Move(t.Context(), folder, backup.Location{Database: address}, &said))
	if !strings.Contains(said.String(), "tasks                      3 rows") {
		t.Errorf("it says\n%s", &said)
	}
	if got := at(t, onServer, h.dir).made(t); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	must(t, backup.Check(t.Context(), onServer, io.Discard))

	back := backup.Location{Dir: t.TempDir() + "/back"}
	must(t, backup.Move(t.Context(), onServer, back, io.Discard))
	must(t, backup.Check(t.Context(), back, io.Discard))
	if got := at(t, back, back.Dir).made(t); !reflect.DeepEqual(got, want) {
		t.Errorf("back: got  %v\nwant %v", got, want)
	}
	for _, name := range []string{"/secret", "/sandbox/sandbox.db"} {
		if _, err := os.Stat(back.Dir + name); err != nil {
			t.Error(err)
		}
	}
	file := t.TempDir() + "/b.zip"
	must(t, backup.Write(t.Context(), onServer, file, io.Discard))
	restored := backup.Location{Dir: t.TempDir() + "/restored"}
	must(t, backup.Restore(t.Context(), file, restored, io.Discard))
	if got := at(t, restored, restored.Dir).made(t); !reflect.DeepEqual(got, want) {
		t.Errorf("restored: got  %v\nwant %v", got, want)
	}
}

func TestMoveFillsOnlyEmptyPlacesAndCanBeAborted(t *testing.T) {
	h, taken := newDataFolder(t, 1), newDataFolder(t, 1)
	must(t, h.store.Close())
	must(t, taken.store.Close())
	folder := backup.Location{Dir: h.dir}
	if err := backup.Move(t.Context(), folder, backup.Location{Dir: taken.dir}, io.Discard); !errors.Is(err, db.ErrConflict) {
		t.Errorf("into what is not empty: %v", err)
	}
	moving := func() string {
		s, err := store.OpenToRead(t.Context(), h.dir+"/dailies.db")
		must(t, err)
		defer s.Close()
		to, err := s.Settings.Setting(t.Context(), store.MovingSetting)
		must(t, err)
		return to
	}
	if to := moving(); to != "to "+taken.dir {
		t.Errorf("it is moving %q", to)
	}
	must(t, backup.AbortMove(t.Context(), folder, io.Discard))
	if to := moving(); to != "" {
		t.Errorf("it is still moving %q", to)
	}
	// Once more, with the media files already there.
	there := t.TempDir() + "/there"
	must(t, backup.Move(t.Context(), folder, backup.Location{Dir: there}, io.Discard))
	must(t, backup.Check(t.Context(), backup.Location{Dir: there}, io.Discard))
	s, err := store.OpenToRead(t.Context(), there+"/dailies.db")
	must(t, err)
	defer s.Close()
	if _, err := s.Settings.Setting(t.Context(), store.MovingSetting); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("the new place is moving, too: %v", err)
	}
}

// TestAnInterruptedMoveLosesNothingBesideTheDatabase expects the answers that the
// database has not taken yet, and the sandbox's files, in the new folder, although an
// earlier attempt ended after the first of them.
func TestAnInterruptedMoveLosesNothingBesideTheDatabase(t *testing.T) {
	h := newDataFolder(t, 1)
	must(t, h.store.Close())
	there := t.TempDir()
	put := func(dir, name, content string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	const first, second, answer = "sandbox/files/a.webm", "sandbox/files/b/c.webm", "answers/7.json"
	put(h.dir, first, "the first")
	put(h.dir, second, "the second")
	put(h.dir, answer, "paid for")
	box, err := sql.Open("sqlite", h.dir+"/sandbox/sandbox.db")
	must(t, err)
	_, err = box.ExecContext(t.Context(), "CREATE TABLE mark (id)")
	must(t, errors.Join(err, box.Close()))
	put(there, first, "the first")
	put(there, "sandbox/sandbox.db.begun", "half of it")
	must(t, backup.Move(t.Context(), backup.Location{Dir: h.dir}, backup.Location{Dir: there}, io.Discard))
	for name, want := range map[string]string{first: "the first", second: "the second", answer: "paid for"} {
		if got, err := os.ReadFile(filepath.Join(there, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	box, err = sql.Open("sqlite", there+"/sandbox/sandbox.db")
	must(t, err)
	_, err = box.ExecContext(t.Context(), "INSERT INTO mark VALUES (1)")
	must(t, errors.Join(err, box.Close()))
}

// People may have worked in the new place before the move is aborted.
func TestAbortingACompleteMoveIsLikeARestore(t *testing.T) {
	h := newDataFolder(t, 0)
	waits, now := h.add(t, "waits"), db.Now()
	token := secrets.HashToken("a token")
	must(t, sampletest.AddSession(t, h.store, &signin.Session{UserID: 1, Token: token, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(time.Hour)}))
	opens, _ := h.connect(t)
	must(t, h.store.Close())
	folder, there := backup.Location{Dir: h.dir}, backup.Location{Dir: t.TempDir() + "/there"}
	must(t, backup.Move(t.Context(), folder, there, io.Discard))
	if err := backup.Move(t.Context(), folder, there, io.Discard); !errors.Is(err, db.ErrConflict) {
		t.Errorf("once more: %v", err)
	}
	var said bytes.Buffer
	must(t, backup.AbortMove(t.Context(), folder, &said))
	if !strings.Contains(said.String(), "Closed: 1 session") || !strings.Contains(said.String(), "1 token of programs") || !strings.Contains(said.String(), "1 webhook until an admin") || !strings.Contains(said.String(), "1 video waited to be sent") {
		t.Errorf("it says %s", &said)
	}
	s := at(t, folder, h.dir).store
	if _, _, err := s.Sessions.Session(t.Context(), token, now); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a session goes on: %v", err)
	}
	if hooks, err := s.Webhooks.Of(t.Context(), 1); opens(s) || len(hooks) != 1 || !hooks[0].Held || hooks[0].Waiting != 0 || err != nil {
		t.Errorf("a token opens the API: %t; the webhooks are %+v, %v", opens(s), hooks, err)
	}
	if task, err := s.Tasks.Task(t.Context(), waits); err != nil || task.State != db.Unconfirmed {
		t.Errorf("what waited is %s, %v", task.State, err)
	}
	if task, err := at(t, there, there.Dir).store.Tasks.Task(t.Context(), waits); err != nil || task.State != db.Queued {
		t.Errorf("in the new place it is %s, %v", task.State, err)
	}
}

func TestFilesMoveWhileTheDatabaseStays(t *testing.T) {
	server := buckettest.New(t)
	h := newDataFolder(t, 1)
	must(t, h.store.Close())
	to := backup.Location{Bucket: server.Open(t, server.URL("team"), slog.New(slog.DiscardHandler))}
	for range 2 { // the second time there is nothing left to do
		must(t, backup.Move(t.Context(), backup.Location{Dir: h.dir}, to, io.Discard))
		must(t, backup.Check(t.Context(), backup.Location{Dir: h.dir, Bucket: to.Bucket}, io.Discard))
	}
	s, err := store.OpenToRead(t.Context(), h.dir+"/dailies.db")
	must(t, err)
	defer s.Close()
	if moving, err := s.Settings.Setting(t.Context(), store.MovingSetting); err != nil || moving != "" {
		t.Errorf("the database counts as moved: %q, %v", moving, err)
	}
}
