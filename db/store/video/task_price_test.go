package video_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// A lane is a person whose videos are sent with a key of their own.
type lane struct {
	s *store.Store
	u db.User
}

func newLane(t *testing.T, s *store.Store, name string) lane {
	t.Helper()
	return lane{s, suite.AddUserAs(t, s, name, db.Member)}
}

// queue adds videos of the person, with the price that is known.
func (l lane) queue(t *testing.T, prices ...db.Credits) []db.Task {
	t.Helper()
	var tasks []db.Task
	for _, price := range prices {
		options := db.Options{Resolution: "1080p"}
		if price.Known {
			options.Resolution = "720p"
		}
		tasks = append(tasks, db.Task{
			UserID: l.u.ID, FormToken: secrets.NewToken(),
			Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite", Options: options}, CreatedAt: l.s.Now(),
			Quoted: price, Reserved: price.Amount,
		})
	}
	added, err := l.s.AddTasks(t.Context(), tasks)
	must(t, err)
	return added
}

// claimToSend returns the IDs of all tasks that can be sent now, and ends their leases.
func claimToSend(t *testing.T, s *store.Store) (ids []int64) {
	t.Helper()
	tasks, err := s.Leases.Claim(t.Context(), s.Process(), s.Now(), s.Now().Add(suite.Lease), schedule.Capacity{Send: 9})
	must(t, err)
	for _, task := range tasks {
		ids = append(ids, task.ID)
		must(t, s.Leases.EndLease(t.Context(), s.Process(), task.ID))
	}
	slices.Sort(ids)
	due, err := s.Leases.NextDue(t.Context(), schedule.Capacity{Send: 9})
	if must(t, err); due.IsZero() != (len(ids) == 0) {
		t.Errorf("%v can be sent, and the next is due at %v", ids, due)
	}
	return ids
}

func beginCall(t *testing.T, s *store.Store, id int64) error {
	t.Helper()
	_, err := s.Calls.SendTask(t.Context(), s.Process(), id, secrets.Key{Sealed: []byte("sealed")}, s.Now())
	return err
}

// chargedFor records that the service has taken the task, and what it charged.
func chargedFor(t *testing.T, s *store.Store, id int64, charged db.Credits) db.Task {
	t.Helper()
	task, err := s.Calls.SettleCall(t.Context(), id, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: secrets.NewToken(), Charged: charged}, s.Now(), s.Now().Add(time.Hour))
	})
	must(t, err)
	return task
}

func awaiting(t *testing.T, s *store.Store, tasks ...db.Task) (ids []int64) {
	t.Helper()
	ids, err := s.Leases.AwaitPrice(t.Context(), suite.IDs(tasks)...)
	must(t, err)
	return ids
}

var unknown = db.Credits{}

// From its sending to its answer a video without a known price has the limit for itself.
func TestAVideoWithoutAPriceIsSentAlone(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann, bo := newLane(t, s, "ann"), newLane(t, s, "bo")
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(100)}))
	first, others := ann.queue(t, unknown)[0], append(bo.queue(t, unknown, db.CreditsOf(10)), ann.queue(t, unknown)...)
	suite.Same(t, claimToSend(t, s), []int64{first.ID, others[0].ID})
	must(t, beginCall(t, s, first.ID))
	suite.Wants(t, beginCall(t, s, others[0].ID), db.ErrConflict)
	suite.Wants(t, beginCall(t, s, others[1].ID), db.ErrConflict)
	suite.Same(t, claimToSend(t, s), nil)
	suite.Same(t, awaiting(t, s, append(others, first)...), suite.IDs(others))
	if budget, err := s.Limits.Budget(t.Context(), ann.u.ID, s.Now()); budget.TeamHas != 10 || err != nil {
		t.Errorf("%g count, %v", budget.TeamHas, err)
	}
	bo.queue(t, db.CreditsOf(90)) // it waits, too
	chargedFor(t, s, first.ID, db.CreditsOf(30))
	suite.Same(t, claimToSend(t, s), []int64{others[0].ID, others[2].ID})
	suite.Same(t, awaiting(t, s, others...), nil)
	reached := new(spending.Reached)
	if err := beginCall(t, s, others[0].ID); !errors.As(err, &reached) || reached.Whose != spending.Teams ||
		reached.Cost != db.CreditsOf(30) || reached.Left != 0 {
		t.Errorf("a second one, whose price is known by now: %v", err)
	}
	// What was pressed with a known price keeps what it holds.
	_, err := s.Tasks.UpdateTask(t.Context(), others[0].ID, func(t *db.Task) error { return t.Reject(db.LimitError, "", s.Now()) })
	must(t, err)
	must(t, beginCall(t, s, others[1].ID))
}

