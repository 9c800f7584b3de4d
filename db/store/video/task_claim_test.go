package video_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

func TestOnlyDueTasksAreClaimed(t *testing.T) {
	for _, state := range db.States() {
		s := suite.Open(t)
		id := suite.Bring(t, s, suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "x").ID, state, suite.Day).ID
		waits := state == db.Queued || state == db.Pending || state == db.Processing || state == db.Success
		if early := suite.Claim(t, s, "me", suite.Day.Add(-time.Millisecond), 10); len(early) > 0 {
			t.Errorf("%s is claimed before it is due", state)
		}
		due, err := s.Leases.NextDue(t.Context(), suite.Roomy)
		must(t, err)
		if due.Equal(suite.Day) != waits || due.IsZero() == waits {
			t.Errorf("%s is due at %v", state, due)
		}
		got := suite.Claim(t, s, "me", suite.Day, 10)
		if waits != (len(got) == 1) {
			t.Errorf("%s: claimed %d", state, len(got))
		}
		if waits && (got[0].ID != id || got[0].State != state || got[0].UserName != "Ann") {
			t.Errorf("%s: claimed %+v", state, got[0])
		}
	}
}

func TestKeptVideoIsNotClaimedAgain(t *testing.T) {
	s := suite.Open(t)
	id := suite.Bring(t, s, suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "x").ID, db.Success, suite.Day).ID
	_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { return t.Keep(nil, true) })
	must(t, err)
	suite.Claimed(t, s, suite.Day.Add(time.Hour))
	if due, err := s.Leases.NextDue(t.Context(), suite.Roomy); !due.IsZero() || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
}

func TestLeasedTaskIsLeftAlone(t *testing.T) {
	s := suite.Open(t)
	id := suite.Bring(t, s, suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "x").ID, db.Pending, suite.Day).ID
	suite.Claimed(t, s, suite.Day, id)
	suite.Claimed(t, s, suite.Day.Add(suite.Lease-time.Millisecond))
	if due, err := s.Leases.NextDue(t.Context(), suite.Roomy); !due.Equal(suite.Day.Add(suite.Lease)) || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
	suite.Claimed(t, s, suite.Day.Add(suite.Lease), id)

	now := suite.Day.Add(suite.Lease)
	must(t, s.Leases.Renew(t.Context(), "me", id, now.Add(2*suite.Lease)))
	suite.Claimed(t, s, now.Add(suite.Lease))
	suite.Wants(t, s.Leases.Renew(t.Context(), "you", id, now), db.ErrConflict)

	_, err := s.Tasks.UpdateTask(t.Context(), id, func(*db.Task) error { return nil })
	must(t, err)
	suite.Wants(t, s.Leases.Renew(t.Context(), "me", id, now), db.ErrConflict)
	suite.Claimed(t, s, now, id)
}

func TestLostLeaseCannotBeRenewed(t *testing.T) {
	s := suite.Open(t)
	id := suite.Bring(t, s, suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "x").ID, db.Pending, suite.Day).ID
	suite.Claim(t, s, "slow", suite.Day, 1)
	suite.Claim(t, s, "quick", suite.Day.Add(suite.Lease), 1)
	suite.Wants(t, s.Leases.Renew(t.Context(), "slow", id, suite.Day.Add(2*suite.Lease)), db.ErrConflict)
	must(t, s.Leases.Renew(t.Context(), "quick", id, suite.Day.Add(2*suite.Lease)))
}

// Beginning the create call is a step within the lease holder's work, not its end.
func TestLeaseLastsWhileTheTaskIsSent(t *testing.T) {
	s := suite.Open(t)
	id := suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "x").ID
	suite.Claimed(t, s, suite.Day, id)
	suite.Bring(t, s, id, db.Sending, suite.Day)
	must(t, s.Leases.Renew(t.Context(), "me", id, suite.Day.Add(2*suite.Lease)))
	if due, err := s.Leases.NextDue(t.Context(), suite.Roomy); !due.IsZero() || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
	_, err := s.Calls.SettleCall(t.Context(), id, func(t *db.Task) error {
		return t.Accept(db.Report{Status: "pending"}, suite.Day, suite.Day)
	})
	must(t, err)
	suite.Wants(t, s.Leases.Renew(t.Context(), "me", id, suite.Day.Add(2*suite.Lease)), db.ErrConflict)
	suite.Claimed(t, s, suite.Day, id)
}

