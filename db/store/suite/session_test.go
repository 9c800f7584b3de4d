package suite_test

import (
	"context"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/sampletest"
)

func addSession(t *testing.T, s *store.Store, userID int64, seen time.Time) signin.Session {
	t.Helper()
	v := signin.Session{
		UserID: userID, Token: secrets.HashToken(secrets.NewToken()), Agent: "Firefox",
		CreatedAt: day, SeenAt: seen, ExpiresAt: seen.Add(signin.SessionLife),
	}
	must(t, sampletest.AddSession(t, s, &v))
	return v
}

func TestSessionLeadsToItsPerson(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	addSession(t, s, addUser(t, s, "Bo").ID, day)
	v := addSession(t, s, ann.ID, day)
	got, u, err := s.Sessions.Session(t.Context(), v.Token, day)
	must(t, err)
	same(t, got, v)
	ann.SeenAt = day
	same(t, u, ann)
	_, _, err = s.Sessions.Session(t.Context(), secrets.HashToken("other"), day)
	wants(t, err, db.ErrNotFound)
}

func TestSessionExpiresUnlessUsed(t *testing.T) {
	s := open(t)
	v := addSession(t, s, addUser(t, s, "Ann").ID, day)
	_, _, err := s.Sessions.Session(t.Context(), v.Token, v.ExpiresAt)
	wants(t, err, db.ErrNotFound)

	seen := v.ExpiresAt.Add(-time.Second)
	must(t, s.Sessions.TouchSession(t.Context(), v.ID, seen, seen.Add(signin.SessionLife)))
	got, _, err := s.Sessions.Session(t.Context(), v.Token, v.ExpiresAt)
	must(t, err)
	if !got.SeenAt.Equal(seen) {
		t.Errorf("seen at %v", got.SeenAt)
	}
	must(t, s.Sessions.SweepSessions(t.Context(), got.ExpiresAt.Add(-1*time.Millisecond)))
	_, _, err = s.Sessions.Session(t.Context(), v.Token, seen)
	must(t, err)
	must(t, s.Sessions.SweepSessions(t.Context(), got.ExpiresAt))
	_, _, err = s.Sessions.Session(t.Context(), v.Token, seen)
	wants(t, err, db.ErrNotFound)
	wants(t, s.Sessions.TouchSession(t.Context(), v.ID, seen, seen), db.ErrNotFound)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	old, last, middle := addSession(t, s, ann.ID, day), addSession(t, s, ann.ID, day.Add(2*time.Hour)), addSession(t, s, ann.ID, day.Add(time.Hour))
	addSession(t, s, ann.ID, day.Add(-2*signin.SessionLife)) // expired
	other := addSession(t, s, bo.ID, day)
	list := func() []signin.Session {
		t.Helper()
		sessions, err := s.Sessions.Of(t.Context(), ann.ID, day)
		must(t, err)
		return sessions
	}
	same(t, list(), []signin.Session{last, middle, old})

	wants(t, s.Sessions.EndSession(t.Context(), ann.ID, other.ID), db.ErrNotFound)
	must(t, s.Sessions.EndSession(t.Context(), ann.ID, middle.ID))
	wants(t, s.Sessions.EndSession(t.Context(), ann.ID, middle.ID), db.ErrNotFound)
	same(t, list(), []signin.Session{last, old})

	must(t, s.Sessions.EndOtherSessions(t.Context(), ann.ID, old.ID))
	same(t, list(), []signin.Session{old})
	_, _, err := s.Sessions.Session(t.Context(), other.Token, day)
	must(t, err)
}

func TestSessionNeedsAUser(t *testing.T) {
	wants(t, open(t).Sessions.SignIn(t.Context(), &signin.Session{UserID: 7, CreatedAt: day, SeenAt: day, ExpiresAt: day}, "", ""), db.ErrConflict)
}

func TestSessionBeginsOnlyWithThePasswordThatWasChecked(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	v := signin.NewSession(ann.ID, secrets.HashToken("a"), "Firefox", day)
	wants(t, s.Sessions.SignIn(t.Context(), &v, "another hash", ""), db.ErrConflict)
	must(t, s.Sessions.SignIn(t.Context(), &v, ann.Password, "renewed"))
	got, u, err := s.Sessions.Session(t.Context(), v.Token, day)
	must(t, err)
	same(t, got, v)
	if u.Password != "renewed" {
		t.Errorf("the hash is %q", u.Password)
	}
	w := signin.NewSession(ann.ID, secrets.HashToken("b"), "", day)
	wants(t, s.Sessions.SignIn(t.Context(), &w, ann.Password, ""), db.ErrConflict)
	must(t, s.Sessions.SignIn(t.Context(), &w, "renewed", ""))
}

func TestAClockThatJumpsSweepsNothing(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	v := addSession(t, s, ann.ID, day)
	reset, token := signin.NewReset(ann.ID, day)
	must(t, s.Sessions.AddReset(t.Context(), reset))
	_, err := s.Clock.Tick(t.Context(), day, 0)
	must(t, err)
	must(t, s.Sessions.SweepSessions(t.Context(), day.Add(10*signin.SessionLife)))
	_, _, err = s.Sessions.Session(t.Context(), v.Token, day)
	must(t, err)
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), day)
	must(t, err)
}

