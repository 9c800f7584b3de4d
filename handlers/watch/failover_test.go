//go:build unix

package watch_test

import (
	"net/http"
	"os"
	"testing"
	"time"

	"dailies/db/store/postgres/postgrestest"
)

// TestAFleetOutlivesItsStorageAndItsDatabase lets people submit videos to two
// processes. First the storage is stopped for a while, in which pages can be read.
// Then the database's primary is killed in the middle of running videos, and its
// standby promoted: the processes carry on by themselves, since their address names
// both. Nothing that a person was told of is lost, nothing is sent twice, and all
// that was paid for is kept.
func TestAFleetOutlivesItsStorageAndItsDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about processes of their own, which the race detector does not see")
	}
	t.Parallel() // it mostly waits
	people, videos, running, stopped, wait := 4, 20, 10, 3*time.Second, 2*time.Second
	if os.Getenv("DAILIES_LONG") != "" {
		people, videos, running, stopped, wait = 20, 200, 200, time.Minute, time.Minute
	}
	pair := postgrestest.NeedPair(t)
	database, err := pair.Database(t.Context())
	must(t, err)
	this := buildProgram(t)
	f := newFleet(t, wait, database, this, this)
	f.invite(t, people)

	f.bucket.Stop()
	told := f.submit(t, "without storage", videos, nil)
	f.reach(t, `state = 'success'`, videos/2)
	for began := time.Now(); time.Since(began) < stopped; time.Sleep(500 * time.Millisecond) {
		f.readPages(t)
	}
	f.bucket.Start(t)
	f.finish(t)
	f.judge(t, told, 0)

	stop, submitted := make(chan struct{}), make(chan []string)
	go func() { submitted <- f.submit(t, "over a failover", videos, stop) }()
	f.reach(t, `state IN ('queued', 'sending', 'pending', 'processing')`, running)
	pair.Fail()
	began := time.Now()
	must(t, pair.Promote(t.Context()))
	t.Logf("the standby took over within %v", time.Since(began).Round(time.Millisecond))
	for !f.isReady() {
		if time.Since(began) > time.Minute {
			t.Fatalf("the processes do not carry on: %s", f.processes[0].said())
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("both processes served again %v after the primary's death", time.Since(began).Round(time.Millisecond))
	close(stop)
	told = append(told, <-submitted...)
	f.finish(t)
	f.judge(t, told, 1) // of what was being written nobody may know
	f.readPages(t)
}

// reach waits until so many videos are as the condition says.
func (f *fleet) reach(t *testing.T, condition string, n int) {
	t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var there int
		must(t, f.raw.QueryRowContext(t.Context(), `SELECT count(*) FROM tasks WHERE `+condition).Scan(&there))
		if there >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d videos: %s", there, n, f.processes[0].said())
		}
	}
}

// readPages holds that every process shows its pages.
func (f *fleet) readPages(t *testing.T) {
	t.Helper()
	for _, m := range f.processes {
		for _, path := range []string{"/healthz", "/gallery?who=me&status=all", "/tasks/1", "/tasks/latest", "/create/text-to-video", "/usage"} {
			answer, err := f.people[0].Get(m.base + path)
			must(t, err)
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s is answered with %d", path, answer.StatusCode)
			}
		}
	}
}

// isReady reports whether all processes serve.
func (f *fleet) isReady() bool {
	for _, m := range f.processes {
		answer, err := http.Get(m.base + "/readyz")
		if err != nil {
			return false
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return false
		}
	}
	return true
}
