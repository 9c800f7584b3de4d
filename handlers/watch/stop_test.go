package watch_test

import (
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

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
