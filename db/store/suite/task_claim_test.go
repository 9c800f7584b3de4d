package suite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
)

const lease = time.Minute

// roomy is the capacity of a worker pool that has nothing to do.
var roomy = schedule.Capacity{Send: 9, Ask: 9, Keep: 9}

func claim(t *testing.T, s *store.Store, owner string, now time.Time, limit int) []db.Task {
	t.Helper()
	tasks, err := s.Leases.Claim(t.Context(), owner, now, now.Add(lease), schedule.Capacity{Send: limit, Ask: limit, Keep: limit})
	must(t, err)
	return tasks
}

func claimed(t *testing.T, s *store.Store, now time.Time, want ...int64) {
	t.Helper()
	same(t, idsOf(claim(t, s, "me", now, 100)), want)
}

func putKey(t *testing.T, s *store.Store, userID int64, key string) {
	t.Helper()
	must(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: userID, Sealed: []byte("x"), Fingerprint: []byte(key), CreatedAt: day}))
}

func TestOnlyDueTasksAreClaimed(t *testing.T) {
	for _, state := range db.States() {
		s := open(t)
		id := bring(t, s, addTask(t, s, addUser(t, s, "Ann").ID, "x").ID, state, day).ID
		waits := state == db.Queued || state == db.Pending || state == db.Processing || state == db.Success
		if early := claim(t, s, "me", day.Add(-time.Millisecond), 10); len(early) > 0 {
			t.Errorf("%s is claimed before it is due", state)
		}
		due, err := s.Leases.NextDue(t.Context(), roomy)
		must(t, err)
		if due.Equal(day) != waits || due.IsZero() == waits {
			t.Errorf("%s is due at %v", state, due)
		}
		got := claim(t, s, "me", day, 10)
		if waits != (len(got) == 1) {
			t.Errorf("%s: claimed %d", state, len(got))
		}
		if waits && (got[0].ID != id || got[0].State != state || got[0].UserName != "Ann") {
			t.Errorf("%s: claimed %+v", state, got[0])
		}
	}
}

func TestKeptVideoIsNotClaimedAgain(t *testing.T) {
	s := open(t)
	id := bring(t, s, addTask(t, s, addUser(t, s, "Ann").ID, "x").ID, db.Success, day).ID
	_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { return t.Keep(nil, true) })
	must(t, err)
	claimed(t, s, day.Add(time.Hour))
	if due, err := s.Leases.NextDue(t.Context(), roomy); !due.IsZero() || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
}

func TestLeasedTaskIsLeftAlone(t *testing.T) {
	s := open(t)
	id := bring(t, s, addTask(t, s, addUser(t, s, "Ann").ID, "x").ID, db.Pending, day).ID
	claimed(t, s, day, id)
	claimed(t, s, day.Add(lease-time.Millisecond))
	if due, err := s.Leases.NextDue(t.Context(), roomy); !due.Equal(day.Add(lease)) || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
	claimed(t, s, day.Add(lease), id)

	now := day.Add(lease)
	must(t, s.Leases.Renew(t.Context(), "me", id, now.Add(2*lease)))
	claimed(t, s, now.Add(lease))
	wants(t, s.Leases.Renew(t.Context(), "you", id, now), db.ErrConflict)

	_, err := s.Tasks.UpdateTask(t.Context(), id, func(*db.Task) error { return nil })
	must(t, err)
	wants(t, s.Leases.Renew(t.Context(), "me", id, now), db.ErrConflict)
	claimed(t, s, now, id)
}

func TestLostLeaseCannotBeRenewed(t *testing.T) {
	s := open(t)
	id := bring(t, s, addTask(t, s, addUser(t, s, "Ann").ID, "x").ID, db.Pending, day).ID
	claim(t, s, "slow", day, 1)
	claim(t, s, "quick", day.Add(lease), 1)
	wants(t, s.Leases.Renew(t.Context(), "slow", id, day.Add(2*lease)), db.ErrConflict)
	must(t, s.Leases.Renew(t.Context(), "quick", id, day.Add(2*lease)))
}

