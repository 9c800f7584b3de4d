package people_test

import (
	"context"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
)

func TestSessionLeadsToItsPerson(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	suite.AddSession(t, s, suite.AddUser(t, s, "Bo").ID, suite.Day)
	v := suite.AddSession(t, s, ann.ID, suite.Day)
	got, u, err := s.Sessions.Session(t.Context(), v.Token, suite.Day)
	must(t, err)
	suite.Same(t, got, v)
	ann.SeenAt = suite.Day
	suite.Same(t, u, ann)
	_, _, err = s.Sessions.Session(t.Context(), secrets.HashToken("other"), suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
}

func TestSessionExpiresUnlessUsed(t *testing.T) {
	s := suite.Open(t)
	v := suite.AddSession(t, s, suite.AddUser(t, s, "Ann").ID, suite.Day)
	_, _, err := s.Sessions.Session(t.Context(), v.Token, v.ExpiresAt)
	suite.Wants(t, err, db.ErrNotFound)

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
	suite.Wants(t, err, db.ErrNotFound)
	suite.Wants(t, s.Sessions.TouchSession(t.Context(), v.ID, seen, seen), db.ErrNotFound)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	old, last, middle := suite.AddSession(t, s, ann.ID, suite.Day), suite.AddSession(t, s, ann.ID, suite.Day.Add(2*time.Hour)), suite.AddSession(t, s, ann.ID, suite.Day.Add(time.Hour))
	suite.AddSession(t, s, ann.ID, suite.Day.Add(-2*signin.SessionLife)) // expired
	other := suite.AddSession(t, s, bo.ID, suite.Day)
	list := func() []signin.Session {
		t.Helper()
		sessions, err := s.Sessions.Of(t.Context(), ann.ID, suite.Day)
		must(t, err)
		return sessions
	}
	suite.Same(t, list(), []signin.Session{last, middle, old})

	suite.Wants(t, s.Sessions.EndSession(t.Context(), ann.ID, other.ID), db.ErrNotFound)
	must(t, s.Sessions.EndSession(t.Context(), ann.ID, middle.ID))
	suite.Wants(t, s.Sessions.EndSession(t.Context(), ann.ID, middle.ID), db.ErrNotFound)
	suite.Same(t, list(), []signin.Session{last, old})

	must(t, s.Sessions.EndOtherSessions(t.Context(), ann.ID, old.ID))
	suite.Same(t, list(), []signin.Session{old})
	_, _, err := s.Sessions.Session(t.Context(), other.Token, suite.Day)
	must(t, err)
}

func TestSessionNeedsAUser(t *testing.T) {
	suite.Wants(t, suite.Open(t).Sessions.SignIn(t.Context(), &signin.Session{UserID: 7, CreatedAt: suite.Day, SeenAt: suite.Day, ExpiresAt: suite.Day}, "", ""), db.ErrConflict)
}

func TestSessionBeginsOnlyWithThePasswordThatWasChecked(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	v := signin.NewSession(ann.ID, secrets.HashToken("a"), "Firefox", suite.Day)
	suite.Wants(t, s.Sessions.SignIn(t.Context(), &v, "another hash", ""), db.ErrConflict)
	must(t, s.Sessions.SignIn(t.Context(), &v, ann.Password, "renewed"))
	got, u, err := s.Sessions.Session(t.Context(), v.Token, suite.Day)
	must(t, err)
	suite.Same(t, got, v)
	if u.Password != "renewed" {
		t.Errorf("the hash is %q", u.Password)
	}
	w := signin.NewSession(ann.ID, secrets.HashToken("b"), "", suite.Day)
	suite.Wants(t, s.Sessions.SignIn(t.Context(), &w, ann.Password, ""), db.ErrConflict)
	must(t, s.Sessions.SignIn(t.Context(), &w, "renewed", ""))
}

func TestAClockThatJumpsSweepsNothing(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	v := suite.AddSession(t, s, ann.ID, suite.Day)
	reset, token := signin.NewReset(ann.ID, suite.Day)
	must(t, s.Sessions.AddReset(t.Context(), reset))
	_, err := s.Clock.Tick(t.Context(), suite.Day, 0)
	must(t, err)
	must(t, s.Sessions.SweepSessions(t.Context(), suite.Day.Add(10*signin.SessionLife)))
	_, _, err = s.Sessions.Session(t.Context(), v.Token, suite.Day)
	must(t, err)
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), suite.Day)
	must(t, err)
}

func TestSignInSweepsWhatHasExpired(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	old := suite.AddSession(t, s, ann.ID, suite.Day.Add(-signin.SessionLife))
	reset, token := signin.NewReset(ann.ID, suite.Day.Add(-signin.ResetLife))
	must(t, s.Sessions.AddReset(t.Context(), reset))
	v := signin.NewSession(ann.ID, secrets.HashToken("a"), "", suite.Day)
	must(t, s.Sessions.SignIn(t.Context(), &v, ann.Password, ""))
	early := suite.Day.Add(-2 * signin.SessionLife)
	sessions, err := s.Sessions.Of(t.Context(), ann.ID, early)
	must(t, err)
	if len(sessions) != 1 || sessions[0].ID == old.ID {
		t.Errorf("sessions: %+v", sessions)
	}
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), early)
	suite.Wants(t, err, db.ErrNotFound)
}

