package watch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/team"
	"dailies/handlers/watch"
)

// binFolder is a data folder with a Bin and one user.
type binFolder struct {
	dir   string
	store *store.Store
	files *media.Store
	bin   *watch.Bin
	kim   db.User
}

func newBinFolder(t *testing.T) *binFolder {
	t.Helper()
	dir := t.TempDir()
	return newBinFolderIn(t.Context(), t, dir, dir+"/dailies.db")
}

// newBinFolderIn is like newBinHouse, with a data folder, a database, and a context for it.
func newBinFolderIn(ctx context.Context, t *testing.T, dir, database string) *binFolder {
	t.Helper()
	h := &binFolder{dir: dir, kim: db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}}
	h.store = sampletest.OpenIn(ctx, t, database)
	var err error
	h.files, err = media.Open(h.dir + "/media")
	must(t, err)
	h.bin = watch.NewBin(h.store, h.files, slog.New(slog.DiscardHandler))
	must(t, sampletest.AddUser(t, h.store, &h.kim))
	return h
}

func (h *binFolder) has(t *testing.T, hash string) bool {
	t.Helper()
	here, err := h.files.Has(t.Context(), hash)
	must(t, err)
	return here
}

// video adds a finished video with this content and returns its ID and its file's
// hash.
func (h *binFolder) video(t *testing.T, content string) (id int64, hash string) {
	t.Helper()
	hash, size, err := h.files.Put(t.Context(), strings.NewReader(content), 100)
	must(t, err)
	task := db.Task{
		UserID: h.kim.ID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3"},
		CreatedAt: db.Now(),
	}
	queue(t, h.store, &task)
	_, err = h.store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		t.State, t.Keeping, t.DoneAt = db.Success, db.Kept, db.Now()
		t.Media = []db.Media{{Kind: db.Video, Hash: hash, Size: size, Type: "video/webm", CreatedAt: db.Now()}}
		return nil
	})
	must(t, err)
	return task.ID, hash
}

func (h *binFolder) delete(t *testing.T, ids ...int64) {
	t.Helper()
	deleted, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, ids, db.Now().Add(-db.BinLife))
	must(t, err)
	if len(deleted) != len(ids) {
		t.Fatalf("deleted %v", deleted)
	}
}

// whole fails the test if the check of the data folder finds a problem.
func (h *binFolder) whole(t *testing.T) {
	t.Helper()
	var said bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: h.dir}, &said); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
}

func TestTheBinIsEmptiedForGood(t *testing.T) {
	h := newBinFolder(t)
	gone, file := h.video(t, "one")
	twin, shared := h.video(t, "two")
	_, _ = h.video(t, "two")
	fresh, freshFile := h.video(t, "three")
	h.delete(t, gone, twin)
	_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{fresh}, db.Now())
	must(t, err)
	now := db.Now()
	left := db.User{Name: "Lee", Email: "lee@example.com", Role: db.Member, CreatedAt: now}
	must(t, sampletest.AddUser(t, h.store, &left))
	_, err = h.store.Leave(t.Context(), team.Leaving{UserID: left.ID, At: now.Add(-team.ReturnLife)})
	must(t, err)
	must(t, h.bin.Round(t.Context(), now))
	if _, err := h.store.Accounts.UserByEmail(t.Context(), left.Email); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("the address of an account that was closed long ago is taken: %v", err)
	}
	if task, err := h.store.Tasks.Task(t.Context(), gone); err != nil || task.PurgedAt.IsZero() {
		t.Errorf("it is not purged: %v", err)
	}
	if !h.has(t, file) {
		t.Error("a backup that began before may miss the file")
	}
	h.whole(t)
	must(t, h.bin.Round(t.Context(), now.Add(25*time.Hour)))
	if h.has(t, file) || !h.has(t, shared) || !h.has(t, freshFile) {
		t.Errorf("gone %t, shared %t, in the bin %t", !h.has(t, file), h.has(t, shared), h.has(t, freshFile))
	}
	h.whole(t)
	if files, err := h.store.Files.Leftovers(t.Context(), now.Add(48*time.Hour)); len(files) > 0 || err != nil {
		t.Errorf("left %v, %v", files, err)
	}
}

