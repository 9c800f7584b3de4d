package site_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"dailies/handlers/site"
)

func TestPasswordsOfOneAccountHoldUpNoOther(t *testing.T) {
	s := site.New(site.Config{})
	release, begun := make(chan struct{}), make(chan struct{}, 40)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			email := []string{"bo@example.com", " BO@example.com"}[i%2]
			if err := s.Hashing.Do(t.Context(), email, func() { begun <- struct{}{}; <-release }); err != nil {
				t.Error(err)
			}
		})
	}
	<-begun
	done := false
	if err := s.Hashing.Do(t.Context(), "kim@example.com", func() { done = true }); err != nil || !done {
		t.Errorf("done %t: %v", done, err)
	}
	if n := len(begun); n > 0 {
		t.Errorf("%d more at the same time", n)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Hashing.Do(gone, "bo@example.com", func() { t.Error("it ran for a browser that had gone away") }); !errors.Is(err, context.Canceled) {
		t.Error(fmt.Errorf("a browser that has gone away: %w", err))
	}
	close(release)
	all.Wait()
}
