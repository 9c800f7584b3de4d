package watch_test

import (
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/handlers/watch"
)

// hang blocks a call until the caller cancels it, and records when.
func hang(gaveUp *atomic.Int64) fault {
	return func(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		<-r.Context().Done()
		gaveUp.Store(time.Now().UnixNano())
		return nil, r.Context().Err()
	}
}

func TestALostLeaseStopsTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var gaveUp atomic.Int64
		b.fail(ask, hang(&gaveUp))
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(2 * time.Second)
		taken := time.Now()
		b.sql(t, `UPDATE tasks SET leased_by = 'another process', leased_until = leased_until + 3600000`)
		time.Sleep(15 * time.Second)
		if at := gaveUp.Load(); at == 0 || time.Unix(0, at).Sub(taken) > 11*time.Second {
			t.Errorf("the question went on after its lease was lost")
		}
		if n := b.line.count(ask); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Attempts != 0 || !task.State.Running() {
			t.Errorf("the other process's task was changed: %+v", task)
		}
	})
}

func TestTheLeaseIsRenewedWhileTheWorkGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fail(create, func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(100 * time.Second)
			return through()
		})
		defer b.start(t)()
		id := b.add(t, "a boat")
		for range 9 {
			time.Sleep(10 * time.Second)
			lost, err := b.store.Unstick(t.Context(), b.store.Process(), db.Now(), time.Hour, time.Minute, nil)
			if err != nil || len(lost.Lost) > 0 {
				t.Fatalf("its lease has run out: %+v, %v", lost, err)
			}
		}
		time.Sleep(30 * time.Second)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
			t.Errorf("it is %s", task.State)
		}
	})
}

// A process that was suspended for longer than a lease finds that its leases have
// expired. It does not query, copy or send a second time the tasks it is working on.
func TestAPausedProcessTakesNothingTwice(t *testing.T) {
	for path, state := range map[string]string{ask: "pending", "/files/": "success", create: "sending"} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.fail(path, func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
				time.Sleep(9 * time.Second)
				return through()
			})
			defer b.start(t)()
			id := b.add(t, "a boat")
			time.Sleep(2 * time.Second)
			calls := b.line.count(path)
			b.sql(t, `UPDATE tasks SET leased_until = 1000, next_at = coalesce(next_at, 1000)`)
			time.Sleep(6 * time.Second)
			if task, _ := b.store.Tasks.Task(t.Context(), id); string(task.State) != state {
				t.Fatalf("it is %s, want %s", task.State, state)
			}
			if n := b.line.count(path); n != calls {
				t.Errorf("%s: %d calls more while one was under way", path, n-calls)
			}
			time.Sleep(10 * time.Second)
			if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
				t.Errorf("%s: in the end it is %s", path, task.State)
			}
		})
	}
}

// The clock jumps by a day or a month, ahead or back, while videos are running and
// queued, so that the stored times are far off. All videos still finish.
func TestAClockThatJumpsFreezesNothing(t *testing.T) {
	const day = 24 * time.Hour
	for _, jump := range []time.Duration{-31 * day, -day, day, 31 * day} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			stop := b.start(t)
			b.fail(ask, says(200, `{"code":0,"data":{"status":"processing"}}`), says(200, `{"code":0,"data":{"status":"processing"}}`))
			running := b.add(t, "a boat that runs")
			time.Sleep(3 * time.Second) // Run looks for it once a second
			stop()
			b.sql(t, `UPDATE tasks SET state = 'processing', keeping = ''`, `DELETE FROM media`)
			waiting := b.add(t, "a boat that waits")
			// Shift the stored times as if they had been recorded before the clock
			// jumped.
			shift := -jump.Milliseconds()
			b.sql(t, `UPDATE tasks SET next_at = unixepoch('subsec') * 1000`)
			for _, column := range []string{"created_at", "sent_at", "accepted_at", "done_at", "next_at"} {
				b.sql(t, fmt.Sprintf(`UPDATE tasks SET %s = %s + %d`, column, column, shift))
			}
			b.sql(t, fmt.Sprintf(`UPDATE tasks SET leased_by = 'an earlier clock', leased_until = %d`, time.Now().Add(-jump).Add(30*time.Second).UnixMilli()))
			defer b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })()
			time.Sleep(2 * time.Minute)
			for _, id := range []int64{running, waiting} {
				if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
					t.Errorf("jump of %s: video %d is %s, %q", jump, id, task.State, task.Keeping)
				}
			}
		})
	}
}

