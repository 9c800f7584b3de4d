package store_test

import (
	"database/sql"
	"testing"

	"dailies/db"
	"dailies/db/store"
)

// Accounts from before db.EmailKey: two share an address, one has it alone, in
// a spelling that it is not compared in.
func TestAddressesOfBeforeStillLeadToTheirAccounts(t *testing.T) {
	path := first(t, 0)
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	for _, email := range []string{"zoë@example.com", "zoe\u0308@example.com", "ｓｏｌｏ@example.com", "x\u200by@example.com", "x\u00ady@example.com"} {
		_, err := raw.Exec(`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at) VALUES (?1, ?1, ?1, 'hash', 'member', '', 0)`, email)
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
			wants(t, s.AddUser(t.Context(), &db.User{Name: "Eve", Email: taken, Role: db.Member, CreatedAt: day}), db.ErrConflict)
		}
		users, err := s.Users(t.Context())
		must(t, err)
		if twins := db.Twins(users); len(twins) != 2 || len(twins[0]) != 2 || len(twins[1]) != 2 {
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
