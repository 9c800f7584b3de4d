package video_test

import (
	"errors"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/suite"
)

func TestAFollowedTaskHasTheKeyItWasFoundWithUntilItEnds(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	lost := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Unconfirmed, suite.Day)
	_, err := s.Tasks.UpdateTask(t.Context(), lost.ID, func(t *db.Task) error { return t.Decide(suite.Day) })
	must(t, err)
	k := secrets.Key{UserID: ann, Sealed: []byte("sealed"), Fingerprint: []byte("one")}
	_, err = s.Calls.FollowTask(t.Context(), lost.ID, "found", k, func(t *db.Task) error { return t.Follow("found", suite.Day) })
	must(t, err)
	keeps := func(id int64) {
		t.Helper()
		got, err := s.Calls.TaskKey(t.Context(), id)
		must(t, err)
		suite.Same(t, got, k)
	}
	keeps(lost.ID)

	answered := func(remote string, change func(*db.Task) error) int64 {
		t.Helper()
		added, err := s.Calls.AddAnswered(t.Context(), lost.ID, remote, func(t *db.Task) error {
			return errors.Join(t.Begin(suite.Day), t.Accept(db.Report{RemoteID: remote, Status: "pending"}, suite.Day, suite.Day), change(t))
		})
		must(t, err)
		return added.ID
	}
	keeps(answered("late", func(*db.Task) error { return nil }))
	ended := answered("over", func(t *db.Task) error {
		return t.Report(db.Report{RemoteID: "over", Status: "failed"}, suite.Day, suite.Day)
	})
	_, err = s.Calls.TaskKey(t.Context(), ended)
	suite.Wants(t, err, db.ErrNotFound)
}

func TestATaskThatHasEndedGetsNoKey(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	for _, state := range []db.State{db.Failed, db.Rejected} {
		ended := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, state, suite.Day).ID
		must(t, s.Calls.SetTaskKey(t.Context(), ended, secrets.Key{UserID: ann, Sealed: []byte("x")}))
		_, err := s.Calls.TaskKey(t.Context(), ended)
		suite.Wants(t, err, db.ErrNotFound)
	}
}

func TestNoTaskFollowsTheIDOfAnother(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	other := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, suite.Day)
	lost := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Unconfirmed, suite.Day)
	_, err := s.Calls.FollowTask(t.Context(), lost.ID, other.RemoteID, secrets.Key{Sealed: []byte("x")}, func(t *db.Task) error { return t.Follow(other.RemoteID, suite.Day) })
	suite.Wants(t, err, db.ErrTaken)
}
