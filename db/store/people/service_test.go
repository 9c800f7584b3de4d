package people_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/store/suite"
	"dailies/db/store/video"
)

func TestOwnKeysOfEarlierServicesAreKept(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	first := suite.StartService(t, s, "", suite.PracticeAddress)
	own := secrets.Key{UserID: ann, Sealed: []byte("sealed"), LastFour: "9f2c", Fingerprint: []byte("own"), CreatedAt: suite.Day}
	must(t, s.Keys.PutKey(t.Context(), own))
	earlier := func(userID int64) (addresses []string) {
		all, err := s.Keys.EarlierServices(t.Context(), userID)
		must(t, err)
		for _, service := range all {
			addresses = append(addresses, service.Address)
		}
		return addresses
	}
	suite.Same(t, len(earlier(ann)), 0)
	suite.Connect(t, s, "https://one.example", "key 1")
	suite.Same(t, earlier(ann), []string{first.Address})
	suite.Same(t, len(earlier(bo)), 0)
	must(t, s.Keys.PutKey(t.Context(), own))
	suite.Connect(t, s, "https://two.example", "key 2")
	suite.Same(t, len(earlier(ann)), 2)
}

func TestTheFirstServiceIsTheOneThatTheProgramStartsWith(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	before := suite.AddTask(t, s, ann, "of an earlier version")
	first := suite.StartService(t, s, "https://one.example", "https://one.example")
	suite.Same(t, before.ServiceID, first.ID)
	suite.StartService(t, s, "", suite.PracticeAddress)
	suite.Same(t, suite.StartService(t, s, "https://one.example", "https://one.example").ID, first.ID)
}

func TestTheSettingsOfTheProgramWin(t *testing.T) {
	s := suite.Open(t)
	suite.StartService(t, s, "", suite.PracticeAddress)
	suite.Connect(t, s, "https://chosen.example", "k")
	suite.StartService(t, s, "", "https://chosen.example")
	fixed := suite.StartService(t, s, "https://fixed.example", "https://fixed.example")
	suite.Wants(t, s.Services.Connect(t.Context(), fixed.ID, "https://other.example", suite.ServiceKey("k"), suite.Sealed), db.ErrConflict)
	suite.Wants(t, s.Services.Practise(t.Context(), fixed.ID, suite.PracticeAddress, suite.ServiceKey("k"), suite.Sealed), db.ErrConflict)
	chosen, err := s.Services.Chosen(t.Context())
	must(t, err)
	suite.Same(t, chosen, "https://chosen.example")
	suite.StartService(t, s, "", "https://chosen.example")
}

func TestOfTwoAdminsOneChangesTheService(t *testing.T) {
	s := suite.Open(t)
	was := suite.StartService(t, s, "", suite.PracticeAddress)
	suite.Connect(t, s, "https://one.example", "k")
	suite.Wants(t, s.Services.Connect(t.Context(), was.ID, "https://two.example", suite.ServiceKey("k"), suite.Sealed), db.ErrConflict)
	suite.Wants(t, s.Services.Practise(t.Context(), was.ID, suite.PracticeAddress, suite.ServiceKey("k"), suite.Sealed), db.ErrConflict)
	now, _, err := s.Services.Current(t.Context())
	must(t, err)
	suite.Same(t, now.Address, "https://one.example")
}

func TestEachServiceHasKeysOfItsOwn(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	suite.StartService(t, s, "", suite.PracticeAddress)
	suite.AddTeamKey(t, s, "Practice", true)
	suite.PutKey(t, s, ann, "own")
	given := suite.AddTeamKey(t, s, "Given", false)
	must(t, s.Keys.AssignKey(t.Context(), bo, given.TeamKeyID))

	one := suite.Connect(t, s, "https://one.example", "standard of one")
	suite.UsesKey(t, s, ann, "standard of one")
	suite.UsesKey(t, s, bo, "standard of one")
	_, err := s.Keys.Key(t.Context(), ann)
	suite.Wants(t, err, db.ErrNotFound)
	suite.Wants(t, s.Keys.SetStandardKey(t.Context(), given.TeamKeyID), db.ErrConflict)
	suite.Wants(t, s.Keys.AssignKey(t.Context(), ann, given.TeamKeyID), db.ErrConflict)
	suite.Wants(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: ann, ServiceID: one.ID + 1, Sealed: []byte("x"), CreatedAt: suite.Day}), db.ErrConflict)
	suite.PutKey(t, s, ann, "own")
	suite.UsesKey(t, s, ann, "own")
	must(t, s.Keys.DeleteKey(t.Context(), ann))

	must(t, s.Services.Practise(t.Context(), one.ID, suite.PracticeAddress, suite.ServiceKey("unused"), suite.Sealed))
	suite.UsesKey(t, s, ann, "own")
	suite.UsesKey(t, s, bo, "Given")
	suite.Connect(t, s, "https://one.example", "standard of one")
	suite.UsesKey(t, s, ann, "standard of one")
	keys, err := s.Keys.TeamKeys(t.Context())
	must(t, err)
	suite.Same(t, len(keys), 3) // the same key is not kept twice
}

