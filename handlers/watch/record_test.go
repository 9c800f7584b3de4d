package watch_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/aside"
	"dailies/db/secrets"
	"dailies/handlers/watch"
)

// sql executes statements on a connection of its own.
func (b *bench) sql(t *testing.T, statements ...string) {
	t.Helper()
	raw, err := sql.Open("sqlite", b.dir+"/dailies.db?_pragma=busy_timeout(5000)")
	must(t, err)
	defer raw.Close()
	for _, s := range statements {
		_, err := raw.Exec(s)
		must(t, err)
	}
}

// refuse makes every update of a task that meets the SQL condition fail, until the
// returned function is called.
func (b *bench) refuse(t *testing.T, when string) (heal func()) {
	t.Helper()
	b.sql(t, `CREATE TRIGGER refuse BEFORE UPDATE ON tasks WHEN `+when+` BEGIN SELECT RAISE(FAIL, 'disk I/O error'); END`)
	return func() { b.sql(t, `DROP TRIGGER refuse`) }
}

func (b *bench) notes(t *testing.T) []aside.Note {
	t.Helper()
	notes, err := aside.In(b.dir + "/answers").All()
	must(t, err)
	return notes
}

// awaits waits until the condition holds.
func awaits(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 12_000 {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("not within a minute: %s", what)
}

func TestAnswerIsWrittenAsSoonAsTheDatabaseTakesIt(t *testing.T) {
	b := newBench(t)
	heal := b.refuse(t, `new.id = 1 AND new.state = 'pending'`)
	b.start(t)
	id := b.add(t, "a boat")
	awaits(t, "its answer is noted", func() bool { return len(b.notes(t)) == 1 })
	if n := b.notes(t)[0].Reply; n.TaskID != id || n.State != db.Pending || n.Report.RemoteID == "" || !n.Report.Charged.Known {
		t.Errorf("noted %+v", n)
	}
	// Meanwhile the task's key is free for others.
	b.until(t, b.add(t, "another boat"), "kept", kept)
	if task := b.until(t, id, "there", func(db.Task) bool { return true }); task.State != db.Sending {
		t.Errorf("it is %s", task.State)
	}
	heal()
	b.until(t, id, "kept", kept)
	awaits(t, "the note is gone", func() bool { return len(b.notes(t)) == 0 })
	if n := b.line.count(create); n != 2 {
		t.Errorf("%d creates", n)
	}
}

func TestAnswerOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		heal := b.refuse(t, `new.id = 1 AND new.state = 'pending'`)
		stop := b.start(t)
		id := b.add(t, "a boat")
		awaits(t, "its answer is noted", func() bool { return len(b.notes(t)) == 1 })
		began := time.Now()
		stop()
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("stopping took %s", took)
		}
		// A restart while the database still refuses the write does not mark the call as
		// lost.
		stop = b.start(t)
		b.until(t, b.add(t, "another boat"), "kept", kept)
		if task := b.until(t, id, "there", func(db.Task) bool { return true }); task.State != db.Sending {
			t.Errorf("it is %s", task.State)
		}
		stop()
		heal()
		b.start(t)
		b.until(t, id, "kept", kept)
		awaits(t, "the note is gone", func() bool { return len(b.notes(t)) == 0 })
		if n := b.line.count(create); n != 2 {
			t.Errorf("%d creates", n)
		}
	})
}

// The database takes the answers to none of 64 creates, as many as are sent at once.
// Others are sent nevertheless.
func TestAnswersThatCannotBeWrittenLeaveRoomForOtherCreates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		defer b.refuse(t, `new.state = 'pending' AND new.prompt = 'stuck'`)()
		defer b.start(t)()
		for range 64 {
			b.add(t, "stuck")
		}
		id := b.add(t, "a boat")
		time.Sleep(3 * time.Minute)
		if n := b.line.count(create); n != 65 {
			t.Errorf("%d creates, want 65", n)
		}
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
			t.Errorf("the other one is %s", task.State)
		}
	})
}

// Another program locks the database for longer than a write waits for the lock.
func TestLockedDatabaseLosesNoAnswer(t *testing.T) {
	t.Parallel() // it mostly waits
	b := newBench(t)
	lock, err := sql.Open("sqlite", b.dir+"/dailies.db?_txlock=immediate&_pragma=busy_timeout(5000)")
	must(t, err)
	defer lock.Close()
	locked := make(chan *sql.Tx, 1)
	b.fail(create, func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
		resp, err := through()
		tx, lockErr := lock.Begin()
		if lockErr != nil {
			return nil, lockErr
		}
		locked <- tx
		return resp, err
	})
	b.start(t)
	id := b.add(t, "a boat")
	tx := <-locked
	awaits(t, "its answer is noted", func() bool { return len(b.notes(t)) == 1 })
	must(t, tx.Rollback())
	b.until(t, id, "kept", kept)
	if n := b.line.count(create); n != 1 {
		t.Errorf("%d creates", n)
	}
}

