package site

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// one is how long a password takes in these tests, whose time is not the machine's.
const one = 50 * time.Millisecond

// take returns how long the applicant waits for a password and its check.
func (h *Hashing) take(ctx context.Context, a Applicant) (time.Duration, error) {
	began := time.Now()
	err := h.do(ctx, a, func() { time.Sleep(one) })
	return time.Since(began), err
}

// queue lets so many applicants give a password, one right after another. It returns when
// all are refused, at work or waiting, with a function that waits for their end and returns
// how many were refused and how long the last one waited.
func (h *Hashing) queue(t *testing.T, n int, who func(i int) Applicant) (end func() (refused int, longest time.Duration)) {
	t.Helper()
	var (
		all     sync.WaitGroup
		mu      sync.Mutex
		refused int
		longest time.Duration
	)
	for i := range n {
		all.Go(func() {
			took, err := h.take(t.Context(), who(i))
			mu.Lock()
			defer mu.Unlock()
			if longest = max(longest, took); errors.As(err, &BusyError{}) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
	}
	return func() (int, time.Duration) { all.Wait(); return refused, longest }
}

func stranger(i int) Applicant {
	return StrangeApplicant(fmt.Sprintf("stranger%d@example.com", i))
}

func TestStrangersHoldUpNobodyWhoIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHashing(1)
		flood := h.queue(t, 60, stranger)
		for _, a := range []Applicant{KnownApplicant("kim@example.com"), KnownApplicant("stranger1@example.com"), InvitedApplicant("a token")} {
			// It waits for the password at work, and for a stranger whose turn it is.
			if took, err := h.take(t.Context(), a); took > 3*one || err != nil {
				t.Errorf("%+v waits %s behind strangers, %v", a, took, err)
			}
		}
		if n, _ := flood(); n > 0 {
			t.Errorf("%d of 60 were refused: a whole office may sign in at the same moment", n)
		}
	})
}

func TestStrangersAreRefusedWhenTheirQueueIsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHashing(1)
		flood := h.queue(t, 600, stranger)
		took, err := h.take(t.Context(), stranger(-1))
		w := httptest.NewRecorder()
		sentence, busy := Busy(w, err)
		if !busy || sentence == "" || w.Header().Get("Retry-After") == "" || took > 0 {
			t.Errorf("the 601st: %v, %q, Retry-After %q, after %s", err, sentence, w.Header().Get("Retry-After"), took)
		}
		if took, err := h.take(t.Context(), KnownApplicant("kim@example.com")); took > 3*one || err != nil {
			t.Errorf("a known browser waits %s, %v", took, err)
		}
		n, longest := flood()
		if n < 500 || n > 600-strangersQueued || longest > 2*strangersWait {
			t.Errorf("%d of 600 were refused, and the others took %s", n, longest)
		}
	})
}

func TestPasswordsOfOneAccountHoldUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHashing(2)
		flood := h.queue(t, 60, func(i int) Applicant {
			return StrangeApplicant([]string{"bo@example.com", " BO@example.com"}[i%2])
		})
		if took, err := h.take(t.Context(), stranger(1)); took > one || err != nil {
			t.Errorf("another account waits %s, %v", took, err)
		}
		if n, _ := flood(); n != 60-eachHashed-eachQueued {
			t.Errorf("%d of 60 for one account were refused", n)
		}
	})
}

func TestABrowserThatHasGoneAwayWaitsNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHashing(1)
		flood := h.queue(t, 10, stranger)
		gone, cancel := context.WithCancel(t.Context())
		time.AfterFunc(one, cancel)
		if took, err := h.take(gone, stranger(-1)); took != one || !errors.Is(err, context.Canceled) {
			t.Errorf("it waits %s, %v", took, err)
		}
		flood()
	})
}
