package store_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// isOver fails the test unless the error says that a limit does not allow it.
func isOver(t *testing.T, err error) {
	t.Helper()
	if over := (*spending.Over)(nil); !errors.As(err, &over) {
		t.Errorf("%v, want that a limit is exceeded", err)
	}
}

// Practice credits and real ones are never added, whichever are in use.
func TestPracticeCreditsAreNeverAddedToRealOnes(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUserAs(t, s, "kim", db.Admin)
	ann := suite.AddUser(t, s, "Ann")
	suite.StartService(t, s, "", suite.PracticeAddress)
	must(t, s.Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 100}))
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(120)}))
	five := db.Options{Duration: 5}
	state := func(spent, apart float64, practice bool) {
		t.Helper()
		budget, err := s.Limits.Budget(t.Context(), ann.ID, suite.Day)
		must(t, err)
		suite.Same(t, []float64{budget.Spent, budget.TeamHas}, []float64{spent, spent})
		m, err := s.Members.Member(t.Context(), ann.ID, suite.Day)
		must(t, err)
		suite.Same(t, []float64{m.Spent, m.OtherCredits}, []float64{spent, apart})
		other, err := s.Usage.OtherCredits(t.Context(), spending.Filter{})
		must(t, err)
		suite.Same(t, other.Total().Spent(), apart)
		if apart > 0 {
			suite.Same(t, other.Practice, practice)
		}
		months, err := s.Usage.MonthlySpending(t.Context(), spending.Filter{})
		must(t, err)
		suite.Same(t, spending.OtherCredits{Months: months}.Total().Spent(), spent)
		days, err := s.Usage.Spending(t.Context(), spending.Filter{}, spending.ByPerson)
		must(t, err)
		suite.Same(t, spending.OtherCredits{Months: days}.Total().Spent(), spent)
		for _, wrong := range []func() ([]string, error){
			func() ([]string, error) { return s.Usage.WrongUsage(t.Context()) },
			func() ([]string, error) { return s.Usage.WrongTotals(t.Context()) },
		} {
			says, err := wrong()
			must(t, err)
			suite.Same(t, len(says), 0)
		}
	}
	paid := func(want float64) {
		t.Helper()
		w, err := s.Work(t.Context(), suite.Day)
		must(t, err)
		suite.Same(t, w.Paid, want)
	}
	warned := func(want int) {
		t.Helper()
		budget, err := s.Limits.Budget(t.Context(), ann.ID, suite.Day)
		must(t, err)
		w, err := s.Limits.TakeWarning(t.Context(), ann, budget)
		must(t, err)
		suite.Same(t, w.Percent, want)
	}

	suite.FinishTask(t, s, ann.ID, five, time.Minute, db.CreditsOf(90), suite.Day)
	state(90, 0, false)
	paid(90)
	warned(80)
	warned(0)
	isOver(t, suite.Spend(t, s, ann, 20))

	suite.Connect(t, s, "https://one.example", "one")
	state(0, 90, true)
	paid(0)
	warned(0)
	suite.FinishTask(t, s, ann.ID, five, time.Minute, db.CreditsOf(95), suite.Day)
	state(95, 90, true)
	warned(80)
	isOver(t, suite.Spend(t, s, ann, 20))
	must(t, suite.Spend(t, s, kim, 25))
	isOver(t, suite.Spend(t, s, kim, 1)) // the team's limit
	suite.Connect(t, s, "https://two.example", "two")
	budget, err := s.Limits.Budget(t.Context(), ann.ID, suite.Day)
	must(t, err)
	suite.Same(t, []float64{budget.Spent, budget.TeamHas}, []float64{95, 120}) // real credits are the same everywhere
	warned(0)
	suite.Practise(t, s)
	paid(95)
	must(t, suite.Spend(t, s, ann, 10))

	var kinds []bool
	must(t, s.Usage.EachReceipt(t.Context(), ann.ID, spending.Filter{}, func(r spending.Receipt) error {
		kinds = append(kinds, r.Practice)
		return nil
	}))
	suite.Same(t, kinds, []bool{true, false, false, true})
	other, err := s.Usage.OtherCredits(t.Context(), spending.Filter{People: []int64{ann.ID}})
	must(t, err)
	suite.Same(t, other, spending.OtherCredits{
		Months: []spending.Sum{{Day: db.DayOf(suite.Day, time.UTC) - int64(suite.Day.Day()) + 1, Videos: 1, Tasks: 1, Paid: 95}},
	})
}

