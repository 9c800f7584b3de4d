package people_test

import (
	"database/sql"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
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

func TestPeopleAreFoundByTheBeginningOfAWordOfTheirName(t *testing.T) {
	s := suite.Open(t)
	must(t, sampletest.AddUser(t, s, &db.User{Name: "Chief", Email: "chief@example.com", Password: "hash", Role: db.Admin, CreatedAt: suite.Day}))
	for _, name := range []string{"Jonas Berg", "Ana María Mendes", "bergljot dal", "王小明", "Omar"} {
		suite.AddUser(t, s, name)
	}
	_, err := s.Leave(t.Context(), team.Leaving{UserID: suite.AddUser(t, s, "Alfred Berg").ID, At: suite.Day})
	must(t, err)
	for query, want := range map[string][]string{
		"ber": {"bergljot dal", "Jonas Berg", "Alfred Berg"}, "berg jon": {"Jonas Berg"}, "maria": {"Ana María Mendes"}, "小明": {"王小明"},
		"onas": nil, "": nil, "…": nil, "jonas omar": nil, "OMAR": {"Omar"},
	} {
		found, err := s.Accounts.FindUsers(t.Context(), query, 10)
		must(t, err)
		var names []string
		for _, u := range found {
			names = append(names, u.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%q finds %q, want %q", query, names, want)
		}
	}
	if found, err := s.Accounts.FindUsers(t.Context(), "ber", 2); err != nil || len(found) != 2 {
		t.Errorf("at most two are %d: %v", len(found), err)
	}
}
