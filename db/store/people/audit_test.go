package people_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// entriesOf returns the entries of the store, the oldest first.
func entriesOf(t *testing.T, s *store.Store) []audit.Entry {
	t.Helper()
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Limit: 100})
	must(t, err)
	slices.Reverse(entries)
	return entries
}

func TestEveryChangeOfAccessIsInTheAudit(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUserAs(t, s, "kim", db.Admin)
	joining := secrets.NewToken()
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: kim.ID, Name: "of before", Address: "192.0.2.7"})
	visitor := audit.Acting(t.Context(), audit.Actor{Address: "192.0.2.8"})

	invite := signin.Invite{Token: secrets.HashToken(joining), CreatedBy: kim.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(signin.InviteLife)}
	must(t, s.Invites.AddInvites(ctx, []*signin.Invite{&invite}, nil))
	lee := suite.Newcomer("lee@example.com")
	must(t, s.Invites.Join(visitor, invite.Token, lee, suite.Day))
	other := signin.Invite{Token: secrets.HashToken("other"), CreatedBy: kim.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(signin.InviteLife)}
	must(t, s.Invites.AddInvites(ctx, []*signin.Invite{&other}, nil))
	must(t, s.Invites.RevokeInvite(ctx, other.ID))
	session := signin.NewSession(lee.ID, secrets.HashToken("session"), "browser", suite.Day)
	must(t, s.Sessions.SignIn(visitor, &session, "hash", ""))
	must(t, s.Keys.PutKey(ctx, secrets.Key{UserID: kim.ID, Sealed: []byte("sealed"), LastFour: "wxyz", Fingerprint: []byte("f"), CreatedAt: suite.Day}))
	must(t, s.Keys.DeleteKey(ctx, kim.ID))
	must(t, s.Keys.DeleteKey(ctx, kim.ID)) // there is no key any more: nothing to record
	must(t, s.Settings.SetTimeZone(ctx, "Europe/Berlin"))
	reset, token := signin.NewReset(lee.ID, suite.Day)
	must(t, s.Sessions.AddReset(audit.Acting(context.Background(), audit.Actor{Name: "the command line"}), reset))
	must(t, useReset(s, visitor, reset.Token, "another hash", suite.Day.Add(time.Minute)))
	must(t, s.Audit.Record(visitor, audit.Entry{Action: audit.SignInRefused, UserID: lee.ID}))

	var told []string
	for _, e := range entriesOf(t, s)[1:] { // without that of the first account
		told = append(told, strings.Join([]string{e.Actor.Name, string(e.Action), e.User, e.What, e.Before, e.After, e.Actor.Address}, "|"))
	}
	suite.Same(t, told, []string{
		kim.Name + "|invite.make||join link 1||member, the team's default|192.0.2.7",
		"New|member.join|New|join link 1||member, the team's default|192.0.2.8",
		kim.Name + "|invite.make||join link 2||member, the team's default|192.0.2.7",
		kim.Name + "|invite.revoke||join link 2|||192.0.2.7",
		"New|session.begin|New|by password|||192.0.2.8",
		kim.Name + "|key.save|" + kim.Name + "|own key||…wxyz|192.0.2.7",
		kim.Name + "|key.delete|" + kim.Name + "|own key|…wxyz||192.0.2.7",
		kim.Name + "|setting.change||time zone|UTC|Europe/Berlin|192.0.2.7",
		"the command line|password.link|New||||",
		"New|password.change|New|with a link|||192.0.2.8",
		"|session.refuse|New||||192.0.2.8",
	})
	if strings.Contains(strings.Join(told, "\n"), token) {
		t.Error("a token is in the audit")
	}
}

// A change that fails leaves no entry in the audit.
func TestFailedChangesAreNotInTheAudit(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUser(t, s, "kim@example.com")
	before := len(entriesOf(t, s))
	session := signin.NewSession(kim.ID, secrets.HashToken("session"), "browser", suite.Day)
	suite.Wants(t, s.Sessions.SignIn(t.Context(), &session, "a hash of before", ""), db.ErrConflict)
	suite.Wants(t, s.Invites.RevokeInvite(t.Context(), 99), db.ErrNotFound)
	suite.Wants(t, s.Sessions.EndSession(t.Context(), kim.ID, 99), db.ErrNotFound)
	suite.Wants(t, s.Links.RevokeShare(t.Context(), 99, suite.Day), db.ErrNotFound)
	suite.Wants(t, s.Settings.SetTimeZone(t.Context(), "Nowhere"), db.ErrNotFound)
	if after := len(entriesOf(t, s)); after != before {
		t.Errorf("%d entries tell of what did not happen", after-before)
	}
}

func TestEntriesAreKeptForAsLongAsAnAdminChose(t *testing.T) {
	s := suite.Open(t)
	kim := suite.AddUserAs(t, s, "kim", db.Admin)
	days, err := s.Audit.AuditDays(t.Context())
	must(t, err)
	suite.Same(t, days, audit.Days)
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: kim.ID, Name: kim.Name})
	must(t, s.Audit.SetAuditDays(ctx, 90))
	must(t, s.Audit.SetAuditDays(ctx, 90)) // nothing to record
	for range 450 {                        // more than one write deletes
		must(t, s.Audit.Record(ctx, audit.Entry{Action: audit.Exported, What: "old", At: suite.Day}))
	}
	must(t, s.Audit.Record(ctx, audit.Entry{Action: audit.Exported, What: "young", At: suite.Day.Add(time.Hour)}))
	must(t, s.Audit.SweepAudit(ctx, suite.Day.AddDate(0, 0, 90)))
	var left []string
	for _, e := range entriesOf(t, s) {
		left = append(left, e.What+e.After)
	}
	suite.Same(t, left[len(left)-1], "young")
	if slices.Contains(left, "old") || !slices.Contains(left, "days that the audit is kept90") {
		t.Errorf("left: %q", left)
	}
	found, err := s.Audit.Entries(ctx, audit.Search{Person: kim.ID, Noun: "data", From: suite.Day.Add(time.Minute), Until: suite.Day.Add(2 * time.Hour), Limit: 9})
	must(t, err)
	suite.Same(t, len(found), 1)
	for _, c := range []struct {
		search audit.Search
		want   string
	}{
		{audit.Search{Noun: "data"}, "young"},
		{audit.Search{Noun: "data", From: suite.Day.Add(2 * time.Hour)}, ""},
		{audit.Search{Noun: "dat"}, ""},
		{audit.Search{Person: kim.ID, Noun: "setting"}, "90"},
		{audit.Search{Person: kim.ID, Limit: 1}, "young"},
		{audit.Search{Person: 99}, ""},
		{audit.Search{Noun: "session"}, ""},
	} {
		c.search.Limit = cmp.Or(c.search.Limit, 9)
		found, err := s.Audit.Entries(ctx, c.search)
		must(t, err)
		var got []string
		for _, e := range found {
			got = append(got, cmp.Or(e.After, e.What))
		}
		if said := strings.Join(got, " "); said != c.want {
			t.Errorf("%+v finds %q, want %q", c.search, said, c.want)
		}
	}
	page, err := s.Audit.Entries(ctx, audit.Search{Before: found[0].ID, Limit: 9})
	must(t, err)
	if len(page) == 0 || page[0].ID >= found[0].ID {
		t.Errorf("the page behind %d begins with %+v", found[0].ID, page)
	}
}