// Whoever finds that the key is busy gives the task back, but never a task whose create
// call has begun.
func TestALeaseDoesNotEndWhileTheTaskIsSent(t *testing.T) {
	s := suite.Open(t)
	id := suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "x").ID
	suite.Claimed(t, s, suite.Day, id)
	must(t, s.Leases.EndLease(t.Context(), "me", id))
	suite.Claimed(t, s, suite.Day, id)
	suite.Bring(t, s, id, db.Sending, suite.Day)
	must(t, s.Leases.EndLease(t.Context(), "me", id))
	must(t, s.Leases.Renew(t.Context(), "me", id, suite.Day.Add(2*suite.Lease)))
}

func TestCreatesGoOutOneAfterAnother(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	first, second := suite.AddTask(t, s, u.ID, "1").ID, suite.AddTask(t, s, u.ID, "2").ID
	suite.Claimed(t, s, suite.Day, first) // only the oldest
	suite.Claimed(t, s, suite.Day)        // because it is leased
	suite.Bring(t, s, first, db.Sending, suite.Day)
	suite.Claimed(t, s, suite.Day.Add(2*suite.Lease)) // because it is being sent, however long that takes
	if due, err := s.Leases.NextDue(t.Context(), suite.Roomy); !due.IsZero() || err != nil {
		t.Errorf("blocked, but due at %v, %v", due, err)
	}
	_, err := s.Calls.SettleCall(t.Context(), first, func(t *db.Task) error {
		return t.Accept(db.Report{Status: "pending"}, suite.Day, suite.Day.Add(time.Hour))
	})
	must(t, err)
	if due, err := s.Leases.NextDue(t.Context(), suite.Roomy); !due.Equal(suite.Day) || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
	suite.Claimed(t, s, suite.Day, second)
}

// A create call that was given up may still reach the service, so the next one with
// the same key waits until it has ended.
func TestAHangingCreateKeepsItsKeyBusy(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	first, second := suite.AddTask(t, s, u.ID, "1").ID, suite.AddTask(t, s, u.ID, "2").ID
	suite.Bring(t, s, first, db.Sending, suite.Day)
	_, err := s.Tasks.UpdateTask(t.Context(), first, func(t *db.Task) error { return t.Lose("no answer", suite.Day) })
	must(t, err)
	for _, decided := range []bool{false, true} {
		if decided {
			_, err := s.Tasks.UpdateTask(t.Context(), first, func(t *db.Task) error { return t.Decide(suite.Day) })
			must(t, err)
		}
		due, err := s.Leases.NextDue(t.Context(), suite.Roomy)
		must(t, err)
		if tasks := suite.Claim(t, s, "me", suite.Day, 9); len(tasks) > 0 || !due.IsZero() {
			t.Errorf("decided %t: claimed %v, due at %v", decided, suite.IDs(tasks), due)
		}
	}
	must(t, s.Calls.EndCall(t.Context(), first, suite.Day))
	suite.Claimed(t, s, suite.Day, second)
}

func TestTaskThatWasPutBackLetsTheNextOneGo(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	first, second := suite.AddTask(t, s, u.ID, "1").ID, suite.AddTask(t, s, u.ID, "2").ID
	suite.Bring(t, s, first, db.Sending, suite.Day)
	_, err := s.Calls.SettleCall(t.Context(), first, func(t *db.Task) error { return t.PutBack("busy", suite.Day.Add(time.Second)) })
	must(t, err)
	suite.Claimed(t, s, suite.Day, second)
	suite.Claimed(t, s, suite.Day.Add(2*time.Second)) // the key is in use
	suite.Bring(t, s, second, db.Rejected, suite.Day)
	suite.Claimed(t, s, suite.Day.Add(2*time.Second), first)
}

