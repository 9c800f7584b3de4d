package watch_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/db/aside"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/web/scopetest"
)

// The storage loses the last 40 % of the write-ahead log, although it was synced, when the
// program is killed. No video is sent twice, and every one that was sent is there.
func TestALogThatIsCutOffSendsNothingTwice(t *testing.T) {
	t.Parallel() // it mostly waits
	times := 3
	if scopetest.Long() {
		times = 30
	}
	s := newService(t, time.Millisecond, nil)
	p := &program{path: buildProgram(t), dir: t.TempDir(), api: s.URL}
	p.start(t)
	p.signUp(t, s.key)
	told, missing := map[string]bool{}, 0
	for i := range times {
		must(t, p.process.Process.Signal(syscall.SIGTERM)) // everything so far is in the file of the database
		_ = p.process.Wait()
		p.start(t)
		for n := range 10 + 5*i {
			prompt := fmt.Sprintf("boat %d of life %d", n, i)
			if !p.submit(prompt) {
				t.Fatalf("%q is not taken: %s", prompt, p.log.String())
			}
			told[prompt] = true
		}
		p.kill()
		wal := filepath.Join(p.dir, "dailies.db-wal")
		info, err := os.Stat(wal)
		must(t, err)
		must(t, os.Truncate(wal, info.Size()*6/10))
		p.start(t)
	}
	rows := map[string]db.State{}
	for _, task := range p.finish(t) {
		rows[task.Prompt] = task.State
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for prompt, n := range s.got {
		if _, there := rows[prompt]; n > 1 || !there {
			t.Errorf("%q was sent %d times, and is %q", prompt, n, rows[prompt])
		}
	}
	for prompt := range told {
		if rows[prompt] == "" {
			missing++ // it was not sent
		}
	}
	t.Logf("%d told, %d sent, %d lost before they were sent", len(told), len(s.got), missing)
}

// owners returns the owner of each video.
func (b *bench) owners(t *testing.T) (ids []int64) {
	t.Helper()
	for viewer := range int64(2) {
		tasks, err := b.store.Search.Tasks(t.Context(), gallery.Filter{Viewer: viewer + 1, States: []db.State{gallery.AnyState}, Limit: 10})
		must(t, err)
		for _, task := range tasks {
			ids = append(ids, task.UserID)
		}
	}
	return ids
}

// intents returns the intents in the folder.
func (b *bench) intents(t *testing.T) []*aside.Intent {
	t.Helper()
	_, found, err := aside.OpenIntents(b.dir + "/answers")
	must(t, err)
	return found
}

// A stop loses what the database had recorded since the video was added, or even that.
// What the service answered is known all the same, if it had answered.
func TestWhatTheStorageHasLostIsRecalled(t *testing.T) {
	for name, tt := range map[string]struct {
		fault   fault
		lose    string
		want    db.State
		creates int
	}{
		"the outcome": {
			nil, `UPDATE tasks SET state = 'queued', remote_id = '', sent_at = NULL, done_at = NULL, keeping = '', next_at = 1`,
			db.Success, 1,
		},
		"the video": {nil, `DELETE FROM tasks`, db.Success, 1},
		"an unknown outcome": {
			reset, `UPDATE tasks SET state = 'queued', sent_at = NULL, done_at = NULL, next_at = 1`, db.Unconfirmed, 1,
		},
		"a video whose outcome": {reset, `DELETE FROM tasks`, db.Unconfirmed, 1},
		"that it was refused": {
			says(200, `{"code":-1,"message":"no"}`),
			`UPDATE tasks SET state = 'queued', sent_at = NULL, done_at = NULL, next_at = 1`, db.Success, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.fail(create, tt.fault)
				stop := b.start(t)
				b.add(t, "a boat")
				time.Sleep(5 * time.Second)
				stop()
				b.sql(t, `DELETE FROM media`, `DELETE FROM answers`, `DELETE FROM task_keys`, tt.lose)
				defer b.start(t)()
				time.Sleep(5 * time.Second)
				tasks, err := b.store.Search.Tasks(t.Context(), gallery.Filter{Viewer: 1, States: []db.State{gallery.AnyState}, Limit: 10})
				must(t, err)
				if len(tasks) != 1 || tasks[0].State != tt.want || tasks[0].Prompt != "a boat" {
					t.Errorf("it is %+v, want %s", tasks, tt.want)
				}
				if n := b.line.count(create); n != tt.creates {
					t.Errorf("%d creates, want %d", n, tt.creates)
				}
			})
		})
	}
}