// What an admin has allowed beyond a limit in practice mode allows nothing that costs
// real credits.
func TestWhatWasAllowedInPracticeModeIsNotAllowedForRealCredits(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUserAs(t, s, "kim", db.Admin)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	suite.StartService(t, s, "", suite.PracticeAddress)
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Default: db.CreditsOf(10), ApproveUnpriced: true}))
	asks := func(u db.User, unpriced bool) spending.CreditRequest {
		t.Helper()
		a := spending.CreditRequest{UserID: u.ID, Credits: 30, Unpriced: unpriced, Sentence: "Please.", At: suite.Day}
		must(t, s.Limits.AddCreditRequest(t.Context(), &a))
		return a
	}
	allows := func(a spending.CreditRequest, answer spending.Answer) {
		t.Helper()
		_, err := s.Limits.AnswerCreditRequest(t.Context(), a.ID, answer, 30, "", kim.ID, suite.Day)
		must(t, err)
	}
	allows(asks(ann, false), spending.Once)
	allows(asks(ann, false), spending.ThisMonth)
	allows(asks(ann, true), spending.Always)
	left := asks(bo, false)
	suite.Connect(t, s, "https://one.example", "one")
	isOver(t, suite.Spend(t, s, ann, 11))
	isOver(t, spendUnpriced(t, s, ann))
	open, err := s.Limits.OpenCreditRequests(t.Context(), 9)
	must(t, err)
	suite.Same(t, len(open), 0)
	_, err = s.Limits.AnswerCreditRequest(t.Context(), left.ID, spending.Always, 30, "", kim.ID, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	l, err := s.Limits.Limit(t.Context(), bo.ID)
	must(t, err)
	suite.Same(t, l.Allowance, spending.Default)
	allows(asks(bo, false), spending.Once) // the earlier request is in nobody's way
	must(t, suite.Spend(t, s, bo, 40))
	suite.Practise(t, s)
	isOver(t, suite.Spend(t, s, bo, 11))
	must(t, spendUnpriced(t, s, ann))
	must(t, suite.Spend(t, s, ann, 10))
	must(t, suite.Spend(t, s, ann, 30))
}

// spendUnpriced adds a video of unknown price.
func spendUnpriced(t *testing.T, s *store.Store, u db.User) error {
	t.Helper()
	_, err := s.AddTasks(t.Context(), []db.Task{suite.NewTask(u.ID, "unpriced")})
	return err
}

// Whoever remembers what is usual asks again after a change of the service, even if nothing
// has finished yet.
func TestAnotherServiceChangesWhatIsRemembered(t *testing.T) {
	s := suite.Open(t)
	suite.StartService(t, s, "", suite.PracticeAddress)
	names := []string{schedule.UsualVersion, "queue"}
	suite.Same(
		t, changedBy(t, s, names, func() { suite.Connect(t, s, "https://one.example", "one") }),
		[]string{"queue", schedule.UsualVersion},
	)
	suite.FinishTask(t, s, suite.AddUser(t, s, "Ann").ID, db.Options{}, time.Second, db.CreditsOf(9), suite.Day)
	changed := changedBy(t, s, names, func() { suite.Practise(t, s) })
	suite.Same(t, changed[:2], []string{schedule.PriceVersion("veo3"), "queue"})
}