// The same with the program running: suddenly a postponed query is due a day ahead.
func TestATimeFarAheadIsDueWithinAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fail(ask, says(200, `{"code":0,"data":{"status":"processing"}}`))
		defer b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })()
		id := b.add(t, "a boat")
		time.Sleep(4 * time.Second)
		b.sql(t, `UPDATE tasks SET next_at = next_at + 86400000`)
		time.Sleep(time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
			t.Errorf("it is %s", task.State)
		}
	})
}

func TestAfterARefusedKeyThePauseIsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == ask {
				return says(401, `{"code":-1,"message":"no auth, please sign in"}`)(r, through)
			}
			return through()
		})
		defer b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })()
		b.add(t, "a boat")
		time.Sleep(10 * time.Minute)
		if n := b.line.count(ask); n < 8 || n > 11 {
			t.Errorf("asked %d times in ten minutes", n)
		}
	})
}

func TestAVideoThatTakesHoursIsAskedAboutSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == ask {
				return says(200, `{"code":0,"data":{"status":"processing"}}`)(r, through)
			}
			return through()
		})
		stop := b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })
		b.add(t, "a boat")
		time.Sleep(10 * time.Second)
		stop()
		b.sql(t, `UPDATE tasks SET sent_at = sent_at - 7 * 3600000, accepted_at = accepted_at - 7 * 3600000, making_at = making_at - 7 * 3600000, created_at = created_at - 7 * 3600000`)
		defer b.start(t, func(c *watch.Config) { c.Poll = 3 * time.Second })()
		time.Sleep(time.Minute)
		before := b.line.count(ask)
		time.Sleep(20 * time.Minute)
		if n := b.line.count(ask) - before; n < 2 || n > 8 {
			t.Errorf("asked %d times in twenty minutes", n)
		}
	})
}

// A service that always takes 40 seconds to answer is given enough time after the
// first queries have timed out.
func TestAQuestionMayTakeLongerAfterFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path != ask {
				return through()
			}
			select {
			case <-r.Context().Done():
				return nil, r.Context().Err()
			case <-time.After(100 * time.Second):
				return through()
			}
		})
		defer b.start(t)()
		id := b.add(t, "a boat")
		time.Sleep(15 * time.Minute)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.Keeping != db.Kept {
			t.Errorf("it is %s after %d failures", task.State, task.Attempts)
		}
	})
}

// There is no pause between the creates of one key: the next one begins when the
// outcome of the previous one is recorded. In synctest only pauses take time.
func TestCreatesOfOneKeyFollowEachOtherAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.setAlways(func(r *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			if r.URL.Path == create {
				return says(200, fmt.Sprintf(`{"code":0,"data":{"id":"r%d","status":"pending"}}`, b.line.count(create)))(r, through)
			}
			return says(200, `{"code":0,"data":{"status":"processing"}}`)(r, through)
		})
		for range 60 {
			b.add(t, "a boat")
		}
		defer b.start(t, func(c *watch.Config) { c.Poll = time.Minute })()
		began := time.Now()
		for b.line.count(create) < 60 && time.Since(began) < time.Minute {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took > 500*time.Millisecond {
			t.Errorf("60 creates took %s of waiting", took)
		}
	})
}

// panics stands for a defect that only the answer about one task brings to light.
func panics(*http.Request, func() (*http.Response, error)) (*http.Response, error) {
	panic("an answer that nobody expected")
}

