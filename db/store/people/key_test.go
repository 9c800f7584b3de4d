package people_test

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/suite"
)

func TestKeyIsKeptReplacedAndForgotten(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	_, err := s.Keys.Key(t.Context(), u.ID)
	suite.Wants(t, err, db.ErrNotFound)

	k := secrets.Key{UserID: u.ID, ServiceID: 1, Sealed: []byte("one"), LastFour: "1111", Fingerprint: []byte{1}, CreatedAt: suite.Day, CheckedAt: suite.Day, Accepted: true}
	must(t, s.Keys.PutKey(t.Context(), k))
	got, err := s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, got, k)

	k = secrets.Key{UserID: u.ID, ServiceID: 1, Sealed: []byte("two"), LastFour: "2222", Fingerprint: []byte{2}, CreatedAt: suite.Day.Add(time.Hour)}
	must(t, s.Keys.PutKey(t.Context(), k))
	got, err = s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, got, k)

	must(t, s.Keys.DeleteKey(t.Context(), u.ID))
	_, err = s.Keys.Key(t.Context(), u.ID)
	suite.Wants(t, err, db.ErrNotFound)
	must(t, s.Keys.DeleteKey(t.Context(), u.ID))
	suite.Wants(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: 99, Sealed: []byte("x"), CreatedAt: suite.Day}), db.ErrNotFound)
}

func TestCheckCountsForTheKeyThatWasChecked(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	k := secrets.Key{UserID: u.ID, ServiceID: 1, Sealed: []byte("new"), CreatedAt: suite.Day}
	must(t, s.Keys.PutKey(t.Context(), k))
	suite.Wants(t, s.Keys.SetKeyChecked(t.Context(), u.ID, []byte("old"), suite.Day, true), db.ErrConflict)
	got, err := s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, got, k)
	must(t, s.Keys.SetKeyChecked(t.Context(), u.ID, []byte("new"), suite.Day, true))
	k.CheckedAt, k.Accepted = suite.Day, true
	got, err = s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, got, k)
}