// Beginning the create call is a step within the lease holder's work, not its end.
func TestLeaseLastsWhileTheTaskIsSent(t *testing.T) {
	s := open(t)
	id := addTask(t, s, addUser(t, s, "Ann").ID, "x").ID
	claimed(t, s, day, id)
	bring(t, s, id, db.Sending, day)
	must(t, s.Leases.Renew(t.Context(), "me", id, day.Add(2*lease)))
	if due, err := s.Leases.NextDue(t.Context(), roomy); !due.IsZero() || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
	_, err := s.Calls.SettleCall(t.Context(), id, func(t *db.Task) error {
		return t.Accept(db.Report{Status: "pending"}, day, day)
	})
	must(t, err)
	wants(t, s.Leases.Renew(t.Context(), "me", id, day.Add(2*lease)), db.ErrConflict)
	claimed(t, s, day, id)
}

// Whoever finds that the key is busy gives the task back, but never a task whose create
// call has begun.
func TestALeaseDoesNotEndWhileTheTaskIsSent(t *testing.T) {
	s := open(t)
	id := addTask(t, s, addUser(t, s, "Ann").ID, "x").ID
	claimed(t, s, day, id)
	must(t, s.Leases.EndLease(t.Context(), "me", id))
	claimed(t, s, day, id)
	bring(t, s, id, db.Sending, day)
	must(t, s.Leases.EndLease(t.Context(), "me", id))
	must(t, s.Leases.Renew(t.Context(), "me", id, day.Add(2*lease)))
}

func TestCreatesGoOutOneAfterAnother(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	first, second := addTask(t, s, u.ID, "1").ID, addTask(t, s, u.ID, "2").ID
	claimed(t, s, day, first) // only the oldest
	claimed(t, s, day)        // because it is leased
	bring(t, s, first, db.Sending, day)
	claimed(t, s, day.Add(2*lease)) // because it is being sent, however long that takes
	if due, err := s.Leases.NextDue(t.Context(), roomy); !due.IsZero() || err != nil {
		t.Errorf("blocked, but due at %v, %v", due, err)
	}
	_, err := s.Calls.SettleCall(t.Context(), first, func(t *db.Task) error {
		return t.Accept(db.Report{Status: "pending"}, day, day.Add(time.Hour))
	})
	must(t, err)
	if due, err := s.Leases.NextDue(t.Context(), roomy); !due.Equal(day) || err != nil {
		t.Errorf("due at %v, %v", due, err)
	}
	claimed(t, s, day, second)
}

// A create call that was given up may still reach the service, so the next one with
// the same key waits until it has ended.
func TestAHangingCreateKeepsItsKeyBusy(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	first, second := addTask(t, s, u.ID, "1").ID, addTask(t, s, u.ID, "2").ID
	bring(t, s, first, db.Sending, day)
	_, err := s.Tasks.UpdateTask(t.Context(), first, func(t *db.Task) error { return t.Lose("no answer", day) })
	must(t, err)
	for _, decided := range []bool{false, true} {
		if decided {
			_, err := s.Tasks.UpdateTask(t.Context(), first, func(t *db.Task) error { return t.Decide(day) })
			must(t, err)
		}
		due, err := s.Leases.NextDue(t.Context(), roomy)
		must(t, err)
		if tasks := claim(t, s, "me", day, 9); len(tasks) > 0 || !due.IsZero() {
			t.Errorf("decided %t: claimed %v, due at %v", decided, idsOf(tasks), due)
		}
	}
	must(t, s.Calls.EndCall(t.Context(), first, day))
	claimed(t, s, day, second)
}

func TestTaskThatWasPutBackLetsTheNextOneGo(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	first, second := addTask(t, s, u.ID, "1").ID, addTask(t, s, u.ID, "2").ID
	bring(t, s, first, db.Sending, day)
	_, err := s.Calls.SettleCall(t.Context(), first, func(t *db.Task) error { return t.PutBack("busy", day.Add(time.Second)) })
	must(t, err)
	claimed(t, s, day, second)
	claimed(t, s, day.Add(2*time.Second)) // the key is in use
	bring(t, s, second, db.Rejected, day)
	claimed(t, s, day.Add(2*time.Second), first)
}

func TestPeopleWithOneKeySendOneAtATime(t *testing.T) {
	s := open(t)
	ann, bo, cy, di := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID, addUser(t, s, "Cy").ID, addUser(t, s, "Di").ID
	putKey(t, s, ann, "shared")
	putKey(t, s, bo, "shared")
	putKey(t, s, cy, "own")
	putKey(t, s, di, "") // stored without a fingerprint
	bos, anns := addTask(t, s, bo, "x").ID, addTask(t, s, ann, "x").ID
	cys, dis := addTask(t, s, cy, "x").ID, addTask(t, s, di, "x").ID
	claimed(t, s, day, bos, cys, dis)
	bring(t, s, bos, db.Sending, day)
	claimed(t, s, day)
	must(t, s.Keys.DeleteKey(t.Context(), bo))
	claimed(t, s, day) // the call is still under way, with the key that it began with
	must(t, s.Calls.EndCall(t.Context(), bos, day))
	claimed(t, s, day, anns)
}

