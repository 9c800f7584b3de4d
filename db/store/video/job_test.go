package video_test

import (
	"testing"
	"time"

	"dailies/db/store/suite"
)

func TestJobBelongsToOneProcessAtATime(t *testing.T) {
	s := suite.Open(t)
	take := func(owner string, now time.Time) bool {
		t.Helper()
		mine, err := s.Leases.TakeJob(t.Context(), "sweep", owner, now, now.Add(suite.Lease))
		must(t, err)
		return mine
	}
	if !take("a", suite.Day) || take("b", suite.Day) || !take("a", suite.Day.Add(suite.Lease/2)) || take("b", suite.Day.Add(suite.Lease)) || !take("b", suite.Day.Add(2*suite.Lease)) {
		t.Error("two have it, or nobody")
	}
	must(t, s.Leases.EndJob(t.Context(), "sweep", "a")) // of another owner
	if take("a", suite.Day.Add(2*suite.Lease)) {
		t.Error("somebody else ended it")
	}
	must(t, s.Leases.EndJob(t.Context(), "sweep", "b"))
	if !take("a", suite.Day.Add(2*suite.Lease)) {
		t.Error("it goes on after its end")
	}
}