// The program is stopped before it has removed the intent of a call whose outcome the
// database has.
func TestAnIntentOfWhatIsNotLostIsRemovedAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		stop := b.start(t)
		b.add(t, "a boat")
		time.Sleep(5 * time.Second)
		stop()
		if found := b.intents(t); len(found) != 1 {
			t.Fatalf("intents: %+v", found)
		}
		var log bytes.Buffer
		stop = b.start(t, logged(&log))
		time.Sleep(2 * time.Minute)
		stop()
		if found := b.intents(t); len(found) > 0 || strings.Contains(log.String(), "lost") {
			t.Errorf("left are %+v, the log is %s", found, &log)
		}
	})
}

// The video that a lost one was made from is lost too, with the files that could recall it.
func TestAVideoIsRecalledWithoutTheOneItWasMadeFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		stop := b.start(t)
		first := b.add(t, "a boat")
		time.Sleep(2 * time.Minute)
		next := db.Task{
			UserID: 1, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0",
				Prompt:  "a boat at night",
				Options: db.Options{Duration: 4, Resolution: "480p"}}, CreatedAt: db.Now(), ParentID: first, Reuse: db.Finalized,
		}
		queue(t, b.store, &next)
		b.wake()
		time.Sleep(5 * time.Second)
		stop()
		if found := b.intents(t); len(found) != 1 || found[0].Task.ParentID != first {
			t.Fatalf("intents: %+v", found)
		}
		b.sql(t, `DELETE FROM media`, `DELETE FROM answers`, `DELETE FROM task_keys`, `DELETE FROM tasks`)
		defer b.start(t)()
		time.Sleep(5 * time.Second)
		tasks, err := b.store.Search.Tasks(t.Context(), gallery.Filter{Viewer: 1, States: []db.State{gallery.AnyState}, Limit: 10})
		must(t, err)
		if len(tasks) != 1 || tasks[0].Prompt != "a boat at night" || tasks[0].ParentID != 0 || tasks[0].State != db.Success {
			t.Errorf("found %+v", tasks)
		}
	})
}

// A video that has another owner and form token since it was sent is not lost.
func TestAVideoThatWasHandedOverIsNotRecalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.addBo(t)
		stop := b.start(t)
		b.add(t, "a boat")
		time.Sleep(5 * time.Second)
		stop()
		if found := b.intents(t); len(found) != 1 {
			t.Fatalf("intents: %+v", found)
		}
		b.sql(t, `UPDATE tasks SET user_id = 2, payer_id = 1, form_token = 'another'`)
		before := b.owners(t)
		defer b.start(t)()
		time.Sleep(5 * time.Second)
		if after := b.owners(t); len(before) == 0 || !slices.Equal(after, before) {
			t.Errorf("the owners were %v, and are %v", before, after)
		}
	})
}

// The program is killed after the intent was stored and before the call begins: the video
// is sent by the next process.
func TestACallThatHasNotBegunIsMadeAfterARestart(t *testing.T) {
	b := newBench(t)
	id := b.add(t, "a boat")
	task, err := b.store.Tasks.Task(t.Context(), id)
	must(t, err)
	in := &aside.Intent{Task: task, SentAt: db.Now()}
	intents, _, err := aside.OpenIntents(b.dir + "/answers")
	must(t, err)
	must(t, intents.Put(in))
	b.start(t)
	b.until(t, id, "kept", kept)
}

func TestIntentsAreRemovedOnceTheDatabaseFileHasTheOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == create {
				time.Sleep(time.Minute)
			}
			return through()
		})
		defer b.start(t)()
		b.add(t, "a boat")
		time.Sleep(50 * time.Second)
		if found := b.intents(t); len(found) != 1 || !found[0].MayHaveBegun() {
			t.Errorf("during the call there are %+v", found)
		}
		time.Sleep(time.Minute)
		if found := b.intents(t); len(found) > 0 {
			t.Errorf("left are %+v", found)
		}
	})
}