func TestEachKindHasItsCapacityAndTheLongestDueComesFirst(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	late := bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, day).ID
	later := bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, day.Add(-time.Hour)).ID
	saving := bring(t, s, addTask(t, s, ann, "x").ID, db.Success, day.Add(-time.Minute)).ID
	anns, bos := addTask(t, s, ann, "x").ID, addTask(t, s, bo, "x").ID
	addTask(t, s, bo, "x")
	same(t, idsOf(claim(t, s, "me", day, 0)), nil)
	same(t, idsOf(claim(t, s, "me", day, 1)), []int64{anns, later, saving})
	same(t, idsOf(claim(t, s, "me", day, 3)), []int64{bos, late})
	claimed(t, s, day)
}

// The videos of one person, however many and however long due, do not hold up the query
// about the single video of another, nor do those sent with one key hold up those of the
// same person that were sent with another.
func TestPeopleAndTheirKeysTakeTurnsAtBeingAskedAbout(t *testing.T) {
	s := open(t)
	many, one := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	for range 30 {
		bring(t, s, addTask(t, s, many, "x").ID, db.Pending, day.Add(-time.Hour))
	}
	other := addTask(t, s, many, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "me", other, secrets.Key{TeamKeyID: 7, Sealed: []byte("x")}, day)
	must(t, err)
	_, err = s.Calls.SettleCall(t.Context(), other, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: "other", Status: "pending"}, day, day.Add(-time.Minute))
	})
	must(t, err)
	bos := bring(t, s, addTask(t, s, one, "x").ID, db.Pending, day).ID
	turns, asked := &schedule.Turns{}, map[int64]int{}
	for i := range 8 {
		claimed, err := s.Leases.Claim(t.Context(), "me", day, day.Add(lease), schedule.Capacity{Ask: 2, Turns: turns})
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
	s := open(t)
	for i := range 12 {
		maker := addUser(t, s, fmt.Sprint("Ann ", i)).ID
		for range 1 + i%4 {
			bring(t, s, addTask(t, s, maker, "x").ID, db.Pending, day)
		}
	}
	turns, asked := &schedule.Turns{}, map[int64]bool{}
	for range 60 {
		claimed, err := s.Leases.Claim(t.Context(), "me", day, day.Add(lease), schedule.Capacity{Ask: 3, Turns: turns})
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
	stores := two(t)
	want := 1
	if stores[0] != stores[1] {
		want = 2
	}
	for _, s := range stores {
		must(t, s.Enter(t.Context(), false))
	}
	n, err := stores[0].Processes(t.Context())
	must(t, err)
	same(t, n, want)
}

func TestEachTaskIsLeasedOnce(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	for range 60 {
		bring(t, s, addTask(t, s, u.ID, "x").ID, db.Pending, day)
	}
	for i := range 5 {
		u := addUser(t, s, string(rune('a'+i)))
		putKey(t, s, u.ID, "one key")
		addTask(t, s, u.ID, "x")
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	times := map[int64]int{}
	creates := 0
	for range 50 {
		all.Go(func() {
			tasks, err := s.Leases.Claim(t.Context(), secrets.NewToken(), day, day.Add(lease), schedule.Capacity{Send: 3, Ask: 3, Keep: 3})
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
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	sending := bring(t, s, addTask(t, s, ann, "x").ID, db.Sending, day).ID
	queued := addTask(t, s, bo, "x").ID
	asked := bring(t, s, addTask(t, s, bo, "x").ID, db.Pending, day).ID
	claimed(t, s, day, queued, asked)

	now := day.Add(time.Second)
	lost, err := s.Leases.Recover(t.Context(), now)
	must(t, err)
	got, err := s.Tasks.Task(t.Context(), sending)
	must(t, err)
	if len(lost) != 1 || got.State != db.Unconfirmed || !got.DoneAt.Equal(now) ||
		got.Message != "Dailies was stopped while it was sending this." {
		t.Errorf("%d lost, %+v", len(lost), got)
	}
	claimed(t, s, now, queued, asked)
	answered := bring(t, s, addTask(t, s, ann, "x").ID, db.Sending, day).ID
	if lost, err := s.Leases.Recover(t.Context(), now, answered); len(lost) != 0 || err != nil {
		t.Errorf("once more: %d lost, %v", len(lost), err)
	}
	if lost, err := s.Leases.Recover(t.Context(), now, sending); len(lost) != 1 || err != nil {
		t.Errorf("without its answer: %d lost, %v", len(lost), err)
	}
}

func TestAProcessThatStartsLeavesAloneWhatAnotherOneSends(t *testing.T) {
	stores := two(t)
	if stores[0] == stores[1] {
		t.Skip("one process at a time opens the database")
	}
	for _, s := range stores {
		must(t, s.Enter(t.Context(), false))
	}
	id := addTask(t, stores[0], addUser(t, stores[0], "Ann").ID, "x").ID
	_, err := stores[0].Calls.SendTask(t.Context(), stores[0].Process(), id, secrets.Key{Sealed: []byte("x")}, day)
	must(t, err)
	if lost, err := stores[1].Leases.Recover(t.Context(), day.Add(time.Hour)); len(lost) != 0 || err != nil {
		t.Errorf("%d lost, %v", len(lost), err)
	}
}

// The 190 waiting videos of one person do not delay the single video of a
// colleague, nor the videos of a third, whose turn comes next.
func TestPeopleTakeTurnsWithinAKey(t *testing.T) {
	s := open(t)
	many, one, few := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID, addUser(t, s, "Cy").ID
	for _, u := range []int64{many, one, few} {
		putKey(t, s, u, "shared")
	}
	whose := map[int64]string{}
	add := func(userID int64, name string, n int) {
		for range n {
			whose[addTask(t, s, userID, "x").ID] = name
		}
	}
	add(many, "a", 190)
	next := func() string {
		t.Helper()
		tasks := claim(t, s, "me", day, 5)
		if len(tasks) != 1 {
			t.Fatalf("%d were claimed at once", len(tasks))
		}
		bring(t, s, tasks[0].ID, db.Rejected, day)
		return whose[tasks[0].ID]
	}
	order := next() + next()
	add(one, "b", 1)
	add(few, "c", 3)
	for range 8 {
		order += next()
	}
	same(t, order, "aabcacacaa")
}

// With a single free worker, the oldest task does not keep it idle if it is the turn of
// a colleague with the same key.
func TestTheLastWorkerSendsForWhoeverHasWaitedLongest(t *testing.T) {
	s := open(t)
	ann, bo, cy := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID, addUser(t, s, "Cy").ID
	putKey(t, s, ann, "shared")
	putKey(t, s, bo, "shared")
	first := addTask(t, s, ann, "x").ID
	second := addTask(t, s, ann, "x").ID
	own, shared := addTask(t, s, cy, "x").ID, addTask(t, s, bo, "x").ID
	var order []int64
	for range 4 {
		tasks := claim(t, s, "me", day, 1)
		if len(tasks) != 1 {
			t.Fatalf("%d were claimed after %v", len(tasks), order)
		}
		order = append(order, tasks[0].ID)
		bring(t, s, tasks[0].ID, db.Rejected, day)
	}
	same(t, order, []int64{first, own, shared, second})
}

func TestHeldTaskIsNotClaimedAgain(t *testing.T) {
	s := open(t)
	ann, bo, cy := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID, addUser(t, s, "Cy").ID
	asked := bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, day).ID
	saved := bring(t, s, addTask(t, s, bo, "x").ID, db.Success, day).ID
	queued := addTask(t, s, cy, "x").ID
	addTask(t, s, cy, "waits for the one before")
	held := []int64{asked, saved, queued}
	now := day.Add(time.Hour) // every lease has expired
	tasks, err := s.Leases.Claim(t.Context(), "me", now, now.Add(lease), schedule.Capacity{Send: 9, Ask: 9, Keep: 9, Held: held})
	must(t, err)
	same(t, idsOf(tasks), nil)
	claimed(t, s, now, queued, asked, saved)
}

// If the answer of an earlier call is recorded late, when the task was put back and
// is being sent again, it does not free the key of the call that is under way.
func TestAnEarlierCallEndsNoLaterOne(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	first, second := addTask(t, s, ann, "x").ID, addTask(t, s, ann, "x").ID
	bring(t, s, first, db.Sending, day)
	_, err := s.Calls.SettleCall(t.Context(), first, func(t *db.Task) error { return t.PutBack("busy", day) })
	must(t, err)
	later := day.Add(time.Minute)
	bring(t, s, first, db.Sending, later)
	must(t, s.Calls.EndCall(t.Context(), first, day))
	claimed(t, s, later)
	must(t, s.Calls.EndCall(t.Context(), first, later))
	claimed(t, s, later, second)
}

func TestEndedCallKeepsNobodyWaiting(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	ended, next := addTask(t, s, ann, "x").ID, addTask(t, s, ann, "x").ID
	bring(t, s, ended, db.Sending, day)
	claimed(t, s, day)
	must(t, s.Calls.EndCall(t.Context(), ended, day))
	claimed(t, s, day, next)
}

// The end of a create call could not be recorded, so its key stays busy until the next
// look for what is stuck; while the process still holds the task, it stays busy.
func TestACallThatNobodyMakesAnyLongerFreesItsKey(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	ended, next := addTask(t, s, ann, "x").ID, addTask(t, s, ann, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "me", ended, secrets.Key{Sealed: []byte("x")}, day)
	must(t, err)
	_, err = s.Tasks.UpdateTask(t.Context(), ended, func(t *db.Task) error { return t.Lose("no answer", day) })
	must(t, err)
	_, err = s.Unstick(t.Context(), "me", day, time.Hour, lease, []int64{ended})
	must(t, err)
	claimed(t, s, day)
	_, err = s.Unstick(t.Context(), "me", day, time.Hour, lease, nil)
	must(t, err)
	claimed(t, s, day, next)
}

// Creates go out one at a time per key. What counts is the key that a task is sent
// with, even after its maker has got another one.
func TestKeyThatATaskWasSentWithIsBusy(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	putKey(t, s, bo, "old")
	first, second, bos := addTask(t, s, ann, "x").ID, addTask(t, s, ann, "x").ID, addTask(t, s, bo, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "me", first, secrets.Key{Sealed: []byte("x"), Fingerprint: []byte("old")}, day)
	must(t, err)
	putKey(t, s, ann, "new")
	claimed(t, s, day, second) // Bo's task waits for the old key
	_, err = s.Calls.SettleCall(t.Context(), first, func(t *db.Task) error { return t.Accept(db.Report{RemoteID: "r"}, day, day.Add(time.Hour)) })
	must(t, err)
	claimed(t, s, day, bos)
	k, err := s.Calls.TaskKey(t.Context(), first)
	must(t, err)
	same(t, string(k.Fingerprint), "old")
}

func TestLeasesAndTimesOfAWrongClockAreRepaired(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	far := day.AddDate(0, 0, 1)
	asked := bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, far).ID
	soon := bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, day.Add(time.Hour)).ID
	leased := bring(t, s, addTask(t, s, bo, "x").ID, db.Pending, day).ID
	sending := bring(t, s, addTask(t, s, bo, "x").ID, db.Sending, day).ID
	claim(t, s, "an earlier clock", far, 1)
	_ = leased
	found, err := s.Unstick(t.Context(), "me", day, 2*time.Hour, lease, []int64{sending})
	must(t, err)
	if found.Early == 0 || found.Leases != 1 || len(found.Lost) != 0 {
		t.Errorf("got %+v", found)
	}
	if early := idsOf(claim(t, s, "me", day.Add(lease), 9)); len(early) != 2 {
		t.Errorf("claimed %v, want %d and %d without %d", early, asked, leased, soon)
	}
	found, err = s.Unstick(t.Context(), "me", day, 2*time.Hour, lease, nil)
	must(t, err)
	if task, err := s.Tasks.Task(t.Context(), sending); err != nil || len(found.Lost) != 1 || task.State != db.Unconfirmed {
		t.Errorf("got %+v, %s, %v", found, task.State, err)
	}
}

func TestAVideoThatAWrongClockHasPostponedIsSent(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	far, later := addTask(t, s, ann, "x").ID, addTask(t, s, addUser(t, s, "Bo").ID, "x").ID
	for id, at := range map[int64]time.Time{far: day.AddDate(0, 0, 1), later: day.Add(time.Hour)} {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { t.NextAt = at; return nil })
		must(t, err)
	}
	_, err := s.Unstick(t.Context(), "me", day, 2*time.Hour, lease, nil)
	must(t, err)
	claimed(t, s, day, far)
}

// The look for what is stuck, which happens every half minute, waits for no write as
// long as it finds nothing.
func TestALookForWhatIsStuckWaitsForNoWrite(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	id := addTask(t, s, ann, "x").ID
	bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, day.Add(time.Minute))
	_, err := s.Tasks.UpdateTask(t.Context(), id, func(*db.Task) error {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		found, err := s.Unstick(ctx, "me", day, time.Hour, lease, nil)
		if found.Early+found.Leases+len(found.Lost) > 0 {
			t.Errorf("found %+v", found)
		}
		return err
	})
	must(t, err)
}