func TestWhereNoLimitAppliesNothingWaits(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann, bo := newLane(t, s, "ann"), newLane(t, s, "bo")
	must(t, s.Limits.SetLimit(t.Context(), ann.u.ID, spending.Limit{Allowance: spending.Own, Credits: 100}))
	first, other := ann.queue(t, unknown)[0], bo.queue(t, unknown)[0]
	must(t, beginCall(t, s, first.ID))
	suite.Same(t, claimToSend(t, s), []int64{other.ID})
	must(t, beginCall(t, s, other.ID))
	third := newLane(t, s, "cleo").queue(t, unknown)[0]
	must(t, beginCall(t, s, third.ID))
}

// Each limit that is reached is named, and of each something has to be left.
func TestALimitThatIsReachedIsNamed(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann := newLane(t, s, "ann")
	token := suite.AddToken(t, s, ann.u.ID)
	task := suite.NewTask(ann.u.ID, "a boat")
	task.CreatedAt = s.Now()
	tasks, err := s.OrderTasks(
		t.Context(), program.Order{Token: token.ID, Request: program.Request{UserID: ann.u.ID}, Most: 0.001}, []db.Task{task},
	)
	must(t, err)
	refused := func() (r spending.Reached) {
		t.Helper()
		reached := new(spending.Reached)
		if err := beginCall(t, s, tasks[0].ID); !errors.As(err, &reached) {
			t.Fatalf("it is sent: %v", err)
		}
		return *reached
	}
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(0)}))
	suite.Same(t, refused(), spending.Reached{Whose: spending.Teams})
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{}))
	must(t, s.Limits.SetOwnLimit(t.Context(), ann.u.ID, db.CreditsOf(0)))
	suite.Same(t, refused(), spending.Reached{Whose: spending.Person})
	must(t, s.Limits.SetOwnLimit(t.Context(), ann.u.ID, unknown))
	must(t, s.Limits.SetLimit(t.Context(), ann.u.ID, spending.Limit{Allowance: spending.Own}))
	suite.Same(t, refused(), spending.Reached{Whose: spending.Admins})
	must(t, s.Limits.SetLimit(t.Context(), ann.u.ID, spending.Limit{Allowance: spending.None}))
	other := suite.NewTask(ann.u.ID, "a kite")
	other.CreatedAt, other.Quoted, other.Reserved = s.Now(), db.CreditsOf(100), 100
	_, err = s.OrderTasks(t.Context(), program.Order{Token: token.ID, Request: program.Request{UserID: ann.u.ID}}, []db.Task{other})
	must(t, err)
	suite.Same(t, refused(), spending.Reached{Token: "Importer"})
}

// Videos of a token wait for one another; others of its owner do not.
func TestATokenHoldsUpNothingButItsOwnVideos(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann := newLane(t, s, "ann")
	token := suite.AddToken(t, s, ann.u.ID)
	order := func() db.Task {
		t.Helper()
		task := suite.NewTask(ann.u.ID, "a boat")
		task.CreatedAt = s.Now()
		tasks, err := s.OrderTasks(t.Context(), program.Order{Token: token.ID, Request: program.Request{UserID: ann.u.ID}}, []db.Task{task})
		must(t, err)
		return tasks[0]
	}
	first, second, plain := order(), order(), ann.queue(t, unknown)[0]
	must(t, beginCall(t, s, first.ID))
	must(t, s.Calls.EndCall(t.Context(), first.ID, sentAt(t, s, first.ID))) // its key is free, although it is not answered
	suite.Same(t, claimToSend(t, s), []int64{plain.ID})
	suite.Wants(t, beginCall(t, s, second.ID), db.ErrConflict)
	must(t, beginCall(t, s, plain.ID))
}

