package people_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

// Each warning about a limit is given only once, on a page and by mail.
func TestWarningAboutALimitIsGivenOnce(t *testing.T) {
	s := suite.Open(t)
	kim := db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: suite.Day}
	must(t, sampletest.AddUser(t, s, &kim))
	ann := suite.AddUser(t, s, "Ann")
	must(t, s.Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 100}))
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(125)}))
	for _, u := range []db.User{ann, kim} {
		must(t, s.Mail.SetNotices(t.Context(), u.ID, map[outbox.Notice]bool{outbox.NoticeLimit: true, outbox.NoticeAsked: true}))
	}
	told := func(u db.User) (all []spending.Warning) {
		for {
			budget, err := s.Limits.Budget(t.Context(), u.ID, suite.Day)
			must(t, err)
			w, err := s.Limits.TakeWarning(t.Context(), u, budget)
			must(t, err)
			if w == (spending.Warning{}) {
				return all
			}
			all = append(all, w)
		}
	}
	for _, step := range []struct {
		credits  float64
		ann, kim []spending.Warning
	}{
		{79, nil, nil},
		{1, []spending.Warning{{Percent: 80}}, nil},
		{0.5, nil, nil},
		{19.5, []spending.Warning{{Percent: 100}}, []spending.Warning{{Percent: 80, OfTeam: true}}},
	} {
		must(t, suite.Spend(t, s, ann, step.credits))
		suite.Same(t, told(ann), step.ann)
		suite.Same(t, told(kim), step.kim)
	}
	must(t, suite.Spend(t, s, kim, 25))
	suite.Same(t, told(kim), []spending.Warning{{Percent: 100, OfTeam: true}})

	mails, err := s.Mail.Mails(t.Context(), 100)
	must(t, err)
	var sent []string
	for _, m := range mails {
		sent = append([]string{fmt.Sprint(m.Kind, " ", m.Person, " ", m.Details.Percent, " ", m.Details.Team)}, sent...)
	}
	suite.Same(t, sent, []string{"limit Ann 80 false", "limit Kim 80 true", "limit Ann 100 false", "limit Kim 100 true"})
}

// A request for more credits is mailed to the admins, and the answer to the person
// who asked.
func TestAskingAndAnsweringIsMailed(t *testing.T) {
	s := suite.Open(t)
	kim := db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: suite.Day}
	must(t, sampletest.AddUser(t, s, &kim))
	ann := suite.AddUser(t, s, "Ann")
	must(t, s.Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 10}))
	a := spending.CreditRequest{UserID: ann.ID, Credits: 30, Sentence: "For the fair.", At: suite.Day}
	must(t, s.Limits.AddCreditRequest(t.Context(), &a))
	suite.Same(t, a.Month, spending.Month(202611))
	suite.Wants(
		t,
		s.Limits.AddCreditRequest(t.Context(), &spending.CreditRequest{UserID: ann.ID, Credits: 1, Sentence: "Again.", At: suite.Day}),
		db.ErrConflict,
	)
	answered, err := s.Limits.AnswerCreditRequest(t.Context(), a.ID, spending.Always, 40, "", kim.ID, suite.Day.Add(time.Hour))
	must(t, err)
	suite.Same(t, answered.Answer, spending.Always)
	l, err := s.Limits.Limit(t.Context(), ann.ID)
	must(t, err)
	suite.Same(t, l, spending.Limit{Allowance: spending.Own, Credits: 50})
	untold, err := s.Limits.UnseenAnswer(t.Context(), ann.ID)
	must(t, err)
	suite.Same(t, untold, answered)
	must(t, s.Limits.SeeAnswers(t.Context(), ann.ID, suite.Day))
	_, err = s.Limits.UnseenAnswer(t.Context(), ann.ID)
	suite.Wants(t, err, db.ErrNotFound)
	mails, err := s.Mail.Mails(t.Context(), 10)
	must(t, err)
	var sent []string
	for _, m := range mails {
		sent = append(sent, fmt.Sprintf(
			"%s to %s: %s, %g, %q, %s", m.Kind, m.Person, m.Details.By, m.Details.Credits, m.Details.Sentence, m.Details.Answer,
		))
	}
	suite.Same(t, sent, []string{`answered to Ann: Kim, 40, "", always`, `asked to Kim: Ann, 30, "For the fair.", `})

	again := spending.CreditRequest{UserID: ann.ID, Credits: 7, Sentence: "For the next one.", At: suite.Day}
	must(t, s.Limits.AddCreditRequest(t.Context(), &again))
	_, err = s.Limits.AnswerCreditRequest(t.Context(), again.ID, spending.No, 0, "Not this year.", kim.ID, suite.Day)
	must(t, err)
	_, err = s.Limits.AnswerCreditRequest(t.Context(), again.ID, spending.Once, 7, "", kim.ID, suite.Day)
	suite.Wants(t, err, db.ErrConflict)
	entries, err := s.Audit.Entries(t.Context(), audit.Search{UserID: ann.ID, Action: audit.LimitAnswer, Limit: 10})
	must(t, err)
	var recorded []string
	for _, e := range entries {
		recorded = append(recorded, e.Before+" -> "+e.After)
	}
	suite.Same(t, recorded, []string{"7 credits -> no", "30 credits -> 40 credits, always"})
}