func TestAnswersWithStatesThatNobodyKnowsAreBounded(t *testing.T) {
	s := open(t)
	id := addTask(t, s, addUser(t, s, "Ann").ID, "a kite").ID
	for i := range 50 {
		word := fmt.Sprint("dreaming ", i, strings.Repeat("x", 1000))
		a := db.Answer{Call: "query", Status: word, HTTP: 200, Body: strings.Repeat("é", 1<<19), At: day.Add(time.Duration(i) * time.Second)}
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(*db.Task) error { return nil }, a, db.Answer{Call: "query", Status: "processing", HTTP: 200, At: a.At})
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

// addRow adds a row of a batch.
func addRow(t *testing.T, s *store.Store, userID int64) db.Task {
	t.Helper()
	row := newTask(userID, "row")
	row.Batch, row.Bulk = "batch", true
	queue(t, s, &row)
	return row
}

// places returns how many tasks come before each of the person's tasks.
func places(t *testing.T, s *store.Store, userID int64, ids ...int64) (ahead []int) {
	t.Helper()
	q, err := s.Leases.Queue(t.Context(), userID, ids...)
	must(t, err)
	for _, id := range ids {
		ahead = append(ahead, q.Ahead(id))
	}
	return ahead
}

// sendNext claims what is sent next, and returns its ID. The service refuses it at once, so
// that it leaves the queue.
func sendNext(t *testing.T, s *store.Store, at time.Time) int64 {
	t.Helper()
	tasks := claim(t, s, "me", at, 5)
	if len(tasks) != 1 {
		t.Fatalf("%d were claimed at once", len(tasks))
	}
	bring(t, s, tasks[0].ID, db.Rejected, at)
	return tasks[0].ID
}

// Single videos go before the rows of their maker's own batch, whatever was ordered first;
// after three of them one row goes.
func TestSingleVideosPassTheirMakersBatch(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	names := map[int64]string{}
	rows := func(n int) {
		for range n {
			names[addRow(t, s, ann).ID] = "r"
		}
	}
	single := func(n int) {
		for range n {
			names[addTask(t, s, ann, "x").ID] = "s"
		}
	}
	sends := func(n int) (order string) {
		for range n {
			order += names[sendNext(t, s, day)]
		}
		return order
	}
	single(5)
	same(t, sends(4), "ssss") // none of them passes a row
	rows(52)
	same(t, sends(3), "srr")
	single(1)
	same(t, sends(3), "srr")
	single(8)
	same(t, sends(12), "sssrsssrssrr")
}

// A batch holds up no single video, however long it is, and the places of all are known.
func TestALongBatchHoldsUpNoSingleVideo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := openAt(t, path)
	ann := addUser(t, s, "Ann").ID
	row := addRow(t, s, ann).ID
	copyTask(t, path, row, 9_999)
	last := row + 9_999
	take := addTask(t, s, ann, "take 2").ID
	same(t, places(t, s, ann, take, row, row+1, last), []int{0, 1, 2, 10_000})
	claimed(t, s, day, take)
}