func TestPeopleWithOneKeySendOneAtATime(t *testing.T) {
	s := suite.Open(t)
	ann, bo, cy, di := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID, suite.AddUser(t, s, "Cy").ID, suite.AddUser(t, s, "Di").ID
	suite.PutKey(t, s, ann, "shared")
	suite.PutKey(t, s, bo, "shared")
	suite.PutKey(t, s, cy, "own")
	suite.PutKey(t, s, di, "") // stored without a fingerprint
	bos, anns := suite.AddTask(t, s, bo, "x").ID, suite.AddTask(t, s, ann, "x").ID
	cys, dis := suite.AddTask(t, s, cy, "x").ID, suite.AddTask(t, s, di, "x").ID
	suite.Claimed(t, s, suite.Day, bos, cys, dis)
	suite.Bring(t, s, bos, db.Sending, suite.Day)
	suite.Claimed(t, s, suite.Day)
	must(t, s.Keys.DeleteKey(t.Context(), bo))
	suite.Claimed(t, s, suite.Day) // the call is still under way, with the key that it began with
	must(t, s.Calls.EndCall(t.Context(), bos, suite.Day))
	suite.Claimed(t, s, suite.Day, anns)
}

func TestEachKindHasItsCapacityAndTheLongestDueComesFirst(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	late := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, suite.Day).ID
	later := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, suite.Day.Add(-time.Hour)).ID
	saving := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Success, suite.Day.Add(-time.Minute)).ID
	anns, bos := suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, bo, "x").ID
	suite.AddTask(t, s, bo, "x")
	suite.Same(t, suite.IDs(suite.Claim(t, s, "me", suite.Day, 0)), nil)
	suite.Same(t, suite.IDs(suite.Claim(t, s, "me", suite.Day, 1)), []int64{anns, later, saving})
	suite.Same(t, suite.IDs(suite.Claim(t, s, "me", suite.Day, 3)), []int64{bos, late})
	suite.Claimed(t, s, suite.Day)
}

// The videos of one person, however many and however long due, do not hold up the query
// about the single video of another, nor do those sent with one key hold up those of the
// same person that were sent with another.
func TestPeopleAndTheirKeysTakeTurnsAtBeingAskedAbout(t *testing.T) {
	s := suite.Open(t)
	many, one := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	for range 30 {
		suite.Bring(t, s, suite.AddTask(t, s, many, "x").ID, db.Pending, suite.Day.Add(-time.Hour))
	}
	other := suite.AddTask(t, s, many, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "me", other, secrets.Key{TeamKeyID: 7, Sealed: []byte("x")}, suite.Day)
	must(t, err)
	_, err = s.Calls.SettleCall(t.Context(), other, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: "other", Status: "pending"}, suite.Day, suite.Day.Add(-time.Minute))
	})
	must(t, err)
	bos := suite.Bring(t, s, suite.AddTask(t, s, one, "x").ID, db.Pending, suite.Day).ID
	turns, asked := &schedule.Turns{}, map[int64]int{}
	for i := range 8 {
		claimed, err := s.Leases.Claim(t.Context(), "me", suite.Day, suite.Day.Add(suite.Lease), schedule.Capacity{Query: 2, Turns: turns})
		must(t, err)
		if len(claimed) != 2 {
			t.Fatalf("claim %d: %d tasks", i, len(claimed))
		}
		for _, task := range claimed {
			asked[task.ID] = i + 1
		}
	}
	if asked[bos] != 1 || asked[other] == 0 || asked[other] > 2 {
		t.Errorf("Bo's video is in claim %d, that with Ann's other key in claim %d", asked[bos], asked[other])
	}
}

