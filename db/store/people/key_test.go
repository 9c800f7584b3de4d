package people_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
	"dailies/db/team"
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

func TestKeyInUseIsOwnOrAssignedOrStandard(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	suite.UsesKey(t, s, ann, "")
	given := suite.AddTeamKey(t, s, "Marketing", false)
	suite.UsesKey(t, s, ann, "")
	first := suite.AddTeamKey(t, s, "First", true)
	suite.UsesKey(t, s, ann, "First")
	must(t, s.Keys.AssignKey(t.Context(), ann, given.TeamKeyID))
	suite.UsesKey(t, s, ann, "Marketing")
	suite.UsesKey(t, s, bo, "First")
	suite.PutKey(t, s, ann, "own")
	suite.UsesKey(t, s, ann, "own")
	must(t, s.Keys.AllowOwnKeys(t.Context(), false))
	suite.UsesKey(t, s, ann, "Marketing")
	if allowed, err := s.Keys.OwnKeysAllowed(t.Context()); allowed || err != nil {
		t.Error("own keys are allowed", err)
	}
	must(t, s.Keys.AllowOwnKeys(t.Context(), true))
	suite.UsesKey(t, s, ann, "own")
	must(t, s.Keys.DeleteKey(t.Context(), ann))
	must(t, s.Keys.SetStandardKey(t.Context(), given.TeamKeyID))
	suite.UsesKey(t, s, bo, "Marketing")
	must(t, s.Keys.DeleteTeamKey(t.Context(), given.TeamKeyID, suite.Day, false))
	suite.UsesKey(t, s, ann, "")
	must(t, s.Keys.SetStandardKey(t.Context(), first.TeamKeyID))
	suite.UsesKey(t, s, ann, "First") // the key that she was assigned is deleted
	suite.Wants(t, s.Keys.AssignKey(t.Context(), ann, given.TeamKeyID), db.ErrNotFound)
	suite.Wants(t, s.Keys.AssignKey(t.Context(), 99, first.TeamKeyID), db.ErrNotFound)
	suite.Wants(t, s.Keys.SetStandardKey(t.Context(), given.TeamKeyID), db.ErrNotFound)
	must(t, s.Keys.SetStandardKey(t.Context(), 0))
	suite.UsesKey(t, s, ann, "")

	keys, err := s.Keys.TeamKeys(t.Context())
	must(t, err)
	if len(keys) != 2 || keys[1].Name != "Marketing" || !keys[1].DeletedAt.Equal(suite.Day) || len(keys[1].Sealed) > 0 || !keys[0].DeletedAt.IsZero() {
		t.Errorf("the keys are %+v", keys)
	}
}

func TestKeyNamesOfTheTeamAreUnique(t *testing.T) {
	s := suite.Open(t)
	first, other := suite.AddTeamKey(t, s, "Marketing", true), suite.AddTeamKey(t, s, "Film", false)
	seal := func(secrets.KeyOwner) []byte { return []byte("x") }
	k := team.Key{Name: "MARKETING", Standard: true, Key: secrets.Key{Fingerprint: []byte("x"), CreatedAt: suite.Day}}
	suite.Wants(t, s.Keys.AddTeamKey(t.Context(), &k, seal), db.ErrConflict)
	suite.Wants(t, s.Keys.RenameTeamKey(t.Context(), other.TeamKeyID, "marketing"), db.ErrConflict)
	if kept, err := s.Keys.TeamKey(t.Context(), first.TeamKeyID); err != nil || !kept.Standard {
		t.Errorf("the standard one is %+v, %v", kept, err)
	}
	must(t, s.Keys.DeleteTeamKey(t.Context(), first.TeamKeyID, suite.Day, false))
	must(t, s.Keys.RenameTeamKey(t.Context(), other.TeamKeyID, "marketing"))
	suite.Wants(t, s.Keys.RenameTeamKey(t.Context(), first.TeamKeyID, "x"), db.ErrNotFound)
	suite.Wants(t, s.Keys.DeleteTeamKey(t.Context(), first.TeamKeyID, suite.Day, true), db.ErrNotFound)
	suite.Wants(t, s.Keys.SetTeamKeyChecked(t.Context(), first.TeamKeyID, nil, suite.Day, true), db.ErrConflict)
	suite.Wants(t, s.Keys.SetTeamKeyChecked(t.Context(), other.TeamKeyID, []byte("older"), suite.Day, true), db.ErrConflict)
	must(t, s.Keys.SetTeamKeyChecked(t.Context(), other.TeamKeyID, other.Sealed, suite.Day, true))
}