// /dev/full refuses every byte, like a full disk, until the reserve is freed.
func TestReserveIsFreedForAnAnswer(t *testing.T) {
	b := newBench(t)
	b.refuse(t, `new.id = 1 AND new.state = 'pending'`)
	must(t, os.Mkdir(b.dir+"/answers", 0o700))
	full := b.dir + "/answers/1.json.begun"
	must(t, os.Symlink("/dev/full", full))
	var freed atomic.Int32
	b.start(t, func(c *watch.Config) {
		c.OnFull = func() bool { freed.Add(1); return os.Remove(full) == nil }
	})
	b.add(t, "a boat")
	awaits(t, "its answer is noted", func() bool { return len(b.notes(t)) == 1 })
	if freed.Load() == 0 {
		t.Error("the reserve was not freed")
	}
	if left, _ := filepath.Glob(b.dir + "/answers/*.json*"); len(left) != 1 {
		t.Errorf("left %q", left)
	}
}

// An answer that cannot be stored in a file either is still recorded once the
// database works again.
func TestAnAnswerIsRecordedLaterEvenWithoutANoteFile(t *testing.T) {
	b := newBench(t)
	heal := b.refuse(t, `new.id = 1 AND new.state = 'pending'`)
	must(t, os.WriteFile(b.dir+"/answers", nil, 0o600)) // a file where the folder should be
	b.start(t)
	id := b.add(t, "a boat")
	b.until(t, b.add(t, "another boat"), "kept", kept)
	heal()
	b.until(t, id, "kept", kept)
}

// A note of an earlier call does not apply to a later call for the same task.
func TestNoteOfAnEarlierCallIsNotAdopted(t *testing.T) {
	b := newBench(t)
	id := b.add(t, "a boat")
	now := db.Now()
	must(t, aside.In(b.dir+"/answers").Put(aside.Note{Reply: db.Reply{TaskID: id, SentAt: now.Add(-time.Hour), At: now, State: db.Queued, Next: now}}))
	_, err := b.store.Calls.SendTask(t.Context(), "me", id, secrets.Key{}, now)
	if err == nil {
		t.Fatal("a key without its sealed bytes is kept")
	}
	_, err = b.store.Calls.SendTask(t.Context(), "me", id, secrets.Key{Sealed: []byte("x")}, now)
	must(t, err)
	b.start(t)
	b.until(t, id, "unconfirmed", in(db.Unconfirmed))
	b.until(t, b.add(t, "another boat"), "kept", kept)
	if n := b.line.count(create); n != 1 {
		t.Errorf("%d creates", n)
	}
}

// If the database refuses the answer to a query for a moment, the same answer is
// recorded a little later, without another query.
func TestTheAnswerToAQueryIsRecordedALittleLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		defer b.start(t)()
		heal := b.refuse(t, `new.state = 'success' AND old.state <> 'success'`)
		id := b.add(t, "a boat")
		time.Sleep(5 * time.Second)
		asked := b.line.count(ask)
		if task, _ := b.store.Tasks.Task(t.Context(), id); !task.State.Running() {
			t.Fatalf("it is %s", task.State)
		}
		heal()
		time.Sleep(12 * time.Second) // less than a lease
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
			t.Errorf("it is %s", task.State)
		}
		if n := b.line.count(ask); n != asked {
			t.Errorf("asked %d times more", n-asked)
		}
	})
}

// The answer about the first video cannot be recorded. Its key is free for the next one at
// once, not only when the watcher looks for work again.
func TestTheNextVideoIsSentAsSoonAsTheKeyIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		defer b.refuse(t, `new.id = 1 AND new.state = 'pending'`)()
		b.add(t, "a boat")
		b.add(t, "another boat")
		defer b.start(t)()
		time.Sleep(500 * time.Millisecond)
		if n := b.line.count(create); n != 2 {
			t.Errorf("%d creates, want 2", n)
		}
	})
}

func TestARefusalWithoutAReasonIsASentence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fail(create, says(200, `{"code":-1}`), says(200, `{"code":-1,"message":"too wet"}`))
		defer b.start(t)()
		for _, want := range []string{"The video service didn’t take it.", "The video service didn’t take it. It said: too wet"} {
			id := b.add(t, "a boat")
			time.Sleep(2 * time.Second)
			if task, err := b.store.Tasks.Task(t.Context(), id); err != nil || task.State != db.Rejected || task.Message != want {
				t.Errorf("it is %s: %q, %v", task.State, task.Message, err)
			}
		}
	})
}