// However few queries there is room for, the oldest due tasks of everybody are reached.
func TestEveryDueTaskHasItsTurn(t *testing.T) {
	s := suite.Open(t)
	for i := range 12 {
		maker := suite.AddUser(t, s, fmt.Sprint("Ann ", i)).ID
		for range 1 + i%4 {
			suite.Bring(t, s, suite.AddTask(t, s, maker, "x").ID, db.Pending, suite.Day)
		}
	}
	turns, asked := &schedule.Turns{}, map[int64]bool{}
	for range 60 {
		claimed, err := s.Leases.Claim(t.Context(), "me", suite.Day, suite.Day.Add(suite.Lease), schedule.Capacity{Query: 3, Turns: turns})
		must(t, err)
		for _, task := range claimed {
			asked[task.ID] = true
		}
	}
	if len(asked) != 30 {
		t.Errorf("%d of 30 tasks were claimed", len(asked))
	}
}

func TestProcessesAreCounted(t *testing.T) {
	stores := suite.OpenTwice(t)
	want := 1
	if stores[0] != stores[1] {
		want = 2
	}
	for _, s := range stores {
		must(t, s.Enter(t.Context(), false))
	}
	n, err := stores[0].Processes(t.Context())
	must(t, err)
	suite.Same(t, n, want)
}

func TestEachTaskIsLeasedOnce(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	for range 60 {
		suite.Bring(t, s, suite.AddTask(t, s, u.ID, "x").ID, db.Pending, suite.Day)
	}
	for i := range 5 {
		u := suite.AddUser(t, s, string(rune('a'+i)))
		suite.PutKey(t, s, u.ID, "one key")
		suite.AddTask(t, s, u.ID, "x")
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	times := map[int64]int{}
	creates := 0
	for range 50 {
		all.Go(func() {
			tasks, err := s.Leases.Claim(
				t.Context(), secrets.NewToken(), suite.Day, suite.Day.Add(suite.Lease),
				schedule.Capacity{Send: 3, Query: 3, Keep: 3},
			)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, task := range tasks {
				times[task.ID]++
				if task.State == db.Queued {
					creates++
				}
			}
		})
	}
	all.Wait()
	for id, n := range times {
		if n != 1 {
			t.Errorf("task %d was leased %d times", id, n)
		}
	}
	if len(times) != 61 || creates != 1 {
		t.Errorf("%d tasks were leased, %d of them creates", len(times), creates)
	}
}

func TestRecoverSettlesWhatWasInterrupted(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	sending := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Sending, suite.Day).ID
	queued := suite.AddTask(t, s, bo, "x").ID
	asked := suite.Bring(t, s, suite.AddTask(t, s, bo, "x").ID, db.Pending, suite.Day).ID
	suite.Claimed(t, s, suite.Day, queued, asked)

	now := suite.Day.Add(time.Second)
	lost, err := s.Leases.Recover(t.Context(), now)
	must(t, err)
	got, err := s.Tasks.Task(t.Context(), sending)
	must(t, err)
	if len(lost) != 1 || got.State != db.Unconfirmed || !got.DoneAt.Equal(now) ||
		got.Message != "Dailies was stopped while it was sending this." {
		t.Errorf("%d lost, %+v", len(lost), got)
	}
	suite.Claimed(t, s, now, queued, asked)
	answered := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Sending, suite.Day).ID
	if lost, err := s.Leases.Recover(t.Context(), now, answered); len(lost) != 0 || err != nil {
		t.Errorf("once more: %d lost, %v", len(lost), err)
	}
	if lost, err := s.Leases.Recover(t.Context(), now, sending); len(lost) != 1 || err != nil {
		t.Errorf("without its answer: %d lost, %v", len(lost), err)
	}
}