// When a file is about to be removed, a copy has just stored the same bytes again,
// but has not recorded them yet.
func TestAFileThatWasStoredAgainIsNotRemoved(t *testing.T) {
	h := newBinFolder(t)
	id, hash := h.video(t, "one")
	h.delete(t, id)
	must(t, h.bin.Round(t.Context(), db.Now()))
	_, size, err := h.files.Put(t.Context(), strings.NewReader("one"), 100)
	must(t, err)
	removed, err := h.files.RemoveOld(t.Context(), hash, db.Now().Add(-time.Hour))
	if removed || err != nil || !h.has(t, hash) {
		t.Fatalf("removed %t, %v", removed, err)
	}
	must(t, h.store.Pictures.AddPicture(t.Context(), &ordering.Picture{
		UserID: h.kim.ID, Token: "t", Hash: hash, Size: size, Type: "image/png", CreatedAt: db.Now(),
	}))
	must(t, h.bin.Round(t.Context(), db.Now().Add(25*time.Hour)))
	if !h.has(t, hash) {
		t.Error("the file is removed though it is used again")
	}
	h.whole(t)
}

func TestABackupHoldsTheBin(t *testing.T) {
	h := newBinFolder(t)
	purged, _ := h.video(t, "one")
	binned, file := h.video(t, "two")
	h.delete(t, purged)
	must(t, h.bin.Round(t.Context(), db.Now()))
	_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{binned}, db.Now())
	must(t, err)
	var said bytes.Buffer
	archive, dir := t.TempDir()+"/backup.zip", t.TempDir()+"/restored"
	must(t, backup.Write(t.Context(), backup.Location{Dir: h.dir}, archive, &said))
	must(t, backup.Restore(t.Context(), archive, backup.Location{Dir: dir}, &said))
	again := &binFolder{dir: dir, kim: h.kim}
	again.whole(t)
	again.store, err = store.Open(t.Context(), dir+"/dailies.db")
	must(t, err)
	t.Cleanup(func() { again.store.Close() })
	again.files, err = media.Open(dir + "/media")
	must(t, err)
	restored, err := again.store.Bin.RestoreTasks(t.Context(), h.kim, []int64{purged, binned})
	if err != nil || len(restored) != 1 || restored[0] != binned || !again.has(t, file) {
		t.Errorf("restored %v, %v", restored, err)
	}
	again.bin = watch.NewBin(again.store, again.files, slog.New(slog.DiscardHandler))
	must(t, again.bin.Round(t.Context(), db.Now().Add(25*time.Hour)))
	again.whole(t)
}

func TestExpiredSessionsAndResetsAreSwept(t *testing.T) {
	h := newBinFolder(t)
	now := db.Now()
	expired := signin.NewSession(h.kim.ID, secrets.HashToken("expired"), "", now.Add(-signin.SessionLife))
	open := signin.NewSession(h.kim.ID, secrets.HashToken("open"), "", now)
	must(t, sampletest.AddSession(t, h.store, &open))
	must(t, sampletest.AddSession(t, h.store, &expired)) // added second, because adding a session sweeps expired ones
	reset, token := signin.NewReset(h.kim.ID, now.Add(-signin.ResetLife))
	must(t, h.store.Sessions.AddReset(t.Context(), reset))
	must(t, h.bin.Round(t.Context(), now))
	long := now.Add(-2 * signin.SessionLife) // a time at which neither had expired
	sessions, err := h.store.Sessions.Of(t.Context(), h.kim.ID, long)
	must(t, err)
	if len(sessions) != 1 || sessions[0].ID != open.ID {
		t.Errorf("sessions: %+v", sessions)
	}
	if _, err := h.store.Sessions.Reset(t.Context(), secrets.HashToken(token), long); err == nil {
		t.Error("the expired link is kept")
	}
}

const month = 31 * 24 * time.Hour

// binned reports whether the video is in the bin and can be taken out again.
func (h *binFolder) binned(t *testing.T, id int64) bool {
	t.Helper()
	task, err := h.store.Tasks.Task(t.Context(), id)
	must(t, err)
	return task.PurgedAt.IsZero()
}

// beats lets the program run for that many hours while the machine's clock advances
// from then, and returns the clock's last reading.
func (h *binFolder) beats(t *testing.T, then time.Time, hours int) time.Time {
	t.Helper()
	for range hours {
		then = then.Add(time.Hour)
		must(t, h.bin.Tick(t.Context(), then, time.Hour))
	}
	return then
}

