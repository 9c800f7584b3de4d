package postgres_test

import (
	"testing"
	"testing/synctest"
	"time"

	"dailies/db/store/postgres"
)

// After an outage of the database, a process gives the others three heartbeats to be seen
// again before it counts any of them as gone: otherwise whoever comes back first would
// settle the create calls of processes that are alive.
func TestAfterAnOutageNobodyIsGoneForThreeHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const heartbeat = 5 * time.Second
		beat, recovers := postgres.NewPulse()
		expect := func(when string, want bool) {
			t.Helper()
			if recovers() != want {
				t.Errorf("%s it recovers: %t", when, !want)
			}
		}
		expect("before the first heartbeat", false)
		for range 3 {
			beat()
			expect("with every heartbeat", false)
			time.Sleep(heartbeat)
		}
		time.Sleep(2*heartbeat - time.Millisecond)
		expect("after three that were missed", false)
		time.Sleep(heartbeat + time.Millisecond)
		expect("after four that were missed", true)
		beat()
		expect("with the first one again", true)
		for range 2 {
			time.Sleep(heartbeat)
			beat()
			expect("with two more", true)
		}
		time.Sleep(heartbeat - time.Millisecond)
		expect("just before the third", true)
		time.Sleep(time.Millisecond)
		expect("with the third", false)
		beat()
		expect("from then on", false)
	})
}