// People with the same key wait in the same queue, and each task has the place in it that
// Claim gives it.
func TestAPlaceInTheQueueIsThatOfTheClaims(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		s := open(t)
		ann, bo, cy := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID, addUser(t, s, "Cy").ID
		for _, person := range []int64{ann, bo, cy} {
			putKey(t, s, person, "shared")
		}
		of := map[int64][]int64{} // the IDs of each person's tasks
		add := func(n int) {
			for range n {
				person := []int64{ann, ann, bo, cy}[random.IntN(4)]
				if random.IntN(2) == 0 {
					of[person] = append(of[person], addTask(t, s, person, "x").ID)
				} else {
					of[person] = append(of[person], addRow(t, s, person).ID)
				}
			}
		}
		add(8)
		sent := map[int64]bool{}
		for range 5 { // so that some have had turns, and singles have passed rows
			sent[sendNext(t, s, day)] = true
		}
		add(16)
		want := map[int]int64{}
		for person, ids := range of {
			ids = slices.DeleteFunc(ids, func(id int64) bool { return sent[id] })
			for i, place := range places(t, s, person, ids...) {
				if want[place] != 0 {
					t.Errorf("two have the place %d", place)
				}
				want[place] = ids[i]
			}
		}
		for place := range want {
			if want[place] == 0 {
				t.Errorf("nothing has the place %d", place)
			}
		}
		for place := range len(want) {
			if id := sendNext(t, s, day); id != want[place] {
				t.Errorf("%d is sent in place %d of %v", id, place, want)
			}
		}
	}
}

