package suite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
	"dailies/db/team"
)

func TestUserIsReadBackWhole(t *testing.T) {
	s := suite.Open(t)
	u := db.User{Name: "Ann Bo", Email: "Ann@Example.com", Password: "phc", Role: db.Admin, LastScene: "text-to-video", CreatedAt: suite.Day}
	must(t, sampletest.AddUser(t, s, &u))
	got, err := s.Accounts.UserByEmail(t.Context(), " ann@EXAMPLE.com ")
	must(t, err)
	suite.Same(t, got, u)
}

func TestUserIsChanged(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	must(t, s.Accounts.SetUserName(t.Context(), u.ID, "Anna"))
	must(t, s.Accounts.SetLastScene(t.Context(), u.ID, "frames-to-video"))
	u.Name, u.LastScene = "Anna", "frames-to-video"
	got, err := s.Accounts.UserByEmail(t.Context(), u.Email)
	must(t, err)
	suite.Same(t, got, u)
}

func TestAPersonClosesAnAnnouncement(t *testing.T) {
	s := suite.Open(t)
	u, other := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	said := team.Announcement{Text: "Lunch at one", Until: s.Now().Add(time.Hour), Kind: team.Warning, Stays: true}
	must(t, s.Settings.SetAnnouncement(t.Context(), said))
	kept, err := s.Settings.Announcement(t.Context())
	must(t, err)
	if kept.Text != said.Text || kept.Kind != said.Kind || !kept.Stays || !kept.Until.Equal(said.Until) {
		t.Errorf("%+v", kept)
	}
	must(t, s.Settings.CloseAnnouncement(t.Context(), u.ID, said.Mark()))
	for id, want := range map[int64]string{u.ID: said.Mark(), other.ID: ""} {
		got, err := s.Accounts.User(t.Context(), id)
		must(t, err)
		if got.ClosedAnnouncement != want {
			t.Errorf("person %d has closed %q, want %q", id, got.ClosedAnnouncement, want)
		}
	}
}

func TestEmailIsTakenInEveryCase(t *testing.T) {
	s := suite.Open(t)
	first := db.User{Name: "A", Email: "élodie@example.com", Role: db.Member, CreatedAt: suite.Day}
	must(t, sampletest.AddUser(t, s, &first))
	second := db.User{Name: "B", Email: "ÉLODIE@Example.COM", Role: db.Member, CreatedAt: suite.Day}
	suite.Wants(t, sampletest.AddUser(t, s, &second), db.ErrConflict)
}

func TestUnknownUserIsNotFound(t *testing.T) {
	s := suite.Open(t)
	_, err := s.Accounts.UserByEmail(t.Context(), "")
	suite.Wants(t, err, db.ErrNotFound)
	suite.Wants(t, s.Accounts.SetUserName(t.Context(), 7, "x"), db.ErrNotFound)
	suite.Wants(t, s.Accounts.SetLastScene(t.Context(), 7, "x"), db.ErrNotFound)
}

func TestOnlyOneAccountIsTheFirst(t *testing.T) {
	s := suite.Open(t)
	if has, err := s.Accounts.HasUsers(t.Context()); has || err != nil {
		t.Fatal(has, err)
	}
	var all sync.WaitGroup
	var firsts atomic.Int32
	for i := range 20 {
		all.Go(func() {
			u := db.User{Name: "A", Email: string(rune('a' + i)), Role: db.Admin, CreatedAt: suite.Day}
			if err := s.Accounts.AddFirstUser(t.Context(), &u); err == nil {
				firsts.Add(1)
			} else {
				suite.Wants(t, err, db.ErrConflict)
			}
		})
	}
	all.Wait()
	users, err := s.Accounts.Users(t.Context())
	must(t, err)
	if firsts.Load() != 1 || len(users) != 1 {
		t.Errorf("%d were first, %d accounts", firsts.Load(), len(users))
	}
}

