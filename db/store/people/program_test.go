package people_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store/suite"
)

func TestATokenIsFoundByItsHashUntilItEnds(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	token := suite.AddToken(t, s, ann.ID)
	found, owner, err := s.Programs.Find(t.Context(), token.Hash, suite.Day)
	must(t, err)
	token.UserName = "Ann"
	suite.Same(t, found, token)
	byID, _, err := s.Programs.FindByID(t.Context(), token.ID, suite.Day)
	must(t, err)
	suite.Same(t, byID, found)
	if owner.ID != ann.ID {
		t.Errorf("the owner is %+v", owner)
	}
	must(t, s.Programs.Used(t.Context(), token.ID, "203.0.113.7", suite.Day.Add(time.Hour)))
	all, err := s.Programs.Of(t.Context(), 0, suite.Day, 10)
	must(t, err)
	if len(all) != 1 || all[0].UsedFrom != "203.0.113.7" || !all[0].UsedAt.Equal(suite.Day.Add(time.Hour)) {
		t.Errorf("%+v", all)
	}
	_, _, err = s.Programs.Find(t.Context(), secrets.HashToken("another"), suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	_, _, err = s.Programs.Find(t.Context(), token.Hash, token.EndsAt)
	suite.Wants(t, err, db.ErrNotFound)
	_, _, err = s.Programs.FindByID(t.Context(), token.ID, token.EndsAt)
	suite.Wants(t, err, db.ErrNotFound)
	suite.Wants(t, s.Programs.End(t.Context(), token.ID, bo.ID, suite.Day), db.ErrNotFound)
	for range 2 { // the second time it changes nothing
		must(t, s.Programs.End(t.Context(), token.ID, ann.ID, suite.Day))
	}
	_, _, err = s.Programs.Find(t.Context(), token.Hash, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	_, err = suite.Order(t, s, token, "k")
	suite.Wants(t, err, program.ErrEnded)
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Noun: "program", Limit: 10})
	must(t, err)
	var said []string
	for _, e := range entries {
		said = append(said, fmt.Sprintf("%s %s %s", e.Action, e.What, e.After))
	}
	suite.Same(t, said, []string{"program.end Importer ", "program.make Importer may make, at most 100 credits a month, until " + token.EndsAt.Format("2006-01-02")})
}

func TestAPersonHasOnlySoManyTokens(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	for range program.MaxTokens {
		suite.AddToken(t, s, ann.ID)
	}
	suite.Wants(t, s.Programs.Add(t.Context(), &program.Token{UserID: ann.ID, May: program.Look, CreatedAt: suite.Day, EndsAt: suite.Day.AddDate(0, 0, 1)}), db.ErrFull)
}

// However many orders arrive at the same time, a token spends no more than its cap.
func TestATokenKeepsToItsCap(t *testing.T) {
	stores := suite.OpenTwice(t)
	s := stores[0]
	ann := suite.AddUser(t, s, "Ann")
	token := suite.AddToken(t, s, ann.ID)
	var group sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		group.Go(func() { _, results[i] = suite.Order(t, stores[i%2], token, fmt.Sprint(i)) })
	}
	group.Wait()
	made := 0
	for _, err := range results {
		switch {
		case err == nil:
			made++
		case !errors.Is(err, program.ErrCap):
			t.Error(err)
		}
	}
	found, _, err := s.Programs.Find(t.Context(), token.Hash, s.Now())
	if made != 3 || found.Spent != 90 || err != nil {
		t.Errorf("%d made, %g spent, %v", made, found.Spent, err)
	}
	// The person's own limit still counts.
	must(t, s.Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 100}))
	_, err = suite.Order(t, s, suite.AddToken(t, s, ann.ID), "limit")
	if over := new(spending.Over); !errors.As(err, &over) {
		t.Errorf("beyond the limit: %v", err)
	}
}