// What was sent and is not begun keeps its place before everything that waits.
func TestWhatWasSentComesFirstInTheQueue(t *testing.T) {
	s := open(t)
	ann, bo, cy := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID, addUser(t, s, "Cy").ID
	putKey(t, s, ann, "shared")
	putKey(t, s, bo, "shared")
	putKey(t, s, cy, "other")
	second := bring(t, s, addTask(t, s, ann, "x").ID, db.Pending, day.Add(time.Second)).ID
	first := bring(t, s, addTask(t, s, bo, "x").ID, db.Pending, day).ID
	waiting := addTask(t, s, bo, "x").ID
	for _, state := range []db.State{db.Processing, db.Success, db.Failed, db.Rejected, db.Unconfirmed} {
		bring(t, s, addTask(t, s, ann, "begun").ID, state, day)
	}
	addTask(t, s, cy, "with another key")
	same(t, places(t, s, ann, second), []int{1})
	same(t, places(t, s, bo, first, waiting, waiting+99), []int{0, 2, 0})
}

func TestAPersonWithoutAKeyQueuesAlone(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	addTask(t, s, bo, "x")
	first, second := addTask(t, s, ann, "x").ID, addTask(t, s, ann, "x").ID
	for _, print := range []string{"no key", ""} {
		if print == "" {
			putKey(t, s, ann, print) // as in a database that an earlier version wrote
			putKey(t, s, bo, print)
		}
		same(t, places(t, s, ann, first, second), []int{0, 1})
	}
}