// The service answers only after its maker has given the video another id of the service:
// both were paid, so both are kept, and the next video with the key can be sent.
func TestALateAnswerIsKeptBesideAnotherID(t *testing.T) {
	b := newBench(t)
	stop := b.start(t)
	id := b.add(t, "a boat")
	first := b.until(t, id, "kept", kept)
	stop()
	must(t, aside.In(b.dir+"/answers").Put(aside.Note{Reply: db.Reply{
		TaskID: id, SentAt: first.SentAt.Add(-time.Minute), At: db.Now(), State: db.Pending, Next: db.Now().Add(time.Hour),
		Report: db.Report{RemoteID: "late", Status: "pending"},
	}}))
	b.sql(t, fmt.Sprintf(`INSERT INTO create_calls (lane, task_id, process) VALUES ('a lane', %d, 'a process')`, id))
	var said strings.Builder
	stop = b.start(t, func(c *watch.Config) { c.Log = slog.New(slog.NewTextHandler(&said, nil)) })
	awaits(t, "the note is used", func() bool { return len(b.notes(t)) == 0 })
	stop()
	added, err := b.store.Tasks.Task(t.Context(), id+1)
	must(t, err)
	if added.RemoteID != "late" || added.UserID != first.UserID || added.Prompt != first.Prompt {
		t.Errorf("added %+v", added)
	}
	if !strings.Contains(said.String(), "both are kept") {
		t.Errorf("the log says %s", said.String())
	}
	if again, err := b.store.Tasks.Task(t.Context(), id); err != nil || again.RemoteID != first.RemoteID {
		t.Errorf("the first is %+v, %v", again, err)
	}
}

// The user gave the video another ID of the service while its answer was still
// awaited. Both may have been charged, so both are shown.
func TestLateAnswerIsAddedBesideADecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.faults[create] = []fault{func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return through()
		}}
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(3 * time.Minute)
		first, err := b.store.Tasks.Task(t.Context(), id)
		must(t, err)
		_, err = b.store.Calls.FollowTask(t.Context(), id, "another", secrets.Key{Sealed: []byte("x")}, func(t *db.Task) error { return t.Follow("another", db.Now()) })
		must(t, err)
		time.Sleep(10 * time.Minute)
		decided, err := b.store.Tasks.Task(t.Context(), id)
		must(t, err)
		added, err := b.store.Tasks.Task(t.Context(), id+1)
		must(t, err)
		if decided.RemoteID != "another" || added.RemoteID == "" || added.Keeping != db.Kept ||
			added.Prompt != first.Prompt || added.UserID != first.UserID || !added.Charged.Known {
			t.Errorf("decided %+v, added %+v", decided, added)
		}
		if n := b.line.count(create); n != 1 {
			t.Errorf("%d creates", n)
		}
	})
}

func TestLateAnswerIsUsed(t *testing.T) {
	for name, tt := range map[string]struct {
		late fault
		want db.State
	}{
		"it was taken": {func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return through()
		}, db.Success},
		"it was refused": {func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return says(200, `{"code":-1,"message":"invalid params"}`)(r, through)
		}, db.Rejected},
		"nothing comes at all": {func(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, db.Unconfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.line.faults[create] = []fault{tt.late}
				stop := b.start(t)
				defer stop()
				id, other := b.add(t, "a boat"), b.add(t, "another boat")
				time.Sleep(3 * time.Minute)
				if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Unconfirmed {
					t.Errorf("after three minutes it is %s", task.State)
				}
				// Two creates with the same key are never in progress at the same
				// time.
				if task, _ := b.store.Tasks.Task(t.Context(), other); task.State != db.Queued {
					t.Errorf("while the call hangs, the next one is %s", task.State)
				}
				time.Sleep(8 * time.Minute)
				if task, _ := b.store.Tasks.Task(t.Context(), other); task.Keeping != db.Kept {
					t.Errorf("when the call has ended, the next one is %s", task.State)
				}
				if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != tt.want {
					t.Errorf("in the end it is %s, want %s", task.State, tt.want)
				}
				if n := b.line.count(create); n != 2 {
					t.Errorf("%d creates", n)
				}
			})
		})
	}
}

// The database takes no write at the moment at which a create call has gone unanswered
// for too long. Its maker is told a little later.
func TestALateAnswerIsReportedOnceTheDatabaseTakesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.faults[create] = []fault{func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(5 * time.Minute)
			return through()
		}}
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(time.Minute)
		heal := b.refuse(t, `new.state = 'unconfirmed'`)
		time.Sleep(90 * time.Second)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Sending {
			t.Errorf("while nothing can be written, it is %s", task.State)
		}
		heal()
		time.Sleep(30 * time.Second)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.State != db.Unconfirmed {
			t.Errorf("then it is %s", task.State)
		}
	})
}