func sentAt(t *testing.T, s *store.Store, id int64) time.Time {
	t.Helper()
	task, err := s.Tasks.Task(t.Context(), id)
	must(t, err)
	return task.SentAt
}

// A charge above the known price counts for the next videos of the kind, those that are
// queued already included.
func TestAHigherChargeIsTheNextPrice(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann := newLane(t, s, "ann")
	must(t, s.Limits.SetLimit(t.Context(), ann.u.ID, spending.Limit{Allowance: spending.Own, Credits: 40}))
	tasks := ann.queue(t, db.CreditsOf(10), db.CreditsOf(10))
	must(t, beginCall(t, s, tasks[0].ID))
	chargedFor(t, s, tasks[0].ID, db.CreditsOf(25))
	reached := new(spending.Reached)
	if err := beginCall(t, s, tasks[1].ID); !errors.As(err, &reached) || reached.Left != 15 || reached.Cost != db.CreditsOf(25) {
		t.Errorf("a queued one: %v", err)
	}
	_, err := s.AddTasks(t.Context(), []db.Task{{
		UserID: ann.u.ID, FormToken: secrets.NewToken(),
		Request:   db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a kite", Options: db.Options{Resolution: "720p"}},
		CreatedAt: s.Now(), Quoted: db.CreditsOf(5), Reserved: 5,
	}})
	if over := new(spending.Over); !errors.As(err, &over) || over.Cost != 25 {
		t.Errorf("a new one: %v", err)
	}
	must(t, s.Limits.SetLimit(t.Context(), ann.u.ID, spending.Limit{Allowance: spending.Own, Credits: 50}))
	must(t, beginCall(t, s, tasks[1].ID))
	if budget, err := s.Limits.Budget(t.Context(), ann.u.ID, s.Now()); budget.Spent != 50 || err != nil {
		t.Errorf("%g count, %v", budget.Spent, err)
	}
}

// A video whose answer is lost, or names no price, counts as the dearest one of the service.
func TestAVideoWithoutAChargeCountsAsTheDearest(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann, bo := newLane(t, s, "ann"), newLane(t, s, "bo")
	must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(1000)}))
	has := func() float64 {
		t.Helper()
		budget, err := s.Limits.Budget(t.Context(), ann.u.ID, s.Now())
		must(t, err)
		return budget.TeamHas
	}
	lost := ann.queue(t, unknown)[0]
	must(t, beginCall(t, s, lost.ID))
	_, err := s.Calls.SettleCall(t.Context(), lost.ID, func(t *db.Task) error { return t.Lose("", s.Now()) })
	must(t, err)

	// The service has charged nothing yet: nobody knows how much the lost one counts.
	silent, priced := bo.queue(t, unknown)[0], bo.queue(t, db.CreditsOf(20))[0]
	suite.Same(t, awaiting(t, s, silent, priced), []int64{silent.ID})
	suite.Wants(t, beginCall(t, s, silent.ID), db.ErrConflict)
	suite.Same(t, claimToSend(t, s), []int64{priced.ID})
	must(t, beginCall(t, s, priced.ID))
	_, err = s.Calls.SettleCall(t.Context(), priced.ID, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: "p", Charged: db.CreditsOf(20)}, s.Now(), s.Now().Add(time.Hour))
	})
	must(t, err)
	suite.Same(t, has(), 40.0)
	suite.Same(t, awaiting(t, s, silent), nil)

	must(t, beginCall(t, s, silent.ID))
	if task := chargedFor(t, s, silent.ID, unknown); task.Reserved != 20 {
		t.Errorf("one without a price holds %g", task.Reserved)
	}
	suite.Same(t, has(), 60.0)
	_, err = s.Tasks.UpdateTask(t.Context(), silent.ID, func(t *db.Task) error {
		return t.Report(db.Report{Status: "processing", Charged: db.CreditsOf(70)}, s.Now(), s.Now())
	})
	must(t, err)
	suite.Same(t, has(), 160.0) // 20, 70, and the lost one as the dearest
	_, err = s.Tasks.UpdateTask(t.Context(), lost.ID, func(t *db.Task) error { return t.Decide(s.Now()) })
	must(t, err)
	suite.Same(t, has(), 90.0)
}

