package store_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
)

func TestEverythingIsThereAfterARestart(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := store.Open(t.Context(), path)
	must(t, err)
	u := suite.AddUser(t, s, "Ann")
	task := suite.AddTask(t, s, u.ID, "a red kite")
	must(t, s.Close())

	s = suite.OpenAt(t, path)
	got, err := s.Tasks.Task(t.Context(), task.ID)
	must(t, err)
	suite.Same(t, got, task)
	found, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: u.ID, States: []db.State{gallery.AnyState}, Query: "kite", Limit: 1})
	must(t, err)
	if len(found) != 1 {
		t.Error("the prompt is no longer found")
	}
	for _, left := range []string{"-wal", "-shm"} {
		if file, err := os.Stat(path + left); err == nil && file.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
			t.Errorf("%s can be read by others: %v", left, file.Mode())
		}
	}
}

func TestCloseLeavesOneFile(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := store.Open(t.Context(), path)
	must(t, err)
	suite.AddUser(t, s, "Ann")
	_, err = s.Accounts.Users(t.Context())
	must(t, err)
	must(t, s.Close())
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("left %q", left)
	}
	file, err := os.Stat(path)
	must(t, err)
	if runtime.GOOS != "windows" && file.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v", file.Mode())
	}
}

func TestFileOfANewerProgramIsRefused(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s, err := store.Open(t.Context(), path)
	must(t, err)
	must(t, s.Close())
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = raw.Exec(`PRAGMA user_version = 1000`)
	must(t, errors.Join(err, raw.Close()))

	_, err = store.Open(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), "newer Dailies") || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

func TestFileThatIsNotADatabaseIsRefused(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	must(t, os.WriteFile(path, []byte(strings.Repeat("Dear diary, ", 1000)), 0o600))
	if _, err := store.Open(t.Context(), path); err == nil {
		t.Error("a diary is opened as a database")
	}
	if _, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "no folder", "dailies.db")); err == nil {
		t.Error("a folder appears from nowhere")
	}
}

func TestPathMayHoldAnyCharacter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "50% of? #1 & söme=stuff.db")
	s := suite.OpenAt(t, path)
	suite.AddUser(t, s, "Ann")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if has, err := s.Accounts.HasUsers(t.Context()); !has || err != nil {
		t.Error(has, err)
	}
}

func TestADatabaseSaysWhetherItTakesWrites(t *testing.T) {
	s := suite.Open(t)
	must(t, s.Writable(t.Context(), db.Now()))
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Writable(ended, db.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// With many concurrent users, no write fails because another is under way, and
// reads go on meanwhile.
func TestManyWriteAndReadAtOnce(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	task := suite.AddTask(t, s, u.ID, "a kite")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			for range 10 {
				_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { t.Queries++; return nil })
				if err != nil {
					t.Error(err)
				}
				if _, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: u.ID, States: []db.State{gallery.AnyState}, Limit: 5}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := s.Tasks.Task(t.Context(), task.ID)
	must(t, err)
	if got.Queries != 100 {
		t.Errorf("%d of 100 changes are there", got.Queries)
	}
}

func TestADamagedDatabaseSaysWhatToDo(t *testing.T) {
	suite.OnlySQLite(t)
	path := t.TempDir() + "/dailies.db"
	must(t, os.WriteFile(path, []byte(strings.Repeat("This is no database. ", 1000)), 0o600))
	_, err := store.Open(t.Context(), path)
	_, errRead := store.OpenToRead(t.Context(), path)
	for _, err := range []error{err, errRead, store.Copy(t.Context(), path, path+".copy")} {
		if err == nil || !strings.Contains(err.Error(), "dailies restore FILE") {
			t.Errorf("it says %v", err)
		}
	}
}

func TestOpenExistingChangesNoTables(t *testing.T) {
	_, err := store.OpenExisting(t.Context(), t.TempDir()+"/dailies.db")
	if err == nil {
		t.Error("it made a database")
	}
	path := suite.FirstRelease(t, 0)
	_, err = store.OpenExisting(t.Context(), path)
	suite.Wants(t, err, store.ErrOtherVersion)
	running := suite.OpenAt(t, path)
	beside, err := store.OpenExisting(t.Context(), path)
	must(t, err)
	defer beside.Close()
	reset, token := signin.NewReset(1, suite.Day)
	must(t, beside.Sessions.AddReset(t.Context(), reset))
	_, err = running.Sessions.Reset(t.Context(), secrets.HashToken(token), suite.Day)
	must(t, err)
}
