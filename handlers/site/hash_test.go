package site_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/site"
)

// queue lets so many applicants hash a password at the same moment, waits until they are
// running or waiting, and returns a function that waits for their end and returns how
// many were refused.
func queue(t *testing.T, h *site.Hashing, n int, who func(i int) site.Applicant) (refused func() int) {
	t.Helper()
	var all sync.WaitGroup
	var busy, begun atomic.Int32
	for i := range n {
		all.Go(func() {
			begun.Add(1)
			_, err := h.Hash(t.Context(), who(i), "a long enough one")
			if errors.As(err, &site.BusyError{}) {
				busy.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	for begun.Load() < int32(n) {
		time.Sleep(time.Millisecond)
	}
	return func() int { all.Wait(); return int(busy.Load()) }
}

func stranger(i int) site.Applicant {
	return site.StrangeApplicant(fmt.Sprintf("stranger%d@example.com", i))
}

// timeOf returns how long the applicant's password takes.
func timeOf(t *testing.T, h *site.Hashing, a site.Applicant) time.Duration {
	t.Helper()
	began := time.Now()
	if _, err := h.Hash(t.Context(), a, "a long enough one"); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func TestStrangersHoldUpNobodyWhoIsKnown(t *testing.T) {
	h := site.NewHashing(1)
	alone := timeOf(t, h, site.KnownApplicant("kim@example.com"))
	flood := queue(t, h, 60, stranger)
	for _, a := range []site.Applicant{
		site.KnownApplicant("kim@example.com"), site.KnownApplicant("stranger1@example.com"), site.InvitedApplicant("a token"),
	} {
		if took := timeOf(t, h, a); took > 10*alone+100*time.Millisecond {
			t.Errorf("%+v waits %s behind strangers, and %s without them", a, took, alone)
		}
	}
	if n := flood(); n > 0 {
		t.Errorf("%d of 60 were refused: a whole office may sign in at the same moment", n)
	}
}

func TestStrangersAreRefusedWhenTheirQueueIsLong(t *testing.T) {
	h := site.NewHashing(1)
	alone := timeOf(t, h, site.KnownApplicant("kim@example.com"))
	flood := queue(t, h, 600, stranger)
	began := time.Now()
	_, err := h.Hash(t.Context(), stranger(-1), "a long enough one")
	w := httptest.NewRecorder()
	sentence, busy := site.Busy(w, err)
	if !busy || sentence == "" || w.Header().Get("Retry-After") == "" || time.Since(began) > time.Second {
		t.Errorf("the 601st: %v, %q, Retry-After %q, after %s", err, sentence, w.Header().Get("Retry-After"), time.Since(began))
	}
	if took := timeOf(t, h, site.KnownApplicant("kim@example.com")); took > 10*alone+200*time.Millisecond {
		t.Errorf("a known browser waits %s", took)
	}
	began = time.Now()
	n := flood()
	if took := time.Since(began); n < 300 || n > 600-64 || took > 10*time.Second {
		t.Errorf("%d of 600 were refused, and the others took %s", n, took)
	}
}

func TestPasswordsOfOneAccountHoldUpNoOther(t *testing.T) {
	h := site.NewHashing(2)
	alone := timeOf(t, h, stranger(1))
	flood := queue(t, h, 60, func(i int) site.Applicant {
		return site.StrangeApplicant([]string{"bo@example.com", " BO@example.com"}[i%2])
	})
	if took := timeOf(t, h, stranger(1)); took > 6*alone+50*time.Millisecond {
		t.Errorf("another account waits %s, and %s alone", took, alone)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Hash(gone, stranger(2), "a long enough one"); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a browser that has gone away: %v", err)
	}
	if n := flood(); n < 30 {
		t.Errorf("%d of 60 for one account were refused", n)
	}
}

func TestPasswordsAreCheckedInTurn(t *testing.T) {
	h := site.NewHashing(0)
	hash := db.HashPassword("a long enough one")
	for password, right := range map[string]bool{"a long enough one": true, "another one": false} {
		if ok, renew, err := h.Match(t.Context(), stranger(1), hash, password); ok != right || renew || err != nil {
			t.Errorf("%s: %t, %t, %v", password, ok, renew, err)
		}
	}
}