// useReset sets a password with a link.
func useReset(s *store.Store, ctx context.Context, token secrets.TokenHash, hash string, now time.Time) error {
	_, err := s.Sessions.UseReset(ctx, token, hash, now)
	return err
}

// changePassword changes a password, and ends tokens and webhooks.
func changePassword(s *store.Store, ctx context.Context, userID int64, checked, hash string, keepID int64, token secrets.TokenHash) error {
	_, err := s.Sessions.ChangePassword(ctx, userID, checked, hash, keepID, token, true, suite.Day)
	return err
}

func TestPasswordChangesAllOrNothing(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	keep, other, foreign := suite.AddSession(t, s, ann.ID, suite.Day), suite.AddSession(t, s, ann.ID, suite.Day), suite.AddSession(t, s, bo.ID, suite.Day)
	reset, token := signin.NewReset(ann.ID, suite.Day)
	must(t, s.Sessions.AddReset(t.Context(), reset))
	next := secrets.HashToken("next")
	suite.Wants(t, changePassword(s, t.Context(), ann.ID, "another hash", "new", keep.ID, next), db.ErrConflict)
	suite.Wants(t, changePassword(s, t.Context(), ann.ID, ann.Password, "new", foreign.ID, next), db.ErrNotFound)
	for _, v := range []signin.Session{keep, other, foreign} {
		_, _, err := s.Sessions.Session(t.Context(), v.Token, suite.Day)
		must(t, err)
	}
	must(t, changePassword(s, t.Context(), ann.ID, ann.Password, "new", keep.ID, next))
	got, u, err := s.Sessions.Session(t.Context(), next, suite.Day)
	must(t, err)
	if got.ID != keep.ID || u.Password != "new" {
		t.Errorf("session %d with %q", got.ID, u.Password)
	}
	for _, v := range []signin.Session{keep, other} {
		_, _, err := s.Sessions.Session(t.Context(), v.Token, suite.Day)
		suite.Wants(t, err, db.ErrNotFound)
	}
	_, _, err = s.Sessions.Session(t.Context(), foreign.Token, suite.Day)
	must(t, err)
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
}

func TestSessionIsRenewedOnce(t *testing.T) {
	s := suite.Open(t)
	v := suite.AddSession(t, s, suite.AddUser(t, s, "Ann").ID, suite.Day)
	must(t, s.Sessions.RenewSession(t.Context(), v.ID, v.Token, secrets.HashToken("next")))
	suite.Wants(t, s.Sessions.RenewSession(t.Context(), v.ID, v.Token, secrets.HashToken("third")), db.ErrConflict)
	renewed, _, err := s.Sessions.Session(t.Context(), secrets.HashToken("next"), suite.Day)
	must(t, err)
	if !renewed.ForHost {
		t.Error("its cookie is not for one host")
	}
}

func TestResetIsUsedOnceAndInTime(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	anns, bos := suite.AddSession(t, s, ann.ID, suite.Day), suite.AddSession(t, s, bo.ID, suite.Day)
	add := func(at time.Time) secrets.TokenHash {
		t.Helper()
		reset, token := signin.NewReset(ann.ID, at)
		must(t, s.Sessions.AddReset(t.Context(), reset))
		return secrets.HashToken(token)
	}
	first := add(suite.Day)
	second := add(suite.Day)
	suite.Wants(t, useReset(s, t.Context(), first, "x", suite.Day), db.ErrNotFound)
	suite.Wants(t, useReset(s, t.Context(), second, "x", suite.Day.Add(signin.ResetLife)), db.ErrNotFound)
	u, err := s.Sessions.Reset(t.Context(), second, suite.Day.Add(signin.ResetLife-time.Millisecond))
	must(t, err)
	ann.SeenAt = suite.Day
	suite.Same(t, u, ann)
	_, err = s.Sessions.Reset(t.Context(), second, suite.Day.Add(signin.ResetLife))
	suite.Wants(t, err, db.ErrNotFound)
	must(t, useReset(s, t.Context(), second, "new", suite.Day))
	suite.Wants(t, useReset(s, t.Context(), second, "newer", suite.Day), db.ErrNotFound)
	if u, err = s.Accounts.UserByEmail(t.Context(), ann.Email); err != nil || u.Password != "new" {
		t.Errorf("%q, %v", u.Password, err)
	}
	_, _, err = s.Sessions.Session(t.Context(), anns.Token, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	_, _, err = s.Sessions.Session(t.Context(), bos.Token, suite.Day)
	must(t, err)
	suite.Wants(t, s.Sessions.AddReset(t.Context(), signin.Reset{UserID: 99, CreatedAt: suite.Day, ExpiresAt: suite.Day}), db.ErrNotFound)
}