func TestSignInSweepsWhatHasExpired(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	old := addSession(t, s, ann.ID, day.Add(-signin.SessionLife))
	reset, token := signin.NewReset(ann.ID, day.Add(-signin.ResetLife))
	must(t, s.Sessions.AddReset(t.Context(), reset))
	v := signin.NewSession(ann.ID, secrets.HashToken("a"), "", day)
	must(t, s.Sessions.SignIn(t.Context(), &v, ann.Password, ""))
	early := day.Add(-2 * signin.SessionLife)
	sessions, err := s.Sessions.Of(t.Context(), ann.ID, early)
	must(t, err)
	if len(sessions) != 1 || sessions[0].ID == old.ID {
		t.Errorf("sessions: %+v", sessions)
	}
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), early)
	wants(t, err, db.ErrNotFound)
}

// useReset sets a password with a link.
func useReset(s *store.Store, ctx context.Context, token secrets.TokenHash, hash string, now time.Time) error {
	_, err := s.Sessions.UseReset(ctx, token, hash, now)
	return err
}

// changePassword changes a password, and ends tokens and webhooks.
func changePassword(s *store.Store, ctx context.Context, userID int64, checked, hash string, keepID int64, token secrets.TokenHash) error {
	_, err := s.Sessions.ChangePassword(ctx, userID, checked, hash, keepID, token, true, day)
	return err
}

func TestPasswordChangesAllOrNothing(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	keep, other, foreign := addSession(t, s, ann.ID, day), addSession(t, s, ann.ID, day), addSession(t, s, bo.ID, day)
	reset, token := signin.NewReset(ann.ID, day)
	must(t, s.Sessions.AddReset(t.Context(), reset))
	next := secrets.HashToken("next")
	wants(t, changePassword(s, t.Context(), ann.ID, "another hash", "new", keep.ID, next), db.ErrConflict)
	wants(t, changePassword(s, t.Context(), ann.ID, ann.Password, "new", foreign.ID, next), db.ErrNotFound)
	for _, v := range []signin.Session{keep, other, foreign} {
		_, _, err := s.Sessions.Session(t.Context(), v.Token, day)
		must(t, err)
	}
	must(t, changePassword(s, t.Context(), ann.ID, ann.Password, "new", keep.ID, next))
	got, u, err := s.Sessions.Session(t.Context(), next, day)
	must(t, err)
	if got.ID != keep.ID || u.Password != "new" {
		t.Errorf("session %d with %q", got.ID, u.Password)
	}
	for _, v := range []signin.Session{keep, other} {
		_, _, err := s.Sessions.Session(t.Context(), v.Token, day)
		wants(t, err, db.ErrNotFound)
	}
	_, _, err = s.Sessions.Session(t.Context(), foreign.Token, day)
	must(t, err)
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), day)
	wants(t, err, db.ErrNotFound)
}

func TestSessionIsRenewedOnce(t *testing.T) {
	s := open(t)
	v := addSession(t, s, addUser(t, s, "Ann").ID, day)
	must(t, s.Sessions.RenewSession(t.Context(), v.ID, v.Token, secrets.HashToken("next")))
	wants(t, s.Sessions.RenewSession(t.Context(), v.ID, v.Token, secrets.HashToken("third")), db.ErrConflict)
	renewed, _, err := s.Sessions.Session(t.Context(), secrets.HashToken("next"), day)
	must(t, err)
	if !renewed.ForHost {
		t.Error("its cookie is not for one host")
	}
}

func TestResetIsUsedOnceAndInTime(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	anns, bos := addSession(t, s, ann.ID, day), addSession(t, s, bo.ID, day)
	add := func(at time.Time) secrets.TokenHash {
		t.Helper()
		reset, token := signin.NewReset(ann.ID, at)
		must(t, s.Sessions.AddReset(t.Context(), reset))
		return secrets.HashToken(token)
	}
	first := add(day)
	second := add(day)
	wants(t, useReset(s, t.Context(), first, "x", day), db.ErrNotFound)
	wants(t, useReset(s, t.Context(), second, "x", day.Add(signin.ResetLife)), db.ErrNotFound)
	u, err := s.Sessions.Reset(t.Context(), second, day.Add(signin.ResetLife-time.Millisecond))
	must(t, err)
	ann.SeenAt = day
	same(t, u, ann)
	_, err = s.Sessions.Reset(t.Context(), second, day.Add(signin.ResetLife))
	wants(t, err, db.ErrNotFound)
	must(t, useReset(s, t.Context(), second, "new", day))
	wants(t, useReset(s, t.Context(), second, "newer", day), db.ErrNotFound)
	if u, err = s.Accounts.UserByEmail(t.Context(), ann.Email); err != nil || u.Password != "new" {
		t.Errorf("%q, %v", u.Password, err)
	}
	_, _, err = s.Sessions.Session(t.Context(), anns.Token, day)
	wants(t, err, db.ErrNotFound)
	_, _, err = s.Sessions.Session(t.Context(), bos.Token, day)
	must(t, err)
	wants(t, s.Sessions.AddReset(t.Context(), signin.Reset{UserID: 99, CreatedAt: day, ExpiresAt: day}), db.ErrNotFound)
}
