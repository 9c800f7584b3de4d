package suite_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/video"
	"dailies/db/team"
)

const practiceAddress = "http://practice.invalid"

// starts starts the store as a process does whose settings name the service fixed, and
// fails the test unless the team then uses the service at want.
func starts(t *testing.T, s *store.Store, fixed, want string) db.Service {
	t.Helper()
	got, err := s.Services.Start(t.Context(), fixed, practiceAddress, day)
	must(t, err)
	same(t, got.Address, want)
	same(t, got.Practice, want == practiceAddress)
	now, named, err := s.Services.Current(t.Context())
	must(t, err)
	same(t, now, got)
	same(t, named, fixed)
	return got
}

// connects makes the team use the service at the address, with the key as its standard one.
func connects(t *testing.T, s *store.Store, address, key string) db.Service {
	t.Helper()
	was, _, err := s.Services.Current(t.Context())
	must(t, err)
	must(t, s.Services.Connect(t.Context(), was.ID, address, serviceKey(key), sealed))
	now, _, err := s.Services.Current(t.Context())
	must(t, err)
	same(t, now.Address, address)
	return now
}

func serviceKey(name string) *team.Key {
	return &team.Key{Name: "Video service", Key: secrets.Key{LastFour: "1a2b", Fingerprint: []byte(name), CreatedAt: day}}
}

func sealed(o secrets.KeyOwner) []byte { return fmt.Appendf(nil, "sealed %d", o.TeamKeyID) }

func TestOwnKeysOfEarlierServicesAreKept(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	first := starts(t, s, "", practiceAddress)
	own := secrets.Key{UserID: ann, Sealed: []byte("sealed"), LastFour: "9f2c", Fingerprint: []byte("own"), CreatedAt: day}
	must(t, s.Keys.PutKey(t.Context(), own))
	earlier := func(userID int64) (addresses []string) {
		all, err := s.Keys.EarlierServices(t.Context(), userID)
		must(t, err)
		for _, service := range all {
			addresses = append(addresses, service.Address)
		}
		return addresses
	}
	same(t, len(earlier(ann)), 0)
	connects(t, s, "https://one.example", "key 1")
	same(t, earlier(ann), []string{first.Address})
	same(t, len(earlier(bo)), 0)
	must(t, s.Keys.PutKey(t.Context(), own))
	connects(t, s, "https://two.example", "key 2")
	same(t, len(earlier(ann)), 2)
}

func TestTheFirstServiceIsTheOneThatTheProgramStartsWith(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	before := addTask(t, s, ann, "of an earlier version")
	first := starts(t, s, "https://one.example", "https://one.example")
	same(t, before.ServiceID, first.ID)
	starts(t, s, "", practiceAddress)
	same(t, starts(t, s, "https://one.example", "https://one.example").ID, first.ID)
}

func TestTheSettingsOfTheProgramWin(t *testing.T) {
	s := open(t)
	starts(t, s, "", practiceAddress)
	connects(t, s, "https://chosen.example", "k")
	starts(t, s, "", "https://chosen.example")
	fixed := starts(t, s, "https://fixed.example", "https://fixed.example")
	wants(t, s.Services.Connect(t.Context(), fixed.ID, "https://other.example", serviceKey("k"), sealed), db.ErrConflict)
	wants(t, s.Services.Practise(t.Context(), fixed.ID, practiceAddress, serviceKey("k"), sealed), db.ErrConflict)
	chosen, err := s.Services.Chosen(t.Context())
	must(t, err)
	same(t, chosen, "https://chosen.example")
	starts(t, s, "", "https://chosen.example")
}

func TestOfTwoAdminsOneChangesTheService(t *testing.T) {
	s := open(t)
	was := starts(t, s, "", practiceAddress)
	connects(t, s, "https://one.example", "k")
	wants(t, s.Services.Connect(t.Context(), was.ID, "https://two.example", serviceKey("k"), sealed), db.ErrConflict)
	wants(t, s.Services.Practise(t.Context(), was.ID, practiceAddress, serviceKey("k"), sealed), db.ErrConflict)
	now, _, err := s.Services.Current(t.Context())
	must(t, err)
	same(t, now.Address, "https://one.example")
}

func TestEachServiceHasKeysOfItsOwn(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	starts(t, s, "", practiceAddress)
	addTeamKey(t, s, "Practice", true)
	putKey(t, s, ann, "own")
	given := addTeamKey(t, s, "Given", false)
	must(t, s.Keys.AssignKey(t.Context(), bo, given.TeamKeyID))

	one := connects(t, s, "https://one.example", "standard of one")
	uses(t, s, ann, "standard of one")
	uses(t, s, bo, "standard of one")
	_, err := s.Keys.Key(t.Context(), ann)
	wants(t, err, db.ErrNotFound)
	wants(t, s.Keys.SetStandardKey(t.Context(), given.TeamKeyID), db.ErrConflict)
	wants(t, s.Keys.AssignKey(t.Context(), ann, given.TeamKeyID), db.ErrConflict)
	wants(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: ann, ServiceID: one.ID + 1, Sealed: []byte("x"), CreatedAt: day}), db.ErrConflict)
	putKey(t, s, ann, "own")
	uses(t, s, ann, "own")
	must(t, s.Keys.DeleteKey(t.Context(), ann))

	must(t, s.Services.Practise(t.Context(), one.ID, practiceAddress, serviceKey("unused"), sealed))
	uses(t, s, ann, "own")
	uses(t, s, bo, "Given")
	connects(t, s, "https://one.example", "standard of one")
	uses(t, s, ann, "standard of one")
	keys, err := s.Keys.TeamKeys(t.Context())
	must(t, err)
	same(t, len(keys), 3) // the same key is not kept twice
}