// What an admin allowed once beyond the limit is for one video without a known price, too.
func TestWhatWasAllowedOnceIsForAVideoWithoutAPrice(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUserAs(t, s, "kim", db.Admin)
	ann := newLane(t, s, "ann")
	must(t, s.Limits.SetLimit(t.Context(), ann.u.ID, spending.Limit{Allowance: spending.Own, Credits: 0}))
	a := spending.CreditRequest{UserID: ann.u.ID, Credits: 30, Sentence: "To try it.", At: s.Now()}
	must(t, s.Limits.AddCreditRequest(t.Context(), &a))
	_, err := s.Limits.AnswerCreditRequest(t.Context(), a.ID, spending.Once, 30, "", kim.ID, s.Now())
	must(t, err)
	task := ann.queue(t, unknown)[0]
	must(t, beginCall(t, s, task.ID))
}

// A token without a limit of its own spends what its owner may.
func TestATokenMayHaveNoLimitOfItsOwn(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "kim", db.Admin)
	ann := newLane(t, s, "ann")
	hash := secrets.HashToken("free")
	token := program.Token{
		UserID: ann.u.ID, Name: "Free", Hash: hash, May: program.Make, CreatedAt: suite.Day,
		EndsAt: suite.Day.AddDate(100, 0, 0),
	}
	must(t, s.Programs.Add(t.Context(), &token))
	found, _, err := s.Programs.Find(t.Context(), hash, s.Now())
	must(t, err)
	if found.Cap.Known || found.Left().Known {
		t.Errorf("%+v", found)
	}
	for i := range 5 {
		_, err := suite.Order(t, s, token, string(rune('a'+i)))
		must(t, err)
	}
	must(t, s.Limits.SetLimit(t.Context(), ann.u.ID, spending.Limit{Allowance: spending.Own, Credits: 150}))
	_, err = suite.Order(t, s, token, "k")
	if over := new(spending.Over); !errors.As(err, &over) {
		t.Errorf("beyond its owner's limit: %v", err)
	}
}

// A database from before videos without a known price waited for one another: tokens keep
// their caps, and videos what they hold until they are sent. What a program expected still
// stops its token.
func TestADatabaseFromBeforePricesWereAwaitedGoesOn(t *testing.T) {
	path, raw := suite.Migrated(t, "049_guest_sources.sql")
	now := time.Now()
	at, month := now.UnixMilli(), now.UTC().Format("200601")
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at) VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0)`,
		fmt.Sprintf(
			`INSERT INTO programs (user_id, name, start, token, may, cap, created_at, ends_at, used_from) VALUES (1, 'Importer', 'dly_', zeroblob(32), 'make', 100000, 0, %[1]d, ''), (1, 'Nothing', 'dly_', randomblob(32), 'make', 0, 0, %[1]d, '')`,
			at+1e9,
		),
		fmt.Sprintf(`INSERT INTO tasks (user_id, form_token, scene, model, state, provider, prompt, created_at, next_at, options, pictures, held, day) VALUES
			(1, 'queued', 'text-to-video', 'veo3', 'queued', '', 'a kite', %[1]d, %[1]d, '{}', '[]', 40000, %[2]d), (1, 'running', 'text-to-video', 'veo3', 'pending', '', 'a boat', %[1]d, NULL, '{}', '[]', 12000, %[2]d)`, at, db.DayOf(
			now, time.UTC,
		)),
		fmt.Sprintf(`INSERT INTO program_tasks (program_id, month, task_id) VALUES (1, %s, 1)`, month),
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	s := suite.OpenAt(t, path)
	tokens, err := s.Programs.Of(t.Context(), 1, now, 9)
	must(t, err)
	if len(tokens) != 2 || tokens[1].Cap != db.CreditsOf(100) || tokens[0].Cap != db.CreditsOf(0) || tokens[1].Spent != 40 {
		t.Errorf("%+v", tokens)
	}
	budget, err := s.Limits.Budget(t.Context(), 1, now)
	must(t, err)
	suite.Same(t, budget.Spent, 52.0)
	must(t, beginCall(t, s, 1))
	task, err := s.Tasks.Task(t.Context(), 1)
	must(t, err)
	suite.Same(t, task.Reserved, 0.0) // nobody knows the price: it has all that the token has left
	chargedFor(t, s, 1, db.CreditsOf(40.001))
	if tokens, err = s.Programs.Of(t.Context(), 1, now, 9); err != nil || tokens[1].StoppedAt.IsZero() || tokens[1].Spent != 40.001 {
		t.Errorf("%+v, %v", tokens, err)
	}
}

// What ended before with a charge that nobody named counts from now on, unless its credits come
// back, and the totals follow.
func TestADatabaseFromBeforeUnnamedChargesCountedGoesOn(t *testing.T) {
	path, raw := suite.Migrated(t, "055_kept_charges.sql")
	now := time.Now()
	_, err := raw.Exec(
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at) VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0)`,
	)
	must(t, err)
	for i, row := range []string{
		`'canceled', 'canceled', 'request', NULL`, `'failed', 'success', 'request', NULL`,
		`'failed', 'failed', 'service', NULL`, `'failed', 'failed', 'request', NULL`, `'canceled', 'canceled', 'request', 7000`,
		`'success', 'success', '', NULL`,
	} {
		_, err := raw.Exec(fmt.Sprintf(`
			INSERT INTO tasks (state, status, blame, charged, user_id, form_token, scene, model, provider, prompt, created_at, options, pictures, held, day)
			VALUES (%s, 1, 'f%d', 'text-to-video', 'veo3', '', 'a kite', %d, '{}', '[]', 10000, %d)`, row, i, now.UnixMilli(),
			db.DayOf(now, time.UTC)))
		must(t, err)
	}
	s := suite.OpenAt(t, path)
	counts := func(want float64) {
		t.Helper()
		if budget, err := s.Limits.Budget(t.Context(), 1, now); budget.Spent != want || err != nil {
			t.Errorf("%g count instead of %g, %v", budget.Spent, want, err)
		}
	}
	counts(47)
	for id := range int64(6) {
		_, err := s.Tasks.UpdateTask(t.Context(), id+1, func(t *db.Task) error { t.Charged = db.CreditsOf(1); return nil })
		must(t, err)
	}
	counts(6)
}

