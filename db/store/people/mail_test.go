package people_test

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
)

func TestAMailIsClaimedByOneAndForgottenWhenItIsOver(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUser(t, s, "kim@example.com")
	m := outbox.NewMail(outbox.MailReset, kim.ID, suite.Day)
	m.Sealed, m.Details = []byte("sealed token"), outbox.MailDetails{By: "Lee"}
	must(t, s.Mail.AddMail(t.Context(), m))
	claimed := suite.ClaimMails(t, s, "a", suite.Day)
	if len(claimed) != 1 || claimed[0].Address != kim.Email || claimed[0].Person != kim.Name || claimed[0].Details.By != "Lee" || !bytes.Equal(claimed[0].Sealed, m.Sealed) {
		t.Fatalf("got %+v", claimed)
	}
	if others := suite.ClaimMails(t, s, "b", suite.Day.Add(59*time.Second)); len(others) != 0 {
		t.Error("it is claimed twice")
	}
	taken := suite.ClaimMails(t, s, "b", suite.Day.Add(time.Minute)) // the lease of a has expired
	suite.Same(t, len(taken), 1)
	lost := claimed[0]
	lost.Sent(suite.Day)
	suite.Wants(t, s.Mail.SettleMail(t.Context(), "a", lost), db.ErrConflict)
	again := taken[0]
	again.Fail("later", false, suite.Day.Add(time.Minute))
	must(t, s.Mail.SettleMail(t.Context(), "b", again))
	if early := suite.ClaimMails(t, s, "b", again.NextAt.Add(-time.Millisecond)); len(early) != 0 {
		t.Error("it is tried too early")
	}
	last := suite.ClaimMails(t, s, "b", again.NextAt)[0]
	suite.Same(t, last.Tries, 1)
	last.Sent(again.NextAt)
	must(t, s.Mail.SettleMail(t.Context(), "b", last))
	over, err := s.Mail.Mails(t.Context(), 10)
	must(t, err)
	if len(over) != 1 || over[0].Sealed != nil || over[0].Details != (outbox.MailDetails{}) || over[0].SentAt.IsZero() || over[0].Tries != 2 {
		t.Errorf("got %+v", over)
	}
	if more := suite.ClaimMails(t, s, "b", suite.Day.Add(time.Hour)); len(more) != 0 {
		t.Error("it is sent twice")
	}
}

func TestAskingOnTheSignInPageEndsNoLinkOfAnAdmin(t *testing.T) {
	for name, by := range map[string]struct{ server, asked, stays bool }{
		"server": {server: true, stays: true}, "admin": {stays: true}, "sign-in page": {asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := suite.Open(t)
			u := suite.AddUser(t, s, "Ann")
			first, token := signin.NewReset(u.ID, suite.Day)
			first.ByServer, first.Requested = by.server, by.asked
			must(t, s.Sessions.AddReset(t.Context(), first))
			ask := func(at time.Time) (token string) {
				t.Helper()
				must(t, s.Mail.AddMail(t.Context(), outbox.NewMail(outbox.MailForgot, 0, at)))
				r, token := signin.NewReset(u.ID, at)
				must(t, s.Mail.ForgotMail(t.Context(), "p", suite.ClaimMails(t, s, "p", at)[0], r, outbox.NewMail(outbox.MailReset, u.ID, at.Add(48*time.Hour))))
				return token
			}
			opens := func(token string, at time.Time, want bool) {
				t.Helper()
				if _, err := s.Sessions.Reset(t.Context(), secrets.HashToken(token), at); (err == nil) != want {
					t.Errorf("the link opens: %v", err)
				}
			}
			second := ask(suite.Day)
			opens(token, suite.Day, by.stays)
			opens(second, suite.Day, !by.stays)
			later := suite.Day.Add(signin.ResetLife)
			opens(ask(later), later, true)
		})
	}
}

func TestOfTwoProcessesOneClaimsEachMail(t *testing.T) {
	s := suite.OpenTwice(t)
	for range 40 {
		m := outbox.NewMail(outbox.MailInvite, 0, suite.Day)
		m.Address = "new@example.com"
		must(t, s[0].Mail.AddMail(t.Context(), m))
	}
	var mu sync.Mutex
	claimed := map[int64]int{}
	var done sync.WaitGroup
	for i, owner := range []string{"a", "b", "a", "b"} {
		done.Go(func() {
			for range 10 {
				mails, err := s[i%2].Mail.ClaimMails(t.Context(), owner, suite.Day, suite.Day.Add(time.Minute), 3)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, m := range mails {
					claimed[m.ID]++
				}
				mu.Unlock()
			}
		})
	}
	done.Wait()
	for id, n := range claimed {
		if n != 1 {
			t.Errorf("mail %d was claimed %d times", id, n)
		}
	}
	suite.Same(t, len(claimed), 40)
}

