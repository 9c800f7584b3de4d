package site_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/handlers/site"
)

func TestHealthAndReadinessAreTwoThings(t *testing.T) {
	h := handlerstest.New(t)
	full := errors.New("no space left on device")
	h.Restart(t, func(c *handlers.Config) { c.Writable = func(context.Context) error { return full } })
	if status, said := h.Ask(t, "/readyz"); status != 503 || said != "not ready: Dailies cannot write to its database or its data folder, or does not reach its bucket\n" {
		t.Errorf("on a full disk: %d %q", status, said)
	}
	if status, said := h.Ask(t, "/healthz"); status != 200 || said != "ok\n" {
		t.Errorf("alive on a full disk: %d %q", status, said)
	}
	must(t, h.Store.Close())
	if status, said := h.Ask(t, "/healthz"); status != 200 || said != "ok\n" {
		t.Errorf("alive without a database: %d %q", status, said)
	}
}

func TestReadinessNoticesADatabaseThatRefusesWrites(t *testing.T) {
	h := handlerstest.New(t)
	must(t, h.Store.Close())
	if status, _ := h.Ask(t, "/readyz"); status != 503 {
		t.Errorf("got %d", status)
	}
}

// Anybody may ask whether the program is ready. However many requests there are, the
// disk is written to only once in a while, and not again while a write hangs.
func TestAskingForReadinessDoesNotHammerTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ready site.Readiness
		var writes atomic.Int32
		write := func(context.Context) error { writes.Add(1); return nil }
		ask := func(many int, write func(context.Context) error) (failed int32) {
			var all sync.WaitGroup
			var count atomic.Int32
			for range many {
				all.Go(func() {
					if ready.Check(t.Context(), write) != nil {
						count.Add(1)
					}
				})
			}
			all.Wait()
			return count.Load()
		}
		for range 10 {
			if failed := ask(50, write); failed > 0 {
				t.Errorf("%d are told that it is not ready", failed)
			}
			time.Sleep(time.Second)
		}
		if n := writes.Load(); n > 5 {
			t.Errorf("%d writes in 10 s", n)
		}
		time.Sleep(time.Minute)
		writes.Store(0)
		disk := make(chan struct{})
		hangs := func(context.Context) error { writes.Add(1); <-disk; return nil }
		began := time.Now()
		for range 3 {
			if failed := ask(50, hangs); failed != 50 {
				t.Errorf("only %d are told that it is not ready", failed)
			}
		}
		if n, took := writes.Load(), time.Since(began); n != 1 || took > 10*time.Second {
			t.Errorf("%d writes to a disk that hangs, answered after %s", n, took)
		}
		close(disk)
		synctest.Wait()
		if failed := ask(1, write); failed > 0 {
			t.Error("it is not ready again")
		}
	})
}
