package suite_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
)

func TestKeyIsKeptReplacedAndForgotten(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	_, err := s.Keys.Key(t.Context(), u.ID)
	wants(t, err, db.ErrNotFound)

	k := secrets.Key{UserID: u.ID, ServiceID: 1, Sealed: []byte("one"), LastFour: "1111", Fingerprint: []byte{1}, CreatedAt: day, CheckedAt: day, Accepted: true}
	must(t, s.Keys.PutKey(t.Context(), k))
	got, err := s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)

	k = secrets.Key{UserID: u.ID, ServiceID: 1, Sealed: []byte("two"), LastFour: "2222", Fingerprint: []byte{2}, CreatedAt: day.Add(time.Hour)}
	must(t, s.Keys.PutKey(t.Context(), k))
	got, err = s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)

	must(t, s.Keys.DeleteKey(t.Context(), u.ID))
	_, err = s.Keys.Key(t.Context(), u.ID)
	wants(t, err, db.ErrNotFound)
	must(t, s.Keys.DeleteKey(t.Context(), u.ID))
	wants(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: 99, Sealed: []byte("x"), CreatedAt: day}), db.ErrNotFound)
}

func TestCheckCountsForTheKeyThatWasChecked(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	k := secrets.Key{UserID: u.ID, ServiceID: 1, Sealed: []byte("new"), CreatedAt: day}
	must(t, s.Keys.PutKey(t.Context(), k))
	wants(t, s.Keys.SetKeyChecked(t.Context(), u.ID, []byte("old"), day, true), db.ErrConflict)
	got, err := s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)
	must(t, s.Keys.SetKeyChecked(t.Context(), u.ID, []byte("new"), day, true))
	k.CheckedAt, k.Accepted = day, true
	got, err = s.Keys.Key(t.Context(), u.ID)
	must(t, err)
	same(t, got, k)
}

func TestAFollowedTaskHasTheKeyItWasFoundWithUntilItEnds(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	lost := bring(t, s, addTask(t, s, ann, "x").ID, db.Unconfirmed, day)
	_, err := s.Tasks.UpdateTask(t.Context(), lost.ID, func(t *db.Task) error { return t.Decide(day) })
	must(t, err)
	k := secrets.Key{UserID: ann, Sealed: []byte("sealed"), Fingerprint: []byte("one")}
	_, err = s.Calls.FollowTask(t.Context(), lost.ID, "found", k, func(t *db.Task) error { return t.Follow("found", day) })
	must(t, err)
	keeps := func(id int64) {
		t.Helper()
		got, err := s.Calls.TaskKey(t.Context(), id)
		must(t, err)
		same(t, got, k)
	}
	keeps(lost.ID)

	answered := func(remote string, change func(*db.Task) error) int64 {
		t.Helper()
		added, err := s.Calls.AddAnswered(t.Context(), lost.ID, remote, func(t *db.Task) error {
			return errors.Join(t.Begin(day), t.Accept(db.Report{RemoteID: remote, Status: "pending"}, day, day), change(t))
		})
		must(t, err)
		return added.ID
	}
	keeps(answered("late", func(*db.Task) error { return nil }))
	ended := answered("over", func(t *db.Task) error { return t.Report(db.Report{RemoteID: "over", Status: "failed"}, day, day) })
	_, err = s.Calls.TaskKey(t.Context(), ended)
	wants(t, err, db.ErrNotFound)
}

func TestATaskThatHasEndedGetsNoKey(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	for _, state := range []db.State{db.Failed, db.Rejected} {
		ended := bring(t, s, addTask(t, s, ann, "x").ID, state, day).ID
		must(t, s.Calls.SetTaskKey(t.Context(), ended, secrets.Key{UserID: ann, Sealed: []byte("x")}))
		_, err := s.Calls.TaskKey(t.Context(), ended)
		wants(t, err, db.ErrNotFound)
	}
}

func TestNoTaskFollowsTheIDOfAnother(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	other := bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, day)
	lost := bring(t, s, addTask(t, s, ann, "x").ID, db.Unconfirmed, day)
	_, err := s.Calls.FollowTask(t.Context(), lost.ID, other.RemoteID, secrets.Key{Sealed: []byte("x")}, func(t *db.Task) error { return t.Follow(other.RemoteID, day) })
	wants(t, err, db.ErrTaken)
}