// One key makes one video, whichever process gets the repeats.
func TestAnIdempotencyKeyMakesOneVideo(t *testing.T) {
	stores := suite.OpenTwice(t)
	s := stores[0]
	ann := suite.AddUser(t, s, "Ann")
	token, other := suite.AddToken(t, s, ann.ID), suite.AddToken(t, s, ann.ID)
	var group sync.WaitGroup
	results := make([]error, 6)
	for i := range results {
		group.Go(func() { _, results[i] = suite.Order(t, stores[i%2], []program.Token{token, other}[i%2], "k") })
	}
	group.Wait()
	made := 0
	for _, err := range results {
		switch {
		case err == nil:
			made++
		case !errors.Is(err, program.ErrUsedKey):
			t.Error(err)
		}
	}
	tasks, err := s.Tasks.LatestTasks(t.Context(), ann.ID, 10)
	if made != 1 || len(tasks) != 1 || err != nil {
		t.Fatalf("%d made, %d tasks, %v", made, len(tasks), err)
	}
	r, err := s.Programs.Request(t.Context(), ann.ID, "k")
	must(t, err)
	if r.TaskID != tasks[0].ID || r.Count != 1 || r.Body != secrets.HashToken("body") || r.IsAnswered() {
		t.Errorf("%+v", r)
	}
	must(t, s.Programs.Answered(t.Context(), ann.ID, "k", 202, []byte(`{"id":1}`)))
	must(t, s.Programs.Answered(t.Context(), ann.ID, "k", 500, []byte(`{}`)))
	if r, err = s.Programs.Request(t.Context(), ann.ID, "k"); r.Status != 202 || string(r.Answer) != `{"id":1}` || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = s.Programs.Request(t.Context(), ann.ID, "another")
	suite.Wants(t, err, db.ErrNotFound)
	must(t, s.Programs.Sweep(t.Context(), r.CreatedAt.AddDate(0, 0, program.KeptDays-1)))
	if _, err = s.Programs.Request(t.Context(), ann.ID, "k"); err != nil {
		t.Errorf("after 29 days: %v", err)
	}
	must(t, s.Programs.Sweep(t.Context(), r.CreatedAt.AddDate(0, 0, program.KeptDays)))
	_, err = s.Programs.Request(t.Context(), ann.ID, "k")
	suite.Wants(t, err, db.ErrNotFound)
}

// Whoever is charged more than was quoted decides whether the program may go on.
func TestATokenStopsWhenAChargeExceedsTheQuote(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	token := suite.AddToken(t, s, ann.ID)
	tasks, err := suite.Order(t, s, token, "k")
	must(t, err)
	charge := func(credits float64) {
		t.Helper()
		_, err := s.Tasks.UpdateTask(t.Context(), tasks[0].ID, func(t *db.Task) error {
			t.State, t.Charged = db.Pending, db.CreditsOf(credits)
			return nil
		}, db.Answer{Call: "create", Status: "pending", Body: "{}", At: suite.Day})
		must(t, err)
	}
	charge(30)
	if found, _, err := s.Programs.Find(t.Context(), token.Hash, s.Now()); !found.StoppedAt.IsZero() || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	charge(31)
	if found, _, err := s.Programs.Find(t.Context(), token.Hash, s.Now()); found.StoppedAt.IsZero() || found.Spent != 31 || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	_, err = suite.Order(t, s, token, "l")
	suite.Wants(t, err, program.ErrStopped)
	suite.Wants(t, s.Programs.Continue(t.Context(), token.ID, bo.ID, s.Now()), db.ErrNotFound)
	must(t, s.Programs.Continue(t.Context(), token.ID, ann.ID, s.Now()))
	_, err = suite.Order(t, s, token, "l")
	must(t, err)

	// One that takes any price has no quote to exceed.
	task := suite.NewTask(ann.ID, "a boat")
	task.Reserved, task.CreatedAt = 10, s.Now()
	tasks, err = s.OrderTasks(t.Context(), program.Order{Token: token.ID, Request: program.Request{UserID: ann.ID}, AnyPrice: true}, []db.Task{task})
	must(t, err)
	charge(20)
	if found, _, err := s.Programs.FindByID(t.Context(), token.ID, s.Now()); !found.StoppedAt.IsZero() || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

// A charge for a video whose price nobody knew, and for which nothing was held, exceeds
// what the program was allowed. One whose cap is reached makes none of these.
func TestAnUnknownPriceIsNoWayAroundTheCap(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	token := suite.AddToken(t, s, ann.ID)
	order := func(anyPrice bool) ([]db.Task, error) {
		task := suite.NewTask(ann.ID, "a boat")
		task.CreatedAt = s.Now()
		return s.OrderTasks(t.Context(), program.Order{Token: token.ID, Request: program.Request{UserID: ann.ID}, AnyPrice: anyPrice}, []db.Task{task})
	}
	charge := func(id int64, credits float64) {
		t.Helper()
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			t.State, t.Charged = db.Pending, db.CreditsOf(credits)
			return nil
		}, db.Answer{Call: "create", Status: "pending", Body: "{}", At: suite.Day})
		must(t, err)
	}
	tasks, err := order(false)
	must(t, err)
	charge(tasks[0].ID, 40)
	if found, _, err := s.Programs.FindByID(t.Context(), token.ID, s.Now()); found.StoppedAt.IsZero() || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	must(t, s.Programs.Continue(t.Context(), token.ID, ann.ID, s.Now()))
	tasks, err = order(true)
	must(t, err)
	charge(tasks[0].ID, 60) // 100 in all
	_, err = order(true)
	suite.Wants(t, err, program.ErrCap)
}