func TestLimitsOfTheTeamAreReadBack(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	for _, want := range []spending.Limits{
		{}, {ApproveUnpriced: true}, {Default: db.CreditsOf(10.5)}, {Team: db.CreditsOf(0), ApproveUnpriced: true},
		{Default: db.CreditsOf(0), Team: db.CreditsOf(99)}, {},
	} {
		must(t, s.Limits.SetOfTeam(t.Context(), want))
		got, err := s.Limits.OfTeam(t.Context())
		must(t, err)
		suite.Same(t, got, want)
	}
}

func TestALimitThatStaysAsItIsIsNotRecorded(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann := suite.AddUserAs(t, s, "ann", db.Member)
	for range 2 {
		must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(100)}))
		must(t, s.Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 10}))
		must(t, s.Limits.SetOwnLimit(t.Context(), ann.ID, db.CreditsOf(5)))
	}
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.LimitChanged, Limit: 10})
	must(t, err)
	var recorded []string
	for _, e := range entries {
		recorded = append(recorded, e.What)
	}
	suite.Same(t, recorded, []string{"own lower limit", "limit", "limits of the team"})
}

// Somebody whom only the team's limit stops is allowed more, and gets no limit by that.
func TestAllowingMoreSetsNoLimitWhereThereWasNone(t *testing.T) {
	s := suite.Open(t)
	kim, ann := suite.AddUserAs(t, s, "kim", db.Admin), suite.AddUserAs(t, s, "ann", db.Member)
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(10)}))
	a := spending.CreditRequest{UserID: ann.ID, Credits: 30, Sentence: "For the fair.", At: s.Now()}
	must(t, s.Limits.AddCreditRequest(t.Context(), &a))
	_, err := s.Limits.AnswerCreditRequest(t.Context(), a.ID, spending.Always, 30, "", kim.ID, s.Now())
	must(t, err)
	l, err := s.Limits.Limit(t.Context(), ann.ID)
	must(t, err)
	suite.Same(t, l, spending.Limit{Allowance: spending.Default})
}

// What an admin allowed beyond a limit ends when an admin sets the limit again. It
// is available again if the service rejected the video that used it.
func TestPermitEndsWithANewLimitAndReturnsAfterARejection(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUserAs(t, s, "kim", db.Admin)
	ann := suite.AddUserAs(t, s, "ann", db.Member)
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Default: db.CreditsOf(10), ApproveUnpriced: true}))
	allow := func(answer spending.Answer, credits float64, unpriced bool) {
		t.Helper()
		a := spending.CreditRequest{UserID: ann.ID, Credits: credits, Sentence: "For the fair.", Unpriced: unpriced, At: s.Now()}
		must(t, s.Limits.AddCreditRequest(t.Context(), &a))
		_, err := s.Limits.AnswerCreditRequest(t.Context(), a.ID, answer, credits, "", kim.ID, s.Now())
		must(t, err)
	}
	budget := func() spending.Budget {
		t.Helper()
		r, err := s.Limits.Budget(t.Context(), ann.ID, s.Now())
		must(t, err)
		return r
	}
	press := func(prices ...db.Credits) ([]db.Task, error) {
		var tasks []db.Task
		batch := ""
		if len(prices) > 1 {
			batch = secrets.NewToken()
		}
		for _, price := range prices {
			tasks = append(tasks, db.Task{
				UserID: ann.ID, FormToken: secrets.NewToken(),
				Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"}, CreatedAt: s.Now(),
				Quoted: price, Reserved: price.Amount, Batch: batch,
			})
		}
		return s.AddTasks(t.Context(), tasks)
	}
	refuse := func(task db.Task) {
		t.Helper()
		_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Reject(db.KeyError, "no key", s.Now()) })
		must(t, err)
	}
	allow(spending.ThisMonth, 500, false)
	allow(spending.Always, 5, true)
	if r := budget(); r.Limit != db.CreditsOf(510) || r.NeedsApproval {
		t.Errorf("allowed: %+v", r)
	}
	must(t, s.Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.Own, Credits: 10}))
	if r := budget(); r.Limit != db.CreditsOf(10) || !r.NeedsApproval {
		t.Errorf("taken back: %+v", r)
	}
	allow(spending.Once, 30, false)
	for range 2 {
		tasks, err := press(db.CreditsOf(30))
		must(t, err)
		if _, err := press(db.CreditsOf(30)); err == nil {
			t.Error("what was allowed once is used twice")
		}
		refuse(tasks[0])
	}

	// It is available again once all videos of the submission were rejected.
	tasks, err := press(db.CreditsOf(15), db.CreditsOf(15))
	must(t, err)
	refuse(tasks[0])
	if r := budget(); r.Once.Known {
		t.Errorf("the other video was made with it: %+v", r)
	}
	refuse(tasks[1])
	if r := budget(); r.Once != db.CreditsOf(30) {
		t.Errorf("both were refused: %+v", r)
	}

	// A video without a price reserves nothing, whatever an admin expects it to cost.
	allow(spending.ThisMonth, 1.001, true)
	tasks, err = s.AddTasks(t.Context(), []db.Task{{
		UserID: ann.ID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"},
		CreatedAt: s.Now(),
	}})
	must(t, err)
	held, err := s.Tasks.Task(t.Context(), tasks[0].ID)
	must(t, err)
	suite.Same(t, held.Reserved, 0.0)
	refuse(tasks[0])

	// If it is revoked while a submission uses it, it does not come back.
	tasks, err = press(db.CreditsOf(30))
	must(t, err)
	must(t, s.Limits.SetLimit(t.Context(), ann.ID, spending.Limit{Allowance: spending.None}))
	refuse(tasks[0])
	if r := budget(); r.Once.Known {
		t.Errorf("what was taken back is there again: %+v", r)
	}

	allow(spending.Once, 5, true)
	tasks, err = press(db.Credits{}, db.Credits{})
	must(t, err)
	refuse(tasks[0])
	if _, err := press(db.Credits{}); err == nil {
		t.Error("videos of unknown price were allowed once, and are made twice")
	}
}

