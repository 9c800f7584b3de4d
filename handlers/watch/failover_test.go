//go:build unix

package watch_test

import (
	"net/http"
	"testing"
	"time"

	"dailies/db/store/postgres/postgrestest"
	"dailies/web/scopetest"
)

// TestAFleetOutlivesItsStorageAndItsDatabase lets users submit videos to two
// processes. First the storage is stopped for a while, during which pages stay
// readable. Then the database's primary is killed while videos run, and its standby
// is promoted: the processes recover by themselves, since their database URL names
// both servers. Every video whose submission was confirmed is there, none is sent
// twice, and every paid video is kept.
func TestAFleetOutlivesItsStorageAndItsDatabase(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel() // it mostly waits
	people, videos, running, stopped, wait := 4, 20, 10, 3*time.Second, 2*time.Second
	if scopetest.Long() {
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
	f.judge(t, told, 1) // writes in progress at the kill may be lost
	f.readPages(t)
}

// reach waits until at least n tasks meet the SQL condition.
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

// readPages fails the test unless every process serves its pages.
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

// isReady reports whether all processes are ready.
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
