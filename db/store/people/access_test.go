package people_test

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

func TestRestoredDatabaseClosesAllAccess(t *testing.T) {
	s := suite.Open(t)
	now := db.Now()
	kim := db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: now}
	must(t, sampletest.AddUser(t, s, &kim))
	for token, expires := range map[string]time.Time{"open": now.Add(time.Hour), "over": now.Add(-time.Hour)} {
		must(t, sampletest.AddSession(t, s, &signin.Session{UserID: kim.ID, Token: secrets.HashToken(token), CreatedAt: now, SeenAt: now, ExpiresAt: expires}))
		must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{{Token: secrets.HashToken(token), CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: expires}}, nil))
	}
	used := db.User{Name: "Lee", Email: "lee@example.com", Role: db.Member, CreatedAt: now}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{{Token: secrets.HashToken("used"), CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}}, nil))
	must(t, s.Invites.Join(t.Context(), secrets.HashToken("used"), &used, now))
	collection := gallery.Collection{Name: "Cut", CreatedBy: kim.ID, CreatedAt: now}
	must(t, s.Collections.AddCollection(t.Context(), &collection))
	share := gallery.Share{Token: "open", CollectionID: collection.ID, CreatedBy: kim.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
	must(t, s.Links.AddShare(t.Context(), &share))

	reset, token := signin.NewReset(kim.ID, now)
	must(t, s.Sessions.AddReset(t.Context(), reset))

	closed, err := s.Accounts.CloseAccess(t.Context(), "a backup", now)
	must(t, err)
	suite.Same(t, closed, signin.Closed{Sessions: 1, Invites: 1, Resets: 1, Shares: 1, Open: 2, Admins: []string{"Kim"}})
	if _, _, err := s.Sessions.Session(t.Context(), secrets.HashToken("open"), now); err == nil {
		t.Error("somebody is still signed in")
	}
	if _, err := s.Invites.Invite(t.Context(), secrets.HashToken("open")); err == nil {
		t.Error("a join link still works")
	}
	if _, err := s.Sessions.Reset(t.Context(), secrets.HashToken(token), now); err == nil {
		t.Error("a link for a new password still works")
	}
	if _, err := s.Invites.Invite(t.Context(), secrets.HashToken("used")); err != nil {
		t.Errorf("the record of who joined is gone: %v", err)
	}
	if _, _, err := s.Links.OpenShare(t.Context(), "open", gallery.Opening{}, now); err == nil {
		t.Error("a share link is still open")
	}
	closed, err = s.Accounts.CloseAccess(t.Context(), "a backup", now)
	must(t, err)
	suite.Same(t, closed, signin.Closed{Open: 2, Admins: []string{"Kim"}})
}