func TestQueuedTasksStayWithTheirService(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	practice := starts(t, s, "", practiceAddress)
	putKey(t, s, ann, "practice")
	sent, waits := addTask(t, s, ann, "sent"), addTask(t, s, ann, "waits")
	same(t, sent.ServiceID, practice.ID)
	k, err := s.Keys.KeyInUse(t.Context(), ann)
	must(t, err)
	_, err = s.Calls.SendTask(t.Context(), "", sent.ID, k, day)
	must(t, err)

	one := connects(t, s, "https://one.example", "one")
	_, err = s.Calls.SendTask(t.Context(), "", waits.ID, k, day)
	wants(t, err, video.ErrOtherService)
	queued, err := s.Tasks.HasQueued(t.Context())
	must(t, err)
	same(t, queued, false)
	claimed(t, s, day.Add(time.Hour))
	must(t, s.Calls.EndCall(t.Context(), sent.ID, day))
	real := addTask(t, s, ann, "real")
	same(t, real.ServiceID, one.ID)
	claimed(t, s, day.Add(time.Hour), real.ID)
	// A video that was sent is asked about with keys of its own service alone.
	sent, err = s.Tasks.Task(t.Context(), sent.ID)
	must(t, err)
	keys, err := s.Calls.TaskKeys(t.Context(), sent)
	must(t, err)
	for _, k := range keys {
		same(t, string(k.Fingerprint), "practice")
	}
	all, err := s.Services.Services(t.Context())
	must(t, err)
	same(t, []int{len(all), all[0].Queued, all[0].Running, all[1].Queued, all[1].Running}, []int{2, 1, 1, 1, 0})
}

func TestAPressIsForTheServiceThatWasShown(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	practice := starts(t, s, "", practiceAddress)
	added := addTask(t, s, ann, "x")
	before, err := s.Versions(t.Context(), fmt.Sprint("person ", ann))
	must(t, err)
	connects(t, s, "https://one.example", "one")
	after, err := s.Versions(t.Context(), fmt.Sprint("person ", ann))
	must(t, err)
	if maps.Equal(before, after) {
		t.Error("a page that is open does not notice the change")
	}
	added.ID, added.FormToken, added.ServiceID = 0, "late", practice.ID
	_, err = s.AddTasks(t.Context(), []db.Task{added})
	wants(t, err, video.ErrOtherService)
}

// A maker may have more videos than one transaction ends. Those of others, and those that
// were sent, stay as they are.
func TestAllVideosThatWaitForAnotherServiceEndAtOnce(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann").ID, addUser(t, s, "Bo").ID
	starts(t, s, "", practiceAddress)
	const many = 103
	for range many {
		addTask(t, s, ann, "A paper boat")
	}
	sent, others := addTask(t, s, ann, "It was sent"), addTask(t, s, bo, "A kite")
	_, err := s.Tasks.UpdateTask(t.Context(), sent.ID, func(task *db.Task) error {
		return errors.Join(task.Begin(day), task.Accept(db.Report{RemoteID: "r1", Status: "pending"}, day, day))
	})
	must(t, err)
	ends := func(want int) {
		t.Helper()
		n, err := s.Tasks.EndElsewhere(t.Context(), ann, "The team switched", day)
		must(t, err)
		same(t, n, want)
	}
	ends(0)
	connects(t, s, "https://video.example.com", "standard")
	waits, err := s.Tasks.Elsewhere(t.Context(), ann)
	must(t, err)
	same(t, waits, many)
	ends(many)
	ends(0)
	for id, want := range map[int64]db.State{1: db.Rejected, many: db.Rejected, sent.ID: db.Pending, others.ID: db.Queued} {
		task, err := s.Tasks.Task(t.Context(), id)
		must(t, err)
		same(t, task.State, want)
	}
}

// The list of what cost more than expected says of which credits an amount is.
func TestAPracticeVideoThatCostMoreIsNamedSo(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann").ID
	overcharges := func(want string) {
		t.Helper()
		task := newTask(ann, "A paper boat")
		task.Held, task.Quoted = 5, db.CreditsOf(5)
		queue(t, s, &task)
		_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(task *db.Task) error {
			return errors.Join(task.Begin(day), task.Accept(db.Report{RemoteID: want, Status: "pending", Charged: db.CreditsOf(6)}, day, day))
		})
		must(t, err)
		entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.Overcharged, Limit: 1})
		must(t, err)
		same(t, entries[0].What, want)
	}
	starts(t, s, "", practiceAddress)
	overcharges("practice video 1")
	connects(t, s, "https://video.example.com", "standard")
	overcharges("video 2")
}