func TestAClockThatIsAheadEmptiesNothing(t *testing.T) {
	for name, off := range map[string]time.Duration{"a day": 24 * time.Hour, "a month": month, "a year": 12 * month} {
		t.Run(name, func(t *testing.T) {
			h := newBinFolder(t)
			id, file := h.video(t, "one")
			deleted, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now().Add(-db.BinLife+12*time.Hour))
			must(t, err)
			if len(deleted) != 1 {
				t.Fatal("it is not deleted")
			}
			session := signin.Session{
				UserID: h.kim.ID, Token: secrets.HashToken("t"), CreatedAt: db.Now(), SeenAt: db.Now(),
				ExpiresAt: db.Now().Add(12 * time.Hour),
			}
			must(t, sampletest.AddSession(t, h.store, &session))
			now := h.beats(t, db.Now(), 1)
			h.beats(t, now.Add(off), 5)
			for range 20 {
				must(t, h.bin.Tick(t.Context(), now.Add(off), 0)) // restarted again and again
				must(t, h.store.Sessions.SweepSessions(t.Context(), now.Add(off)))
			}
			now = h.beats(t, now.Add(5*time.Hour), 1)
			if !h.binned(t, id) || !h.has(t, file) {
				t.Error("the bin was emptied")
			}
			if _, _, err := h.store.Sessions.Session(t.Context(), session.Token, now); err != nil {
				t.Errorf("somebody was signed out: %v", err)
			}
			now = h.beats(t, now, 6)
			if h.binned(t, id) {
				t.Error("what is due stays in the bin")
			}
			h.beats(t, now, 25)
			if h.has(t, file) {
				t.Error("its file stays")
			}
			h.whole(t)
		})
	}
}

// A program that was off for a month empties the bin only after it has run for some
// hours.
func TestTheBinIsEmptiedAfterALongPause(t *testing.T) {
	h := newBinFolder(t)
	id, _ := h.video(t, "one")
	_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now())
	must(t, err)
	now := h.beats(t, db.Now(), 1)
	must(t, h.bin.Tick(t.Context(), now.Add(month), 0))
	now = h.beats(t, now.Add(month), 5)
	if !h.binned(t, id) {
		t.Error("the clock was believed at once")
	}
	h.beats(t, now, 2)
	if h.binned(t, id) {
		t.Error("what is due stays in the bin")
	}
}

// A video that is deleted while the clock is behind must still wait its full time.
func TestAClockThatWasBehindEmptiesNothing(t *testing.T) {
	for name, hours := range map[string]int{"for a moment": 1, "for long": 12} {
		t.Run(name, func(t *testing.T) {
			h := newBinFolder(t)
			id, _ := h.video(t, "one")
			now := h.beats(t, db.Now(), 1)
			behind := h.beats(t, now.Add(-2*month), hours)
			_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, behind)
			must(t, err)
			h.beats(t, now, 24)
			if !h.binned(t, id) {
				t.Error("the bin was emptied")
			}
		})
	}
}

// The first start with a database of an earlier version may happen while the
// machine's clock is wrong.
func TestTheFirstStartBelievesTheDatabase(t *testing.T) {
	h := newBinFolder(t)
	id, _ := h.video(t, "one")
	_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now())
	must(t, err)
	must(t, h.bin.Tick(t.Context(), db.Now().Add(month), time.Minute))
	if !h.binned(t, id) {
		t.Error("the bin was emptied")
	}
	if due, err := h.store.Clock.Due(t.Context(), db.Now().Add(month)); err != nil || due.After(db.Now().Add(time.Hour)) {
		t.Errorf("due until %v, %v", due, err)
	}
}

// Run measures by itself how long it has been running.
func TestTheBinIsEmptiedAfterHoursOfRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newBinFolder(t)
		id, _ := h.video(t, "one")
		_, err := h.store.Bin.DeleteTasks(t.Context(), h.kim, []int64{id}, db.Now())
		must(t, err)
		must(t, h.bin.Tick(t.Context(), db.Now().Add(-time.Second), 0))
		time.Sleep(month) // as if the program were off
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = h.bin.Run(ctx) })
		time.Sleep(5 * time.Hour)
		if !h.binned(t, id) {
			t.Error("the clock was believed at once")
		}
		time.Sleep(2 * time.Hour)
		if h.binned(t, id) {
			t.Error("what is due stays in the bin")
		}
		stop()
		running.Wait()
	})
}