func TestAProcessThatStartsLeavesAloneWhatAnotherOneSends(t *testing.T) {
	stores := suite.OpenTwice(t)
	if stores[0] == stores[1] {
		t.Skip("one process at a time opens the database")
	}
	for _, s := range stores {
		must(t, s.Enter(t.Context(), false))
	}
	id := suite.AddTask(t, stores[0], suite.AddUser(t, stores[0], "Ann").ID, "x").ID
	_, err := stores[0].Calls.SendTask(t.Context(), stores[0].Process(), id, secrets.Key{Sealed: []byte("x")}, suite.Day)
	must(t, err)
	if lost, err := stores[1].Leases.Recover(t.Context(), suite.Day.Add(time.Hour)); len(lost) != 0 || err != nil {
		t.Errorf("%d lost, %v", len(lost), err)
	}
}

// The 190 waiting videos of one person do not delay the single video of a
// colleague, nor the videos of a third, whose turn comes next.
func TestPeopleTakeTurnsWithinAKey(t *testing.T) {
	s := suite.Open(t)
	many, one, few := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID, suite.AddUser(t, s, "Cy").ID
	for _, u := range []int64{many, one, few} {
		suite.PutKey(t, s, u, "shared")
	}
	whose := map[int64]string{}
	add := func(userID int64, name string, n int) {
		for range n {
			whose[suite.AddTask(t, s, userID, "x").ID] = name
		}
	}
	add(many, "a", 190)
	next := func() string {
		t.Helper()
		tasks := suite.Claim(t, s, "me", suite.Day, 5)
		if len(tasks) != 1 {
			t.Fatalf("%d were claimed at once", len(tasks))
		}
		suite.Bring(t, s, tasks[0].ID, db.Rejected, suite.Day)
		return whose[tasks[0].ID]
	}
	order := next() + next()
	add(one, "b", 1)
	add(few, "c", 3)
	for range 8 {
		order += next()
	}
	suite.Same(t, order, "aabcacacaa")
}

// With a single free worker, the oldest task does not keep it idle if it is the turn of
// a colleague with the same key.
func TestTheLastWorkerSendsForWhoeverHasWaitedLongest(t *testing.T) {
	s := suite.Open(t)
	ann, bo, cy := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID, suite.AddUser(t, s, "Cy").ID
	suite.PutKey(t, s, ann, "shared")
	suite.PutKey(t, s, bo, "shared")
	first := suite.AddTask(t, s, ann, "x").ID
	second := suite.AddTask(t, s, ann, "x").ID
	own, shared := suite.AddTask(t, s, cy, "x").ID, suite.AddTask(t, s, bo, "x").ID
	var order []int64
	for range 4 {
		tasks := suite.Claim(t, s, "me", suite.Day, 1)
		if len(tasks) != 1 {
			t.Fatalf("%d were claimed after %v", len(tasks), order)
		}
		order = append(order, tasks[0].ID)
		suite.Bring(t, s, tasks[0].ID, db.Rejected, suite.Day)
	}
	suite.Same(t, order, []int64{first, own, shared, second})
}

func TestHeldTaskIsNotClaimedAgain(t *testing.T) {
	s := suite.Open(t)
	ann, bo, cy := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID, suite.AddUser(t, s, "Cy").ID
	asked := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, suite.Day).ID
	saved := suite.Bring(t, s, suite.AddTask(t, s, bo, "x").ID, db.Success, suite.Day).ID
	queued := suite.AddTask(t, s, cy, "x").ID
	suite.AddTask(t, s, cy, "waits for the one before")
	held := []int64{asked, saved, queued}
	now := suite.Day.Add(time.Hour) // every lease has expired
	tasks, err := s.Leases.Claim(t.Context(), "me", now, now.Add(suite.Lease), schedule.Capacity{Send: 9, Query: 9, Keep: 9, Held: held})
	must(t, err)
	suite.Same(t, suite.IDs(tasks), nil)
	suite.Claimed(t, s, now, queued, asked, saved)
}

