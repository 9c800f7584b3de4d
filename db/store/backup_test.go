package store_test

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store/sample"
)

func TestARestoredDatabaseLetsNobodyIn(t *testing.T) {
	s := open(t)
	now := db.Now()
	kim := db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: now}
	must(t, sample.AddUser(t, s, &kim))
	for token, expires := range map[string]time.Time{"open": now.Add(time.Hour), "over": now.Add(-time.Hour)} {
		must(t, sample.AddSession(t, s, &db.Session{UserID: kim.ID, Token: db.HashToken(token), CreatedAt: now, SeenAt: now, ExpiresAt: expires}))
		must(t, s.AddInvite(t.Context(), &db.Invite{Token: db.HashToken(token), CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: expires}))
	}
	used := db.User{Name: "Lee", Email: "lee@example.com", Role: db.Member, CreatedAt: now}
	must(t, s.AddInvite(t.Context(), &db.Invite{Token: db.HashToken("used"), CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}))
	must(t, s.Join(t.Context(), db.HashToken("used"), &used, now))
	collection := db.Collection{Name: "Cut", CreatedBy: kim.ID, CreatedAt: now}
	must(t, s.AddCollection(t.Context(), &collection))
	share := db.Share{Token: "open", CollectionID: collection.ID, CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	must(t, s.AddShare(t.Context(), &share))

	reset, token := db.NewReset(kim.ID, now)
	must(t, s.AddReset(t.Context(), reset))

	closed, err := s.CloseAccess(t.Context(), now)
	must(t, err)
	same(t, closed, db.Closed{Sessions: 1, Invites: 1, Resets: 1, Shares: 1})
	if _, _, err := s.Session(t.Context(), db.HashToken("open"), now); err == nil {
		t.Error("somebody is still signed in")
	}
	if _, err := s.Invite(t.Context(), db.HashToken("open")); err == nil {
		t.Error("a join link still works")
	}
	if _, err := s.Reset(t.Context(), db.HashToken(token), now); err == nil {
		t.Error("a link for a new password still works")
	}
	if _, err := s.Invite(t.Context(), db.HashToken("used")); err != nil {
		t.Errorf("the record of who joined is gone: %v", err)
	}
	if _, _, err := s.OpenShare(t.Context(), "open", now); err == nil {
		t.Error("a share link is still open")
	}
	closed, err = s.CloseAccess(t.Context(), now)
	must(t, err)
	same(t, closed, db.Closed{})
}