func TestQueuedTasksStayWithTheirService(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	practice := suite.StartService(t, s, "", suite.PracticeAddress)
	suite.PutKey(t, s, ann, "practice")
	sent, waits := suite.AddTask(t, s, ann, "sent"), suite.AddTask(t, s, ann, "waits")
	suite.Same(t, sent.ServiceID, practice.ID)
	k, err := s.Keys.KeyInUse(t.Context(), ann)
	must(t, err)
	_, err = s.Calls.SendTask(t.Context(), "", sent.ID, k, suite.Day)
	must(t, err)

	one := suite.Connect(t, s, "https://one.example", "one")
	_, err = s.Calls.SendTask(t.Context(), "", waits.ID, k, suite.Day)
	suite.Wants(t, err, video.ErrOtherService)
	queued, err := s.Tasks.HasQueued(t.Context())
	must(t, err)
	suite.Same(t, queued, false)
	suite.Claimed(t, s, suite.Day.Add(time.Hour))
	must(t, s.Calls.EndCall(t.Context(), sent.ID, suite.Day))
	real := suite.AddTask(t, s, ann, "real")
	suite.Same(t, real.ServiceID, one.ID)
	suite.Claimed(t, s, suite.Day.Add(time.Hour), real.ID)
	// A video that was sent is asked about with keys of its own service alone.
	sent, err = s.Tasks.Task(t.Context(), sent.ID)
	must(t, err)
	keys, err := s.Calls.TaskKeys(t.Context(), sent)
	must(t, err)
	for _, k := range keys {
		suite.Same(t, string(k.Fingerprint), "practice")
	}
	all, err := s.Services.Services(t.Context())
	must(t, err)
	suite.Same(t, []int{len(all), all[0].Queued, all[0].Running, all[1].Queued, all[1].Running}, []int{2, 1, 1, 1, 0})
}

func TestAPressIsForTheServiceThatWasShown(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	practice := suite.StartService(t, s, "", suite.PracticeAddress)
	added := suite.AddTask(t, s, ann, "x")
	before, err := s.Versions(t.Context(), fmt.Sprint("person ", ann))
	must(t, err)
	suite.Connect(t, s, "https://one.example", "one")
	after, err := s.Versions(t.Context(), fmt.Sprint("person ", ann))
	must(t, err)
	if maps.Equal(before, after) {
		t.Error("a page that is open does not notice the change")
	}
	added.ID, added.FormToken, added.ServiceID = 0, "late", practice.ID
	_, err = s.AddTasks(t.Context(), []db.Task{added})
	suite.Wants(t, err, video.ErrOtherService)
}

// A maker may have more videos than one transaction ends. Those of others, and those that
// were sent, stay as they are.
func TestAllVideosThatWaitForAnotherServiceEndAtOnce(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	suite.StartService(t, s, "", suite.PracticeAddress)
	const many = 103
	for range many {
		suite.AddTask(t, s, ann, "A paper boat")
	}
	sent, others := suite.AddTask(t, s, ann, "It was sent"), suite.AddTask(t, s, bo, "A kite")
	_, err := s.Tasks.UpdateTask(t.Context(), sent.ID, func(task *db.Task) error {
		return errors.Join(task.Begin(suite.Day), task.Accept(db.Report{RemoteID: "r1", Status: "pending"}, suite.Day, suite.Day))
	})
	must(t, err)
	ends := func(want int) {
		t.Helper()
		n, err := s.Tasks.EndElsewhere(t.Context(), ann, "The team switched", suite.Day)
		must(t, err)
		suite.Same(t, n, want)
	}
	ends(0)
	suite.Connect(t, s, "https://video.example.com", "standard")
	waits, err := s.Tasks.Elsewhere(t.Context(), ann)
	must(t, err)
	suite.Same(t, waits, many)
	ends(many)
	ends(0)
	for id, want := range map[int64]db.State{1: db.Rejected, many: db.Rejected, sent.ID: db.Pending, others.ID: db.Queued} {
		task, err := s.Tasks.Task(t.Context(), id)
		must(t, err)
		suite.Same(t, task.State, want)
	}
}

// The list of what cost more than expected says of which credits an amount is.
func TestAPracticeVideoThatCostMoreIsNamedSo(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	overcharges := func(want string) {
		t.Helper()
		task := suite.NewTask(ann, "A paper boat")
		task.Reserved, task.Quoted = 5, db.CreditsOf(5)
		suite.Queue(t, s, &task)
		_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(task *db.Task) error {
			return errors.Join(task.Begin(suite.Day), task.Accept(db.Report{RemoteID: want, Status: "pending", Charged: db.CreditsOf(6)}, suite.Day, suite.Day))
		})
		must(t, err)
		entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.Overcharged, Limit: 1})
		must(t, err)
		suite.Same(t, entries[0].What, want)
	}
	suite.StartService(t, s, "", suite.PracticeAddress)
	overcharges("practice video 1")
	suite.Connect(t, s, "https://video.example.com", "standard")
	overcharges("video 2")
}