// If the answer of an earlier call is recorded late, when the task was put back and
// is being sent again, it does not free the key of the call that is under way.
func TestAnEarlierCallEndsNoLaterOne(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	first, second := suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, ann, "x").ID
	suite.Bring(t, s, first, db.Sending, suite.Day)
	_, err := s.Calls.SettleCall(t.Context(), first, func(t *db.Task) error { return t.PutBack("busy", suite.Day) })
	must(t, err)
	later := suite.Day.Add(time.Minute)
	suite.Bring(t, s, first, db.Sending, later)
	must(t, s.Calls.EndCall(t.Context(), first, suite.Day))
	suite.Claimed(t, s, later)
	must(t, s.Calls.EndCall(t.Context(), first, later))
	suite.Claimed(t, s, later, second)
}

func TestEndedCallKeepsNobodyWaiting(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	ended, next := suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, ann, "x").ID
	suite.Bring(t, s, ended, db.Sending, suite.Day)
	suite.Claimed(t, s, suite.Day)
	must(t, s.Calls.EndCall(t.Context(), ended, suite.Day))
	suite.Claimed(t, s, suite.Day, next)
}

// The end of a create call could not be recorded, so its key stays busy until the next
// look for what is stuck; while the process still holds the task, it stays busy.
func TestACallThatNobodyMakesAnyLongerFreesItsKey(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	ended, next := suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, ann, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "me", ended, secrets.Key{Sealed: []byte("x")}, suite.Day)
	must(t, err)
	_, err = s.Tasks.UpdateTask(t.Context(), ended, func(t *db.Task) error { return t.Lose("no answer", suite.Day) })
	must(t, err)
	_, err = s.Unstick(t.Context(), "me", suite.Day, time.Hour, suite.Lease, []int64{ended})
	must(t, err)
	suite.Claimed(t, s, suite.Day)
	_, err = s.Unstick(t.Context(), "me", suite.Day, time.Hour, suite.Lease, nil)
	must(t, err)
	suite.Claimed(t, s, suite.Day, next)
}

// Creates go out one at a time per key. What counts is the key that a task is sent
// with, even after its maker has got another one.
func TestKeyThatATaskWasSentWithIsBusy(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	suite.PutKey(t, s, bo, "old")
	first, second, bos := suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, bo, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "me", first, secrets.Key{Sealed: []byte("x"), Fingerprint: []byte("old")}, suite.Day)
	must(t, err)
	suite.PutKey(t, s, ann, "new")
	suite.Claimed(t, s, suite.Day, second) // Bo's task waits for the old key
	_, err = s.Calls.SettleCall(
		t.Context(), first,
		func(t *db.Task) error { return t.Accept(db.Report{RemoteID: "r"}, suite.Day, suite.Day.Add(time.Hour)) },
	)
	must(t, err)
	suite.Claimed(t, s, suite.Day, bos)
	k, err := s.Calls.TaskKey(t.Context(), first)
	must(t, err)
	suite.Same(t, string(k.Fingerprint), "old")
}

func TestLeasesAndTimesOfAWrongClockAreRepaired(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	far := suite.Day.AddDate(0, 0, 1)
	asked := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, far).ID
	soon := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, suite.Day.Add(time.Hour)).ID
	leased := suite.Bring(t, s, suite.AddTask(t, s, bo, "x").ID, db.Pending, suite.Day).ID
	sending := suite.Bring(t, s, suite.AddTask(t, s, bo, "x").ID, db.Sending, suite.Day).ID
	suite.Claim(t, s, "an earlier clock", far, 1)
	_ = leased
	found, err := s.Unstick(t.Context(), "me", suite.Day, 2*time.Hour, suite.Lease, []int64{sending})
	must(t, err)
	if found.Early == 0 || found.Leases != 1 || len(found.Lost) != 0 {
		t.Errorf("got %+v", found)
	}
	if early := suite.IDs(suite.Claim(t, s, "me", suite.Day.Add(suite.Lease), 9)); len(early) != 2 {
		t.Errorf("claimed %v, want %d and %d without %d", early, asked, leased, soon)
	}
	found, err = s.Unstick(t.Context(), "me", suite.Day, 2*time.Hour, suite.Lease, nil)
	must(t, err)
	if task, err := s.Tasks.Task(t.Context(), sending); err != nil || len(found.Lost) != 1 || task.State != db.Unconfirmed {
		t.Errorf("got %+v, %s, %v", found, task.State, err)
	}
}