// The accounts date from before db.EmailKey. Two share an address; one has its
// address alone, but spelled differently from its key.
func TestOldSpellingsOfAddressesStillFindTheirAccounts(t *testing.T) {
	path := suite.FirstRelease(t, 0)
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	for _, email := range []string{"zoë@example.com", "zoe\u0308@example.com", "ｓｏｌｏ@example.com", "x\u200by@example.com", "x\u00ady@example.com"} {
		_, err := raw.Exec(`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at) VALUES ($1, $1, $1, 'hash', 'member', '', 0)`, email)
		must(t, err)
	}
	must(t, raw.Close())
	for range 2 { // the second start finds it done
		s, err := store.Open(t.Context(), path)
		must(t, err)
		for typed, want := range map[string]string{
			"zoë@example.com": "zoë@example.com", "ZOË@example.com": "zoë@example.com", "zoe\u0308@example.com": "zoe\u0308@example.com",
			"solo@example.com": "ｓｏｌｏ@example.com", "ｓｏｌｏ@example.com": "ｓｏｌｏ@example.com", "SO\u200bLO@example.com": "ｓｏｌｏ@example.com",
			"x\u200by@example.com": "x\u200by@example.com", "x\u00ady@example.com": "x\u00ady@example.com",
		} {
			u, err := s.Accounts.UserByEmail(t.Context(), typed)
			if err != nil || u.Email != want {
				t.Errorf("%+q leads to %+q, %v", typed, u.Email, err)
			}
		}
		_, err = s.Accounts.UserByEmail(t.Context(), "xy@example.com") // neither account's own spelling
		suite.Wants(t, err, db.ErrNotFound)
		for _, taken := range []string{"xy@example.com", "ZOE\u0308@example.com", "solo@example.com", "a@example.com", "ａ@example.com"} {
			suite.Wants(t, sampletest.AddUser(t, s, &db.User{Name: "Eve", Email: taken, Role: db.Member, CreatedAt: suite.Day}), db.ErrConflict)
		}
		users, err := s.Accounts.Users(t.Context())
		must(t, err)
		if twins := db.DuplicateEmails(users); len(twins) != 2 || len(twins[0]) != 2 || len(twins[1]) != 2 {
			t.Errorf("twins: %+v", twins)
		}
		must(t, s.Close())
	}
}

func TestOpenExistingChangesNoTables(t *testing.T) {
	_, err := store.OpenExisting(t.Context(), t.TempDir()+"/dailies.db")
	if err == nil {
		t.Error("it made a database")
	}
	path := suite.FirstRelease(t, 0)
	_, err = store.OpenExisting(t.Context(), path)
	suite.Wants(t, err, store.ErrOtherVersion)
	running := suite.OpenAt(t, path)
	beside, err := store.OpenExisting(t.Context(), path)
	must(t, err)
	defer beside.Close()
	reset, token := signin.NewReset(1, suite.Day)
	must(t, beside.Sessions.AddReset(t.Context(), reset))
	_, err = running.Sessions.Reset(t.Context(), secrets.HashToken(token), suite.Day)
	must(t, err)
}

// limit permits three attempts at once, and then one every ten seconds.
func limit(name string) signin.Rate {
	return signin.Rate{Name: []byte(name), Burst: 3, Every: 10 * time.Second}
}

// waits fails the test unless an attempt at the time would have to wait this long.
func waits(tb testing.TB, s *store.Store, at time.Time, want time.Duration, limits ...signin.Rate) {
	tb.Helper()
	wait, err := s.Guesses.TakeAttempt(tb.Context(), at, limits...)
	must(tb, err)
	if wait != want {
		tb.Errorf("it waits %s, want %s", wait, want)
	}
}

func TestAttemptsComeBackOneByOne(t *testing.T) {
	s := suite.Open(t)
	a := limit("a")
	for range 3 {
		waits(t, s, suite.Day, 0, a)
	}
	waits(t, s, suite.Day, 10*time.Second, a)
	waits(t, s, suite.Day.Add(4*time.Second), 6*time.Second, a)
	waits(t, s, suite.Day.Add(10*time.Second), 0, a)
	waits(t, s, suite.Day.Add(10*time.Second), 10*time.Second, a)
	later := suite.Day.Add(time.Hour)
	for range 3 {
		waits(t, s, later, 0, a)
	}
	waits(t, s, later, 10*time.Second, a) // even after an hour, only the burst is permitted
}

func TestARefusedAttemptTakesNothing(t *testing.T) {
	s := suite.Open(t)
	a, b := limit("a"), limit("b")
	for range 3 {
		waits(t, s, suite.Day, 0, a)
	}
	for range 10 {
		waits(t, s, suite.Day, 10*time.Second, b, a)
	}
	for range 3 {
		waits(t, s, suite.Day, 0, b)
	}
}