// Another process begins a create with the key between the claim of a task and its
// create call. The task is given back at once, and sent as soon as the key is free.
func TestATaskWhoseKeyHasBecomeBusyIsSentSoonAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		id, other := b.add(t, "a boat"), b.addDue(t, 1, "another boat", db.Now().Add(time.Hour))
		b.sql(t, fmt.Sprintf(`CREATE TRIGGER busy AFTER UPDATE OF leased_until ON tasks WHEN new.id = %d AND new.leased_until IS NOT NULL BEGIN
			INSERT INTO create_calls (lane, task_id, process)
			SELECT coalesce(nullif(hex(fingerprint), ''), 'user ' || user_id), %d, 'another process' FROM keys_in_use WHERE user_id = new.user_id;
		END`, id, other))
		defer b.start(t)()
		time.Sleep(5 * time.Second)
		if n := b.line.count(create); n != 0 {
			t.Fatalf("%d creates while the key is busy", n)
		}
		b.sql(t, `DROP TRIGGER busy`, `DELETE FROM create_calls`)
		time.Sleep(5 * time.Second)
		if task, _ := b.store.Tasks.Task(t.Context(), id); task.State == db.Queued {
			t.Error("it waits, although its key is free")
		}
	})
}

func TestAPanicCostsOneStepAndNotTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fail(create, panics)
		b.fail(ask, panics)
		b.fail("/files/", panics)
		defer b.start(t)()
		lost := b.add(t, "a boat")
		b.until(t, lost, "what was sent may have been accepted", in(db.Unconfirmed))
		same := b.add(t, "a kite")
		time.Sleep(5 * time.Minute) // a step that panicked is taken again when its lease has ended
		if task, err := b.store.Tasks.Task(t.Context(), same); err != nil || !kept(task) {
			t.Errorf("after a panic in a query and one in a copy it is %s, %s, %v", task.State, task.Keeping, err)
		}
	})
}

// workersStop is how long the workers may take to stop, after the requests have
// ended.
const workersStop = 4500 * time.Millisecond

// A stop waits briefly for answers that are on their way, but not for a service that
// does not answer.
func TestAServiceThatHangsDoesNotHoldUpAStop(t *testing.T) {
	hangs := func(r *http.Request, _ func() (*http.Response, error)) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	for name, always := range map[string]bool{"at a create": false, "at everything": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				if always {
					b.line.setAlways(hangs)
				}
				b.line.faults[create] = []fault{hangs}
				stop := b.start(t)
				b.add(t, "a boat")
				b.add(t, "another boat")
				time.Sleep(10 * time.Second)
				began := time.Now()
				stop()
				if took := time.Since(began); took > workersStop {
					t.Errorf("it took %s to stop", took)
				}
			})
		})
	}
}

func TestAnAnswerUnderWayIsWaitedForAtAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.line.faults[create] = []fault{func(_ *http.Request, through func() (*http.Response, error)) (*http.Response, error) {
			time.Sleep(3 * time.Second)
			return through()
		}}
		stop := b.start(t)
		id := b.add(t, "a boat")
		time.Sleep(2 * time.Second) // Run looks for it once a second
		stop()
		if task, err := b.store.Tasks.Task(t.Context(), id); err != nil || task.RemoteID == "" {
			t.Errorf("it is %s, and its number is lost: %v", task.State, err)
		}
	})
}

// While the database takes no answer, a stop does not wait for one that is noted in a
// file, but for a while for one that is written down nowhere.
func TestAStopWaitsForAnAnswerThatIsNotedNowhere(t *testing.T) {
	for _, noted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			if !noted {
				must(t, os.WriteFile(b.dir+"/answers", nil, 0o600)) // a file where the folder should be
			}
			heal := b.refuse(t, `new.state = 'pending'`)
			stop := b.start(t)
			id := b.add(t, "a boat")
			time.Sleep(5 * time.Second)
			stopped := make(chan time.Duration)
			began := time.Now()
			go func() { stop(); stopped <- time.Since(began) }()
			time.Sleep(time.Second)
			heal()
			took := <-stopped
			task, err := b.store.Tasks.Task(t.Context(), id)
			must(t, err)
			if here := task.RemoteID != ""; here == noted {
				t.Errorf("noted %v: after a stop of %s it is %s", noted, took, task.State)
			}
			if noted && took >= time.Second || took > workersStop {
				t.Errorf("noted %v: it took %s to stop", noted, took)
			}
		})
	}
}
