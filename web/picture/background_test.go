package picture_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web/picture"
)

func TestPicturesOfATableAreCheckedInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c := newHosts(t)
		var addresses []string
		for i := range 40 {
			addresses = append(addresses, fmt.Sprintf("http://good.example/%d.png", i))
		}
		began := time.Now()
		c.CheckInBackground(t.Context(), "kim", addresses)
		c.CheckInBackground(t.Context(), "kim", addresses) // another page with the same table
		if found := c.Found(t.Context(), "kim", addresses); len(found) != 24 || h.count() != 24 {
			t.Errorf("%d found at once, %d asked for", len(found), h.count())
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		found := c.Found(t.Context(), "kim", addresses)
		if len(found) != 40 || h.count() != 40 {
			t.Errorf("after %v, %d are found, and %d were asked for", time.Since(began), len(found), h.count())
		}
		for address, f := range found {
			if f.Fault != picture.Fine {
				t.Errorf("%s: %v", address, f)
			}
		}
		c.Forget(addresses) // they are fine
		c.CheckInBackground(t.Context(), "kim", addresses)
		if n := len(c.Found(t.Context(), "kim", addresses)); n != 40 || h.count() != 40 {
			t.Errorf("then %d are found, and %d were asked for", n, h.count())
		}
	})
}

// count returns how many requests there were.
func (h *hosts) count() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, asked := range h.asked {
		n += asked
	}
	return n
}