func TestAVideoThatAWrongClockHasPostponedIsSent(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	far, later := suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, suite.AddUser(t, s, "Bo").ID, "x").ID
	for id, at := range map[int64]time.Time{far: suite.Day.AddDate(0, 0, 1), later: suite.Day.Add(time.Hour)} {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { t.NextAt = at; return nil })
		must(t, err)
	}
	_, err := s.Unstick(t.Context(), "me", suite.Day, 2*time.Hour, suite.Lease, nil)
	must(t, err)
	suite.Claimed(t, s, suite.Day, far)
}

// The look for what is stuck, which happens every half minute, waits for no write as
// long as it finds nothing.
func TestALookForWhatIsStuckWaitsForNoWrite(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	id := suite.AddTask(t, s, ann, "x").ID
	suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, suite.Day.Add(time.Minute))
	_, err := s.Tasks.UpdateTask(t.Context(), id, func(*db.Task) error {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		found, err := s.Unstick(ctx, "me", suite.Day, time.Hour, suite.Lease, nil)
		if found.Early+found.Leases+len(found.Lost) > 0 {
			t.Errorf("found %+v", found)
		}
		return err
	})
	must(t, err)
}

func TestAnswersWithStatesThatNobodyKnowsAreBounded(t *testing.T) {
	s := suite.Open(t)
	id := suite.AddTask(t, s, suite.AddUser(t, s, "Ann").ID, "a kite").ID
	for i := range 50 {
		word := fmt.Sprint("dreaming ", i, strings.Repeat("x", 1000))
		a := db.Answer{
			Call: "query", Status: word, HTTP: 200, Body: strings.Repeat("é", 1<<19),
			At: suite.Day.Add(time.Duration(i) * time.Second),
		}
		_, err := s.Tasks.UpdateTask(
			t.Context(), id, func(*db.Task) error { return nil }, a,
			db.Answer{Call: "query", Status: "processing", HTTP: 200, At: a.At},
		)
		must(t, err)
	}
	answers, err := s.Tasks.Answers(t.Context(), id)
	must(t, err)
	if len(answers) != 4 {
		t.Fatalf("%d answers are kept", len(answers))
	}
	for _, a := range answers {
		if len(a.Body) > 64<<10 || len(a.Status) > 100 {
			t.Errorf("%d bytes under %q", len(a.Body), a.Status)
		}
	}
	if last := answers[len(answers)-1]; !strings.HasPrefix(last.Status, "dreaming 49") && last.Status != "processing" {
		t.Errorf("the newest is %q", last.Status)
	}
}