// A running video is followed with the key that it was sent with, and counted for
// that key, even if the key is replaced or deleted or its maker gets another one.
func TestKeyOfAVideoUnderWayStays(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	k := suite.AddTeamKey(t, s, "Marketing", true)
	task := suite.SendAs(t, s, suite.AddTask(t, s, ann, "x").ID, ann)
	if task.KeyID != k.TeamKeyID {
		t.Errorf("it was sent with %d", task.KeyID)
	}
	next := secrets.Key{TeamKeyID: k.TeamKeyID, Sealed: []byte("next"), LastFour: "next", Fingerprint: []byte("next"), CreatedAt: suite.Day}
	suite.Wants(t, s.Keys.ReplaceTeamKey(t.Context(), next, false), db.ErrConflict)
	suite.Wants(t, s.Keys.DeleteTeamKey(t.Context(), k.TeamKeyID, suite.Day, false), db.ErrConflict)
	must(t, s.Keys.ReplaceTeamKey(t.Context(), next, true))
	suite.PutKey(t, s, ann, "own")
	told := func() (prints string) {
		keys, err := s.Calls.TaskKeys(t.Context(), task)
		must(t, err)
		for _, k := range keys {
			prints += string(k.Fingerprint) + " "
		}
		return prints
	}
	suite.Same(t, told(), "Marketing next own ")
	must(t, s.Keys.DeleteTeamKey(t.Context(), k.TeamKeyID, suite.Day, true))
	suite.Same(t, told(), "Marketing own ")
	if kept, err := s.Calls.TaskKey(t.Context(), task.ID); err != nil || kept.Owner() != (secrets.KeyOwner{TeamKeyID: k.TeamKeyID}) || string(kept.Sealed) != string(k.Sealed) {
		t.Errorf("it is followed with %+v, %v", kept, err)
	}
	end := func(t *db.Task) error {
		return t.Report(db.Report{Status: "failed", Charged: db.CreditsOf(30)}, suite.Day, suite.Day)
	}
	_, err := s.Tasks.UpdateTask(t.Context(), task.ID, end)
	must(t, err)
	suite.Same(t, told(), "own ")
	wrong, err := s.Usage.WrongUsage(t.Context())
	must(t, err)
	suite.Same(t, wrong, nil)
}

// Many people share a key of the team, in two processes. There is one create call
// at a time, and people take turns, however many videos one of them wants.
func TestKeyOfTheTeamIsUsedInTurns(t *testing.T) {
	both := suite.OpenTwice(t)
	s := both[0]
	suite.AddTeamKey(t, s, "Marketing", true)
	var people []int64
	for i := range 6 {
		u := suite.AddUser(t, s, fmt.Sprint("Person ", i)).ID
		people = append(people, u)
		for range []int{40, 3, 3, 3, 3, 3}[i] {
			suite.AddTask(t, s, u, "x")
		}
	}
	alone := suite.AddUser(t, s, "Alone").ID
	suite.PutKey(t, s, alone, "own")
	suite.AddTask(t, s, alone, "x")

	now, turns := suite.Day, map[int64]int{}
	for round := range 18 {
		now = now.Add(time.Second)
		sent := 0
		for n, from := range both {
			tasks, err := from.Leases.Claim(t.Context(), fmt.Sprint("process ", n), now, now.Add(suite.Lease), schedule.Capacity{Send: 9})
			must(t, err)
			for _, task := range tasks {
				k, err := from.Keys.KeyInUse(t.Context(), task.PayerID)
				must(t, err)
				_, err = from.Calls.SendTask(t.Context(), fmt.Sprint("process ", n), task.ID, k, now)
				must(t, err)
				if task.UserID != alone {
					sent++
					turns[task.UserID]++
				}
				defer func() { must(t, from.Calls.EndCall(context.WithoutCancel(t.Context()), task.ID, now)) }()
			}
		}
		if sent != 1 {
			t.Fatalf("round %d: %d are sent at once with one key", round, sent)
		}
		waiting, err := s.Leases.Queue(t.Context(), people[0])
		must(t, err)
		for _, task := range waiting.Sent[:1] { // the call that is under way ends
			_, err := s.Calls.SettleCall(t.Context(), task.ID, func(t *db.Task) error {
				return t.Reject(db.RequestError, "no", now)
			})
			must(t, err)
		}
	}
	for _, u := range people {
		if turns[u] != 3 {
			t.Errorf("person %d had %d of 18 turns", u, turns[u])
		}
	}
	waiting, err := s.Leases.Queue(t.Context(), people[3])
	must(t, err)
	left := len(waiting.Sent)
	for _, l := range waiting.Lines {
		left += l.Singles + l.Rows
	}
	if left != 37 {
		t.Errorf("%d wait", left)
	}
}

