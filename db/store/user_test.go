package store_test

import (
	"database/sql"
	"sync"
	"sync/atomic"
	"testing"

	"dailies/db"
	"dailies/db/store"
	"dailies/db/store/sample"
)

func TestUserIsReadBackWhole(t *testing.T) {
	s := open(t)
	u := db.User{Name: "Ann Bo", Email: "Ann@Example.com", Password: "phc", Role: db.Admin, LastScene: "text-to-video", CreatedAt: day}
	must(t, sample.AddUser(t, s, &u))
	got, err := s.UserByEmail(t.Context(), " ann@EXAMPLE.com ")
	must(t, err)
	same(t, got, u)
}

func TestUserIsChanged(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	must(t, s.SetUserName(t.Context(), u.ID, "Anna"))
	must(t, s.SetLastScene(t.Context(), u.ID, "frames-to-video"))
	u.Name, u.LastScene = "Anna", "frames-to-video"
	got, err := s.UserByEmail(t.Context(), u.Email)
	must(t, err)
	same(t, got, u)
}

func TestEmailIsTakenInEveryCase(t *testing.T) {
	s := open(t)
	first := db.User{Name: "A", Email: "élodie@example.com", Role: db.Member, CreatedAt: day}
	must(t, sample.AddUser(t, s, &first))
	second := db.User{Name: "B", Email: "ÉLODIE@Example.COM", Role: db.Member, CreatedAt: day}
	wants(t, sample.AddUser(t, s, &second), db.ErrConflict)
}

func TestNobodyIsNotFound(t *testing.T) {
	s := open(t)
	_, err := s.UserByEmail(t.Context(), "")
	wants(t, err, db.ErrNotFound)
	wants(t, s.SetUserName(t.Context(), 7, "x"), db.ErrNotFound)
	wants(t, s.SetLastScene(t.Context(), 7, "x"), db.ErrNotFound)
}

func TestOnlyOneIsFirst(t *testing.T) {
	s := open(t)
	if has, err := s.HasUsers(t.Context()); has || err != nil {
		t.Fatal(has, err)
	}
	var all sync.WaitGroup
	var firsts atomic.Int32
	for i := range 20 {
		all.Go(func() {
			u := db.User{Name: "A", Email: string(rune('a' + i)), Role: db.Admin, CreatedAt: day}
			if err := s.AddFirstUser(t.Context(), &u); err == nil {
				firsts.Add(1)
			} else {
				wants(t, err, db.ErrConflict)
			}
		})
	}
	all.Wait()
	users, err := s.Users(t.Context())
	must(t, err)
	if firsts.Load() != 1 || len(users) != 1 {
		t.Errorf("%d were first, %d accounts", firsts.Load(), len(users))
	}
}

// Accounts from before db.EmailKey: two share an address, one has it alone, in
// a spelling that it is not compared in.
func TestAddressesOfBeforeStillLeadToTheirAccounts(t *testing.T) {
	path := first(t, 0)
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
			u, err := s.UserByEmail(t.Context(), typed)
			if err != nil || u.Email != want {
				t.Errorf("%+q leads to %+q, %v", typed, u.Email, err)
			}
		}
		_, err = s.UserByEmail(t.Context(), "xy@example.com") // neither's own spelling
		wants(t, err, db.ErrNotFound)
		for _, taken := range []string{"xy@example.com", "ZOE\u0308@example.com", "solo@example.com", "a@example.com", "ａ@example.com"} {
			wants(t, sample.AddUser(t, s, &db.User{Name: "Eve", Email: taken, Role: db.Member, CreatedAt: day}), db.ErrConflict)
		}
		users, err := s.Users(t.Context())
		must(t, err)
		if twins := db.DuplicateEmails(users); len(twins) != 2 || len(twins[0]) != 2 || len(twins[1]) != 2 {
			t.Errorf("twins: %+v", twins)
		}
		must(t, s.Close())
	}
}

func TestOpenBesideChangesNoTables(t *testing.T) {
	_, err := store.OpenExisting(t.Context(), t.TempDir()+"/dailies.db")
	if err == nil {
		t.Error("it made a database")
	}
	path := first(t, 0)
	_, err = store.OpenExisting(t.Context(), path)
	wants(t, err, store.ErrOtherVersion)
	running := openAt(t, path)
	beside, err := store.OpenExisting(t.Context(), path)
	must(t, err)
	defer beside.Close()
	reset, token := db.NewReset(1, day)
	must(t, beside.AddReset(t.Context(), reset))
	_, err = running.Reset(t.Context(), db.HashToken(token), day)
	must(t, err)
}