// The pace of a key is the mean time between its videos that ended in the last ten minutes.
func TestThePaceOfAKeyIsThatOfItsVideos(t *testing.T) {
	s := open(t)
	ann, bo, cy := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID, addUser(t, s, "Cy").ID
	addTeamKey(t, s, "team", true)
	team, err := s.Keys.KeyInUse(t.Context(), ann)
	must(t, err)
	own := secrets.Key{UserID: cy, Sealed: []byte("x"), Fingerprint: []byte("own"), CreatedAt: day}
	must(t, s.Keys.PutKey(t.Context(), own))
	now := s.Now().Truncate(time.Millisecond)
	ends := func(person int64, k secrets.Key, state db.State, ago time.Duration) {
		t.Helper()
		task := addTask(t, s, person, "x")
		_, err := s.Calls.SendTask(t.Context(), "me", task.ID, k, now.Add(-time.Hour))
		must(t, err)
		_, err = s.Calls.SettleCall(t.Context(), task.ID, func(t *db.Task) error {
			return errors.Join(t.Accept(db.Report{RemoteID: fmt.Sprint(task.ID)}, now.Add(-time.Hour), now),
				t.Report(db.Report{Status: string(state)}, now.Add(-ago), now))
		})
		must(t, err)
	}
	pace := func(person int64) schedule.KeyPace {
		t.Helper()
		q, err := s.Leases.Queue(t.Context(), person)
		must(t, err)
		return q.Pace
	}
	ends(ann, team, db.Success, 11*time.Minute)
	ends(ann, team, db.Success, 8*time.Minute)
	same(t, pace(ann), schedule.KeyPace{}) // one is none
	ends(bo, team, db.Failed, 5*time.Minute)
	ends(ann, team, db.Success, 2*time.Minute)
	ends(cy, own, db.Success, time.Minute)
	bring(t, s, addTask(t, s, ann, "refused").ID, db.Rejected, now)
	for _, person := range []int64{ann, bo} {
		got := pace(person)
		same(t, got.Gap, 3*time.Minute)
		same(t, got.Until.UnixMilli(), now.Add(2*time.Minute).UnixMilli())
	}
	same(t, pace(cy), schedule.KeyPace{})
	ends(cy, own, db.Canceled, 30*time.Second)
	same(t, pace(cy).Gap, 30*time.Second)
	same(t, pace(ann).Wait(4), 15*time.Minute)
}

