package suite_test

import (
	"testing"
	"time"

	"dailies/db/outbox"
	"dailies/db/store/suite"
)

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
