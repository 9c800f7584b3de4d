package store_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"dailies/db"
)

func TestTypedFormsAreFewAndGoAway(t *testing.T) {
	s := open(t)
	hash := func(i int) db.TokenHash { return db.HashToken(fmt.Sprint(i)) }
	there := func() (n int) {
		for i := range 2 * db.MostTyped {
			if _, err := s.Typed(t.Context(), hash(i)); err == nil {
				n++
			}
		}
		return n
	}
	for i := range db.MostTyped + 5 {
		want := db.Typed{UserID: 7, Page: "/recipes/1", Values: url.Values{"b.x": {"“Ünï”\x00"}}, At: day.Add(time.Duration(i) * time.Second)}
		must(t, s.AddTyped(t.Context(), hash(i), want))
		got, err := s.Typed(t.Context(), hash(i))
		must(t, err)
		same(t, got, want)
	}
	if n := there(); n != db.MostTyped {
		t.Errorf("%d forms wait", n)
	}
	_, err := s.Typed(t.Context(), hash(4))
	wants(t, err, db.ErrNotFound)
	must(t, s.DropTyped(t.Context(), hash(db.MostTyped)))
	must(t, s.DropTyped(t.Context(), hash(db.MostTyped)))
	if n := there(); n != db.MostTyped-1 {
		t.Errorf("%d forms wait after one was taken", n)
	}
	must(t, s.AddTyped(t.Context(), hash(99), db.Typed{At: day.Add(db.TypedLife + time.Hour)}))
	if n := there(); n != 1 {
		t.Errorf("%d forms wait after hours", n)
	}
}