// Changes of keys are in the audit, but no key is.
func TestKeyChangesAreRecorded(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUserAs(t, s, "Ann", db.Admin).ID
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: ann, Name: "Ann", Address: "192.0.2.1"})
	k := team.Key{Name: "Marketing", Standard: true, Key: secrets.Key{LastFour: "1a2b", Fingerprint: []byte("f"), CreatedAt: suite.Day}}
	must(t, s.Keys.AddTeamKey(ctx, &k, func(secrets.KeyOwner) []byte { return []byte("sealed") }))
	must(t, s.Keys.AssignKey(ctx, ann, k.TeamKeyID))
	must(t, s.Keys.AssignKey(ctx, ann, k.TeamKeyID)) // no change
	must(t, s.Keys.AllowOwnKeys(ctx, false))
	must(t, s.Keys.RenameTeamKey(ctx, k.TeamKeyID, "Film"))
	must(t, s.Keys.SetStandardKey(ctx, 0))
	must(t, s.Keys.ReplaceTeamKey(ctx, secrets.Key{TeamKeyID: k.TeamKeyID, Sealed: []byte("s"), LastFour: "9z9z", Fingerprint: []byte("g"), CreatedAt: suite.Day}, false))
	must(t, s.Keys.DeleteTeamKey(ctx, k.TeamKeyID, suite.Day, false))
	must(t, s.Keys.PutKey(ctx, secrets.Key{UserID: ann, Sealed: []byte("s"), LastFour: "cdef", Fingerprint: []byte("g"), CreatedAt: suite.Day}))
	must(t, s.Keys.DeleteKey(ctx, ann))
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Noun: "key", Limit: 50})
	must(t, err)
	var said []string
	for _, e := range entries {
		if e.Actor.Name != "Ann" || e.Actor.Address != "192.0.2.1" {
			t.Errorf("who did it: %+v", e.Actor)
		}
		said = append([]string{fmt.Sprintf("%s %s%s: %s -> %s", e.Action, e.What, e.User, e.Before, e.After)}, said...)
	}
	suite.Same(t, said, []string{
		"key.save Marketing:  -> …1a2b, standard",
		"key.assign Ann: the standard key -> Marketing",
		"key.rule own keys: allowed -> forbidden",
		"key.save Film: Marketing -> Film",
		"key.rule standard key: Film -> ",
		"key.save Film: …1a2b -> …9z9z",
		"key.delete Film: …9z9z -> ",
		"key.save own keyAnn:  -> …cdef",
		"key.delete own keyAnn: …cdef -> ",
	})
}

// BenchmarkTeamKey2k measures claims and queues when 2,000 people share a key.
func BenchmarkTeamKey2k(b *testing.B) {
	s := suite.Open(b)
	suite.AddTeamKey(b, s, "Marketing", true)
	var last int64
	for i := range 2000 {
		u := db.User{Name: fmt.Sprint("Person ", i), Email: fmt.Sprintf("p%d@example.com", i), Password: "hash", Role: db.Member, CreatedAt: suite.Day}
		err := sampletest.AddUser(b, s, &u)
		must(b, err)
		if i%4 == 0 {
			suite.AddTask(b, s, u.ID, "x")
		}
		last = u.ID
	}
	now := suite.Day
	for name, do := range map[string]func() error{
		"claim": func() error {
			now = now.Add(time.Second)
			_, err := s.Leases.Claim(b.Context(), "bench", now, now.Add(time.Millisecond), schedule.Capacity{Send: 16, Query: 16, Keep: 4})
			return err
		},
		"queue":      func() error { _, err := s.Leases.Queue(b.Context(), last); return err },
		"next due":   func() error { _, err := s.Leases.NextDue(b.Context(), suite.Roomy); return err },
		"key in use": func() error { _, err := s.Keys.KeyInUse(b.Context(), last); return err },
		"team keys":  func() error { _, err := s.Keys.TeamKeys(b.Context()); return err },
	} {
		b.Run(name, func(b *testing.B) {
			sampletest.Timed(b, func() { must(b, errors.Join(do())) })
		})
	}
}