func TestReturnedAttemptDoesNotCount(t *testing.T) {
	s := suite.Open(t)
	a, b := limit("a"), limit("b")
	waits(t, s, suite.Day, 0, b)
	for range 10 {
		waits(t, s, suite.Day, 0, a, b)
		must(t, s.Guesses.GiveBackAttempt(t.Context(), suite.Day, a, b))
	}
	for range 2 {
		waits(t, s, suite.Day, 0, b)
	}
	waits(t, s, suite.Day, 10*time.Second, b) // its first attempt was not given back
	must(t, s.Guesses.GiveBackAttempt(t.Context(), suite.Day, limit("c")))
	for range 3 {
		waits(t, s, suite.Day, 0, limit("c"))
	}
	waits(t, s, suite.Day, 10*time.Second, limit("c")) // none was taken, so nothing was given back
}

// A clock that was years ahead for a while locks nobody out.
func TestAttemptsOfAWrongClockDoNotCount(t *testing.T) {
	s := suite.Open(t)
	a := limit("a")
	for range 3 {
		waits(t, s, suite.Day.AddDate(9, 0, 0), 0, a)
	}
	for range 3 {
		waits(t, s, suite.Day, 0, a)
	}
	waits(t, s, suite.Day, 10*time.Second, a)
}

// Attempts at the same moment, in two processes if the engine supports that, share
// one of their limits with attempts at something else.
func TestLimitHoldsForSimultaneousAttempts(t *testing.T) {
	stores := suite.OpenTwice(t)
	var through, elsewhere atomic.Int32
	var all sync.WaitGroup
	for i := range 120 {
		all.Go(func() {
			limits, count := []signin.Rate{limit("account"), {Name: []byte("address"), Burst: 100, Every: time.Minute}}, &through
			if i%3 == 0 {
				limits, count = []signin.Rate{limit(fmt.Sprint("other ", i%2)), limits[1]}, &elsewhere
			}
			wait, err := stores[i%2].Guesses.TakeAttempt(t.Context(), suite.Day, limits...)
			if err != nil {
				t.Error(err)
			} else if wait == 0 {
				count.Add(1)
			}
		})
	}
	all.Wait()
	if through.Load() != 3 || elsewhere.Load() != 6 {
		t.Errorf("%d and %d went through, want 3 and 6", through.Load(), elsewhere.Load())
	}
	for range 100 - 9 {
		waits(t, stores[0], suite.Day, 0, signin.Rate{Name: []byte("address"), Burst: 100, Every: time.Minute})
	}
	waits(t, stores[1], suite.Day, time.Minute, signin.Rate{Name: []byte("address"), Burst: 100, Every: time.Minute})
}

func TestExpiredAttemptsAreDeleted(t *testing.T) {
	suite.OnlySQLite(t)
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	for i := range 50 {
		waits(t, s, suite.Day.Add(time.Duration(i)*time.Millisecond), 0, limit(fmt.Sprint(i)))
	}
	for i := range 50 {
		waits(t, s, suite.Day.Add(time.Hour+time.Duration(i)*time.Hour), 0, limit("a later one"))
	}
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	defer raw.Close()
	var n int
	must(t, raw.QueryRow(`SELECT count(*) FROM attempts`).Scan(&n))
	if n != 1 {
		t.Errorf("%d names are kept, want 1", n)
	}
}

func TestAttemptFailsWithoutTheDatabase(t *testing.T) {
	s := suite.Open(t)
	ended, end := context.WithCancel(t.Context())
	end()
	if wait, err := s.Guesses.TakeAttempt(ended, suite.Day, limit("a")); err == nil {
		t.Errorf("it waits %s, and there is no error", wait)
	}
}

// BenchmarkAttempt measures what counting adds to an attempt that succeeds.
func BenchmarkAttempt(b *testing.B) {
	s := suite.Open(b)
	for b.Loop() {
		_, err := s.Guesses.TakeAttempt(b.Context(), suite.Day, limit("account"), limit("address"))
		must(b, err)
		must(b, s.Guesses.GiveBackAttempt(b.Context(), suite.Day, limit("account"), limit("address")))
	}
}
