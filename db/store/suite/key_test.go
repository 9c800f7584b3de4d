package suite_test

import (
	"testing"
	"time"

	"dailies/db"
)

func TestKeyIsKeptReplacedAndForgotten(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	_, err := s.Key(t.Context(), u.ID)
	wants(t, err, db.ErrNotFound)

	k := db.Key{UserID: u.ID, Sealed: []byte("one"), LastFour: "1111", Fingerprint: []byte{1}, CreatedAt: day, CheckedAt: day, Accepted: true}
	must(t, s.PutKey(t.Context(), k))
	got, err := s.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)

	k = db.Key{UserID: u.ID, Sealed: []byte("two"), LastFour: "2222", Fingerprint: []byte{2}, CreatedAt: day.Add(time.Hour)}
	must(t, s.PutKey(t.Context(), k))
	got, err = s.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)

	must(t, s.DeleteKey(t.Context(), u.ID))
	_, err = s.Key(t.Context(), u.ID)
	wants(t, err, db.ErrNotFound)
	must(t, s.DeleteKey(t.Context(), u.ID))
	wants(t, s.PutKey(t.Context(), db.Key{UserID: 99, Sealed: []byte("x"), CreatedAt: day}), db.ErrNotFound)
}

func TestCheckCountsForTheKeyThatWasChecked(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	k := db.Key{UserID: u.ID, Sealed: []byte("new"), CreatedAt: day}
	must(t, s.PutKey(t.Context(), k))
	wants(t, s.SetKeyChecked(t.Context(), u.ID, []byte("old"), day, true), db.ErrConflict)
	got, err := s.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)
	must(t, s.SetKeyChecked(t.Context(), u.ID, []byte("new"), day, true))
	k.CheckedAt, k.Accepted = day, true
	got, err = s.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)
}