// Two processes may both believe that they have to send a task, for example because
// one of them was paused. Only one create call begins, and only one at a time per
// key.
func TestOneCreateCallBeginsPerKey(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	key := secrets.Key{Sealed: []byte("x"), Fingerprint: []byte("shared")}
	first := addTask(t, s, ann, "x").ID
	claim(t, s, "slow", day, 1)
	claim(t, s, "quick", day.Add(lease), 1)
	second := addTask(t, s, bo, "x").ID
	_, err := s.Calls.SendTask(t.Context(), "slow", first, key, day)
	wants(t, err, db.ErrConflict)
	_, err = s.Calls.SendTask(t.Context(), "quick", first, key, day)
	must(t, err)
	_, err = s.Calls.SendTask(t.Context(), "quick", first, key, day)
	wants(t, err, db.ErrConflict)
	_, err = s.Calls.SendTask(t.Context(), "slow", second, key, day)
	wants(t, err, db.ErrConflict)
	if task, err := s.Tasks.Task(t.Context(), second); task.State != db.Queued || err != nil {
		t.Errorf("it is %s, %v", task.State, err)
	}
	must(t, s.Calls.EndCall(t.Context(), first, day))
	_, err = s.Calls.SendTask(t.Context(), "slow", second, key, day)
	must(t, err)
}

func TestJobBelongsToOneProcessAtATime(t *testing.T) {
	s := open(t)
	take := func(owner string, now time.Time) bool {
		t.Helper()
		mine, err := s.Leases.TakeJob(t.Context(), "sweep", owner, now, now.Add(lease))
		must(t, err)
		return mine
	}
	if !take("a", day) || take("b", day) || !take("a", day.Add(lease/2)) || take("b", day.Add(lease)) || !take("b", day.Add(2*lease)) {
		t.Error("two have it, or nobody")
	}
	must(t, s.Leases.EndJob(t.Context(), "sweep", "a")) // of another owner
	if take("a", day.Add(2*lease)) {
		t.Error("somebody else ended it")
	}
	must(t, s.Leases.EndJob(t.Context(), "sweep", "b"))
	if !take("a", day.Add(2*lease)) {
		t.Error("it goes on after its end")
	}
}

func TestTheWorkOfAllProcessesIsCounted(t *testing.T) {
	stores := two(t)
	s := stores[0]
	ann := addUser(t, s, "Ann")
	addTask(t, s, ann.ID, "one")
	addTask(t, s, ann.ID, "two")
	bring(t, s, addTask(t, s, ann.ID, "asked about").ID, db.Pending, day)
	expect := func(at time.Time, want schedule.Work) {
		t.Helper()
		got, err := stores[1].Work(t.Context(), at)
		must(t, err)
		want.Processes, want.Paid = 1, 30
		same(t, got, want)
	}
	none := schedule.Leases{}
	expect(day.Add(-time.Second), schedule.Work{Queued: 2, Leases: map[string]schedule.Leases{"task": none, "notice": none, "mail": none, "job": none}})
	later := day.Add(5 * time.Second)
	expect(later, schedule.Work{Queued: 2, OldestDue: 5 * time.Second, Leases: map[string]schedule.Leases{"task": none, "notice": none, "mail": none, "job": none}})
	if got := claim(t, s, "me", later, 10); len(got) != 2 {
		t.Fatalf("%d are claimed, want a create and a question", len(got))
	}
	_, err := s.Leases.TakeJob(t.Context(), "bin", "me", later, later.Add(lease))
	must(t, err)
	expect(later, schedule.Work{Queued: 2, Leases: map[string]schedule.Leases{"task": {Held: 2}, "notice": none, "mail": none, "job": {Held: 1}}})
	expect(later.Add(lease), schedule.Work{Queued: 2, OldestDue: 5*time.Second + lease, Leases: map[string]schedule.Leases{"task": {Overdue: 2}, "notice": none, "mail": none, "job": {Overdue: 1}}})
	if _, writes := s.Pools(); writes.MaxOpenConnections == 0 {
		t.Error("the connections are not counted")
	}
}