// A video that ended without its price keeps what it holds, unless its credits come back. What
// it holds follows the dearest video of its service.
func TestAVideoThatKeepsAChargeNobodyNamedCounts(t *testing.T) {
	filtered := db.Report{Status: "success", Filtered: true, Reason: "content_filter"}
	for name, tt := range map[string]struct {
		reports []db.Report // none stands for answers that cannot be read
		counts  float64
		after   float64 // once a video costs 50
	}{
		"made":     {[]db.Report{{Status: "success", Results: []db.Result{{Kind: db.Video, URL: "https://x.invalid/a.mp4"}}}}, 30, 50},
		"filtered": {[]db.Report{filtered, filtered}, 30, 50},
		"canceled": {[]db.Report{{Status: "canceled"}}, 30, 50},
		"unread":   {nil, 30, 50},
		"failed":   {[]db.Report{{Status: "failed"}}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := suite.Open(t)
			suite.AddUserAs(t, s, "kim", db.Admin)
			ann, bo := newLane(t, s, "ann"), newLane(t, s, "bo")
			must(t, s.Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(1000)}))
			known := bo.queue(t, db.CreditsOf(20), db.CreditsOf(20))
			must(t, beginCall(t, s, known[0].ID))
			chargedFor(t, s, known[0].ID, db.CreditsOf(30))
			task := ann.queue(t, unknown)[0]
			must(t, beginCall(t, s, task.ID))
			chargedFor(t, s, task.ID, unknown)
			for _, report := range tt.reports {
				_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Report(report, s.Now(), s.Now()) })
				must(t, err)
			}
			if tt.reports == nil {
				_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { return t.Abandon("unread", s.Now()) })
				must(t, err)
			}
			counts := func(want float64) {
				t.Helper()
				if budget, err := s.Limits.Budget(t.Context(), ann.u.ID, s.Now()); budget.Spent != want || err != nil {
					t.Errorf("%g count instead of %g, %v", budget.Spent, want, err)
				}
			}
			counts(tt.counts)
			must(t, beginCall(t, s, known[1].ID))
			chargedFor(t, s, known[1].ID, db.CreditsOf(50))
			counts(tt.after)
			_, err := s.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { t.Charged = db.CreditsOf(12); return nil })
			must(t, err)
			counts(12)
		})
	}
}
