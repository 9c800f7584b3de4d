package store_test

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store"
)

func addSession(t *testing.T, s *store.Store, userID int64, seen time.Time) db.Session {
	t.Helper()
	v := db.Session{
		UserID: userID, Token: db.HashToken(db.NewToken()), Agent: "Firefox",
		CreatedAt: day, SeenAt: seen, ExpiresAt: seen.Add(db.SessionLife),
	}
	must(t, s.AddSession(t.Context(), &v))
	return v
}

func TestSessionLeadsToItsPerson(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	addSession(t, s, addUser(t, s, "Bo").ID, day)
	v := addSession(t, s, ann.ID, day)
	got, u, err := s.Session(t.Context(), v.Token, day)
	must(t, err)
	same(t, got, v)
	same(t, u, ann)
	_, _, err = s.Session(t.Context(), db.HashToken("other"), day)
	wants(t, err, db.ErrNotFound)
}

func TestSessionExpiresUnlessUsed(t *testing.T) {
	s := open(t)
	v := addSession(t, s, addUser(t, s, "Ann").ID, day)
	_, _, err := s.Session(t.Context(), v.Token, v.ExpiresAt)
	wants(t, err, db.ErrNotFound)

	seen := v.ExpiresAt.Add(-time.Second)
	must(t, s.TouchSession(t.Context(), v.ID, seen, seen.Add(db.SessionLife)))
	got, _, err := s.Session(t.Context(), v.Token, v.ExpiresAt)
	must(t, err)
	if !got.SeenAt.Equal(seen) {
		t.Errorf("seen at %v", got.SeenAt)
	}
	must(t, s.SweepSessions(t.Context(), got.ExpiresAt.Add(-1*time.Millisecond)))
	_, _, err = s.Session(t.Context(), v.Token, seen)
	must(t, err)
	must(t, s.SweepSessions(t.Context(), got.ExpiresAt))
	_, _, err = s.Session(t.Context(), v.Token, seen)
	wants(t, err, db.ErrNotFound)
	wants(t, s.TouchSession(t.Context(), v.ID, seen, seen), db.ErrNotFound)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	old, last, middle := addSession(t, s, ann.ID, day), addSession(t, s, ann.ID, day.Add(2*time.Hour)), addSession(t, s, ann.ID, day.Add(time.Hour))
	addSession(t, s, ann.ID, day.Add(-2*db.SessionLife)) // expired
	other := addSession(t, s, bo.ID, day)
	list := func() []db.Session {
		t.Helper()
		sessions, err := s.Sessions(t.Context(), ann.ID, day)
		must(t, err)
		return sessions
	}
	same(t, list(), []db.Session{last, middle, old})

	wants(t, s.EndSession(t.Context(), ann.ID, other.ID), db.ErrNotFound)
	must(t, s.EndSession(t.Context(), ann.ID, middle.ID))
	wants(t, s.EndSession(t.Context(), ann.ID, middle.ID), db.ErrNotFound)
	same(t, list(), []db.Session{last, old})

	must(t, s.EndOtherSessions(t.Context(), ann.ID, old.ID))
	same(t, list(), []db.Session{old})
	_, _, err := s.Session(t.Context(), other.Token, day)
	must(t, err)
}

func TestNobodyHasNoSession(t *testing.T) {
	wants(t, open(t).AddSession(t.Context(), &db.Session{UserID: 7, CreatedAt: day, SeenAt: day, ExpiresAt: day}), db.ErrNotFound)
}