// end sets a task's state to the given final state.
func end(t *testing.T, s *store.Store, id int64, state db.State) {
	t.Helper()
	_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error { t.State = state; return nil })
	must(t, err)
}

func TestOnePressIsOneMail(t *testing.T) {
	s := suite.Open(t)
	kim, lee := suite.AddUser(t, s, "kim@example.com"), suite.AddUser(t, s, "lee@example.com")
	must(t, s.Mail.SetNotices(t.Context(), kim.ID, map[outbox.Notice]bool{outbox.NoticeReady: true}))
	var tasks []db.Task
	for range 3 {
		task := suite.NewTask(kim.ID, "a cat")
		task.Batch = "together"
		tasks = append(tasks, task)
	}
	tasks, err := s.AddTasks(t.Context(), tasks)
	must(t, err)
	other := suite.AddTask(t, s, lee.ID, "wants no mail")
	end(t, s, other.ID, db.Success)

	end(t, s, tasks[0].ID, db.Success)
	soon := s.Now().Add(time.Minute)
	first := suite.ClaimMails(t, s, "a", soon)
	if len(first) != 1 || first[0].UserID != kim.ID || first[0].Kind != outbox.MailVideos {
		t.Fatalf("got %+v", first)
	}
	e, err := s.Mail.Ended(t.Context(), first[0])
	must(t, err)
	suite.Same(t, []int{e.Running, e.Ready, e.Failed}, []int{2, 1, 0})
	end(t, s, tasks[1].ID, db.Failed) // while the mail is being prepared
	must(t, s.Mail.ParkMail(t.Context(), "a", first[0], soon))
	second := suite.ClaimMails(t, s, "a", soon) // not parked, because its videos have changed
	suite.Same(t, len(second), 1)
	must(t, s.Mail.ParkMail(t.Context(), "a", second[0], soon))
	if parked := suite.ClaimMails(t, s, "a", soon); len(parked) != 0 {
		t.Fatal("it is not parked")
	}
	end(t, s, tasks[2].ID, db.Unconfirmed)
	last := suite.ClaimMails(t, s, "a", soon)
	suite.Same(t, len(last), 1)
	e, err = s.Mail.Ended(t.Context(), last[0])
	must(t, err)
	suite.Same(t, []int{e.Running, e.Ready, e.Failed, e.Unsure}, []int{0, 1, 1, 1})
	if !e.Wanted(map[outbox.Notice]bool{outbox.NoticeReady: true}) || e.Wanted(map[outbox.Notice]bool{outbox.NoticeAsked: true}) {
		t.Error("it is not known who wants it")
	}
	last[0].Sent(soon)
	must(t, s.Mail.SettleMail(t.Context(), "a", last[0]))
	if more := suite.ClaimMails(t, s, "a", soon.Add(24*time.Hour)); len(more) != 0 {
		t.Errorf("%d more mails of one press", len(more))
	}
}

func TestNoticesAreStandardUnlessChosen(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUser(t, s, "kim@example.com")
	wanted, err := s.Mail.WantedNotices(t.Context(), kim.ID)
	must(t, err)
	suite.Same(t, wanted, map[outbox.Notice]bool{outbox.NoticeReady: false, outbox.NoticeFailed: false, outbox.NoticeAsked: true, outbox.NoticeLimit: false, outbox.NoticeAnswer: true, outbox.NoticeNotes: true})
	must(t, s.Mail.AddMail(t.Context(), outbox.NewMail(outbox.MailAsked, kim.ID, suite.Day)))
	must(t, s.Mail.AddMail(t.Context(), outbox.NewMail(outbox.MailLimit, kim.ID, suite.Day)))
	must(t, s.Mail.SetNotices(t.Context(), kim.ID, map[outbox.Notice]bool{outbox.NoticeLimit: true}))
	must(t, s.Mail.AddMail(t.Context(), outbox.NewMail(outbox.MailAsked, kim.ID, suite.Day)))
	must(t, s.Mail.AddMail(t.Context(), outbox.NewMail(outbox.MailLimit, kim.ID, suite.Day)))
	var kinds []outbox.MailKind
	for _, m := range suite.ClaimMails(t, s, "a", suite.Day) {
		kinds = append(kinds, m.Kind)
	}
	suite.Same(t, kinds, []outbox.MailKind{outbox.MailAsked, outbox.MailLimit})
}