// Tasks that were not sent yet when their maker becomes a viewer are rejected, and
// a submission that was under way at that moment adds nothing.
func TestAViewerSpendsNothing(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann := suite.AddUserAs(t, s, "ann", db.Member)
	task := suite.AddTask(t, s, ann.ID, "a kite")
	must(t, s.Members.SetRole(t.Context(), ann.ID, db.Viewer, s.Now()))
	got, err := s.Tasks.Task(t.Context(), task.ID)
	must(t, err)
	if got.State != db.Rejected {
		t.Errorf("it is %s", got.State)
	}
	suite.Wants(t, suite.Spend(t, s, ann, 1), db.ErrConflict)
}

// A permit makes no price known: the videos are queued while something is left, and hold
// nothing.
func TestAPermitIsNoWayAroundTheLimits(t *testing.T) {
	s := suite.Open(t)
	kim, ann := suite.AddUserAs(t, s, "kim", db.Admin), suite.AddUserAs(t, s, "ann", db.Member)
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(50), ApproveUnpriced: true}))
	a := spending.CreditRequest{UserID: ann.ID, Credits: 30, Sentence: "To try it.", Unpriced: true, At: s.Now()}
	must(t, s.Limits.AddCreditRequest(t.Context(), &a))
	_, err := s.Limits.AnswerCreditRequest(t.Context(), a.ID, spending.ThisMonth, 30, "", kim.ID, s.Now())
	must(t, err)
	press := func() error {
		_, err := s.AddTasks(t.Context(), []db.Task{{
			UserID: ann.ID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"},
			CreatedAt: s.Now(),
		}})
		return err
	}
	must(t, press())
	must(t, press())
	if budget, err := s.Limits.Budget(t.Context(), ann.ID, s.Now()); budget.TeamHas != 0 || err != nil {
		t.Errorf("%g count, %v", budget.TeamHas, err)
	}
	must(t, suite.Spend(t, s, kim, 50))
	if over := new(spending.Over); !errors.As(press(), &over) || over.Unpriced || over.Budget.TeamHas != 50 {
		t.Errorf("nothing is left: %+v", over)
	}
}

// What videos with other options cost makes no price known.
func TestAVideoWithAKnownPriceNeedsNoPermit(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann := suite.AddUserAs(t, s, "ann", db.Member)
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Default: db.CreditsOf(10), ApproveUnpriced: true}))
	press := func(quoted db.Credits) error {
		_, err := s.AddTasks(t.Context(), []db.Task{{
			UserID: ann.ID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite"},
			CreatedAt: s.Now(), Quoted: quoted, Reserved: 3,
		}})
		return err
	}
	must(t, press(db.CreditsOf(3)))
	if over := new(spending.Over); !errors.As(press(db.Credits{}), &over) || !over.Unpriced {
		t.Error("a video of which no price is known needs no permit")
	}
}