// Two processes may both believe that they have to send a task, for example because
// one of them was paused. Only one create call begins, and only one at a time per
// key.
func TestOneCreateCallBeginsPerKey(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	key := secrets.Key{Sealed: []byte("x"), Fingerprint: []byte("shared")}
	first := suite.AddTask(t, s, ann, "x").ID
	suite.Claim(t, s, "slow", suite.Day, 1)
	suite.Claim(t, s, "quick", suite.Day.Add(suite.Lease), 1)
	second := suite.AddTask(t, s, bo, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "slow", first, key, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	_, err = s.Calls.SendTask(t.Context(), "quick", first, key, suite.Day)
	must(t, err)
	_, err = s.Calls.SendTask(t.Context(), "quick", first, key, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	_, err = s.Calls.SendTask(t.Context(), "slow", second, key, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	if task, err := s.Tasks.Task(t.Context(), second); task.State != db.Queued || err != nil {
		t.Errorf("it is %s, %v", task.State, err)
	}
	must(t, s.Calls.EndCall(t.Context(), first, suite.Day))
	_, err = s.Calls.SendTask(t.Context(), "slow", second, key, suite.Day)
	must(t, err)
}

func TestTheWorkOfAllProcessesIsCounted(t *testing.T) {
	stores := suite.OpenTwice(t)
	s := stores[0]
	ann := suite.AddUser(t, s, "Ann")
	suite.AddTask(t, s, ann.ID, "one")
	suite.AddTask(t, s, ann.ID, "two")
	suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "asked about").ID, db.Pending, suite.Day)
	expect := func(at time.Time, want schedule.Work) {
		t.Helper()
		got, err := stores[1].Work(t.Context(), at)
		must(t, err)
		want.Processes, want.Paid = 1, 30
		suite.Same(t, got, want)
	}
	none := schedule.Leases{}
	expect(suite.Day.Add(-time.Second), schedule.Work{
		Queued: 2, Leases: map[string]schedule.Leases{"task": none, "notice": none, "mail": none, "job": none},
	})
	later := suite.Day.Add(5 * time.Second)
	expect(later, schedule.Work{
		Queued: 2, OldestDue: 5 * time.Second,
		Leases: map[string]schedule.Leases{"task": none, "notice": none, "mail": none, "job": none},
	})
	if got := suite.Claim(t, s, "me", later, 10); len(got) != 2 {
		t.Fatalf("%d are claimed, want a create and a question", len(got))
	}
	_, err := s.Leases.TakeJob(t.Context(), "bin", "me", later, later.Add(suite.Lease))
	must(t, err)
	expect(later, schedule.Work{
		Queued: 2, Leases: map[string]schedule.Leases{"task": {Held: 2}, "notice": none, "mail": none, "job": {Held: 1}},
	})
	expect(later.Add(suite.Lease), schedule.Work{
		Queued: 2, OldestDue: 5*time.Second + suite.Lease,
		Leases: map[string]schedule.Leases{"task": {Overdue: 2}, "notice": none, "mail": none, "job": {Overdue: 1}},
	})
	if _, writes := s.Pools(); writes.MaxOpenConnections == 0 {
		t.Error("the connections are not counted")
	}
}

// BenchmarkClaim10k claims some of 10,000 running tasks beside 100,000 finished
// ones.
func BenchmarkClaim10k(b *testing.B) {
	c, users := filled(b, 100_000, 10_000)
	now := db.Now()
	b.Run("claim and put back", func(b *testing.B) {
		sampletest.Timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.Leases.Claim(b.Context(), "bench", now, now.Add(time.Millisecond), schedule.Capacity{Send: 16, Query: 16, Keep: 4})
			must(b, err)
		})
	})
	b.Run("queue", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Leases.Queue(b.Context(), users[0].ID)
			must(b, err)
		})
	})
	b.Run("update", func(b *testing.B) {
		sampletest.Timed(b, func() {
			now = now.Add(time.Second)
			_, err := c.Tasks.UpdateTask(b.Context(), 100_500, func(t *db.Task) error {
				return t.Report(db.Report{Status: "processing"}, now, now.Add(time.Second))
			})
			must(b, err)
		})
	})
	b.Run("next due", func(b *testing.B) {
		sampletest.Timed(b, func() {
			_, err := c.Leases.NextDue(b.Context(), suite.Roomy)
			must(b, err)
		})
	})
}

func TestJobBelongsToOneProcessAtATime(t *testing.T) {
	s := suite.Open(t)
	take := func(owner string, now time.Time) bool {
		t.Helper()
		mine, err := s.Leases.TakeJob(t.Context(), "sweep", owner, now, now.Add(suite.Lease))
		must(t, err)
		return mine
	}
	if !take("a", suite.Day) || take("b", suite.Day) || !take("a", suite.Day.Add(suite.Lease/2)) ||
		take("b", suite.Day.Add(suite.Lease)) || !take("b", suite.Day.Add(2*suite.Lease)) {
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