func TestMailsThatNobodySendsAreGivenUp(t *testing.T) {
	s := suite.Open(t)
	m := outbox.NewMail(outbox.MailInvite, 0, suite.Day)
	m.Address, m.Sealed = "new@example.com", []byte("sealed")
	must(t, s.Mail.AddMail(t.Context(), m))
	must(t, s.Mail.SweepMails(t.Context(), m.Until.Add(-time.Second)))
	suite.Same(t, len(suite.ClaimMails(t, s, "a", suite.Day)), 1)
	must(t, s.Mail.SweepMails(t.Context(), m.Until))
	over, err := s.Mail.Mails(t.Context(), 10)
	must(t, err)
	if !over[0].NextAt.IsZero() || !over[0].SentAt.IsZero() || over[0].Problem == "" || over[0].Sealed != nil {
		t.Errorf("got %+v", over)
	}
	must(t, s.Mail.SweepMails(t.Context(), suite.Day.Add(31*24*time.Hour)))
	over, err = s.Mail.Mails(t.Context(), 10)
	must(t, err)
	suite.Same(t, len(over), 0)
}

func TestAMailOfAWrongClockIsSentSoon(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUser(t, s, "kim@example.com")
	far := suite.Day.AddDate(0, 1, 0)
	waiting := outbox.NewMail(outbox.MailAsked, kim.ID, suite.Day)
	waiting.NextAt = far
	must(t, s.Mail.AddMail(t.Context(), waiting))
	mend := func(corrected int) {
		t.Helper()
		found, err := s.Unstick(t.Context(), "a", suite.Day, 2*time.Hour, 30*time.Second, nil)
		must(t, err)
		suite.Same(t, found.Early+found.Leases, corrected)
	}
	mend(1)
	_, err := s.Mail.ClaimMails(t.Context(), "an earlier clock", suite.Day, far, 9)
	must(t, err)
	mend(1)
	suite.Same(t, len(suite.ClaimMails(t, s, "a", suite.Day.Add(30*time.Second))), 1)
	mend(0) // a lease of a minute is no mistake
}

// While no process has a mail server, no mails are written, and a server that is set up later
// sends nothing old.
func TestNothingIsWrittenForAServerThatIsNotThere(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	write := func() { must(t, s.Mail.AddMail(t.Context(), outbox.NewMail(outbox.MailTest, ann, suite.Day))) }
	server := func(has bool, at time.Time) { t.Helper(); must(t, s.Mail.KeepServer(t.Context(), has, at)) }
	waiting := func(want int) {
		t.Helper()
		w, err := s.Work(t.Context(), suite.Day.Add(24*time.Hour))
		must(t, err)
		if w.Mails != want || (w.DueMail > 0) != (want > 0) {
			t.Errorf("%d mails wait, the first for %v, want %d", w.Mails, w.DueMail, want)
		}
	}
	write() // as an earlier version did
	waiting(1)
	server(false, suite.Day.Add(time.Hour))
	waiting(0)
	write()
	waiting(0)
	server(true, suite.Day.Add(2*time.Hour))
	waiting(0)
	write()
	waiting(1)
	// A process without a server starts beside one that has it.
	server(false, suite.Day.Add(2*time.Hour+time.Minute))
	write()
	waiting(2)
	// The one with the server has stopped.
	server(false, suite.Day.Add(2*time.Hour+6*time.Minute))
	waiting(0)
	write()
	waiting(0)
	mails, err := s.Mail.Mails(t.Context(), 9)
	must(t, err)
	for _, m := range mails {
		if m.Problem != "No mail server was set up." || !m.NextAt.IsZero() {
			t.Errorf("%+v", m)
		}
	}
}

// The first start with a server after an upgrade sends what is new, and not what an earlier
// version without a server has left.
func TestTheFirstServerSendsNothingOld(t *testing.T) {
	for name, tt := range map[string]struct {
		due   time.Duration // before the start
		tried bool
		want  int
	}{
		"never tried":           {time.Hour, false, 0},
		"written just now":      {time.Minute, false, 1},
		"waits for a new trial": {time.Hour, true, 1},
	} {
		s := suite.Open(t)
		ann := suite.AddUser(t, s, "Ann").ID
		m := outbox.NewMail(outbox.MailTest, ann, suite.Day.Add(-tt.due))
		must(t, s.Mail.AddMail(t.Context(), m))
		if tt.tried {
			m := suite.ClaimMails(t, s, "me", suite.Day)[0]
			m.Tries, m.TriedAt, m.NextAt = 1, suite.Day, suite.Day
			must(t, s.Mail.SettleMail(t.Context(), "me", m))
		}
		must(t, s.Mail.KeepServer(t.Context(), true, suite.Day))
		w, err := s.Work(t.Context(), suite.Day)
		must(t, err)
		if w.Mails != tt.want {
			t.Errorf("%s: %d mails wait", name, w.Mails)
		}
	}
}
