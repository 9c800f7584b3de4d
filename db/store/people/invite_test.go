package people_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

func addInvite(t *testing.T, s *store.Store) signin.Invite {
	t.Helper()
	admin := suite.AddUser(t, s, secrets.NewToken())
	i := signin.Invite{Token: secrets.HashToken(secrets.NewToken()), CreatedBy: admin.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(signin.InviteLife)}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	return i
}

func TestJoinUsesTheLinkUp(t *testing.T) {
	s := suite.Open(t)
	i := addInvite(t, s)
	u := suite.Newcomer("new@example.com")
	must(t, s.Invites.Join(t.Context(), i.Token, u, suite.Day.Add(time.Hour)))
	i.UsedAt, i.UsedBy = suite.Day.Add(time.Hour), u.ID
	got, err := s.Invites.Invite(t.Context(), i.Token)
	must(t, err)
	suite.Same(t, got, i)
	joined, err := s.Accounts.UserByEmail(t.Context(), u.Email)
	must(t, err)
	suite.Same(t, joined, *u)
	suite.Wants(t, s.Invites.Join(t.Context(), i.Token, suite.Newcomer("next@example.com"), suite.Day), db.ErrNotFound)
	suite.Wants(t, s.Invites.RevokeInvite(t.Context(), i.ID), db.ErrNotFound)
}

func TestLinkThatCannotBeUsedIsNotFound(t *testing.T) {
	s := suite.Open(t)
	i := addInvite(t, s)
	suite.Wants(t, s.Invites.Join(t.Context(), i.Token, suite.Newcomer("a@b"), i.ExpiresAt), db.ErrNotFound)
	suite.Wants(t, s.Invites.Join(t.Context(), secrets.HashToken("none"), suite.Newcomer("a@b"), suite.Day), db.ErrNotFound)
	must(t, s.Invites.RevokeInvite(t.Context(), i.ID))
	suite.Wants(t, s.Invites.Join(t.Context(), i.Token, suite.Newcomer("a@b"), suite.Day), db.ErrNotFound)
	suite.Wants(t, s.Invites.RevokeInvite(t.Context(), i.ID), db.ErrNotFound)
	_, err := s.Invites.Invite(t.Context(), i.Token)
	suite.Wants(t, err, db.ErrNotFound)
	if _, err := s.Accounts.UserByEmail(t.Context(), "a@b"); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("somebody joined: %v", err)
	}
}

func TestTakenEmailLeavesTheLinkOpen(t *testing.T) {
	s := suite.Open(t)
	i := addInvite(t, s)
	must(t, sampletest.AddUser(t, s, suite.Newcomer("taken@example.com")))
	suite.Wants(t, s.Invites.Join(t.Context(), i.Token, suite.Newcomer("Taken@example.com"), suite.Day), db.ErrConflict)
	must(t, s.Invites.Join(t.Context(), i.Token, suite.Newcomer("free@example.com"), suite.Day))
}

func TestOneLinkMakesOneAccount(t *testing.T) {
	s := suite.Open(t)
	i := addInvite(t, s)
	before, err := s.Accounts.Users(t.Context())
	must(t, err)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if err := s.Invites.Join(t.Context(), i.Token, suite.Newcomer(fmt.Sprint(n, "@example.com")), suite.Day); err != nil {
				suite.Wants(t, err, db.ErrNotFound)
			}
		})
	}
	all.Wait()
	after, err := s.Accounts.Users(t.Context())
	must(t, err)
	if len(after) != len(before)+1 {
		t.Errorf("%d joined", len(after)-len(before))
	}
}

func TestInvitesAreListedNewestFirst(t *testing.T) {
	s := suite.Open(t)
	first, second := addInvite(t, s), addInvite(t, s)
	got, err := s.Invites.All(t.Context())
	must(t, err)
	got = slices.DeleteFunc(got, func(i signin.Invite) bool { return i.UsedBy != 0 }) // used by the second user to join
	suite.Same(t, got, []signin.Invite{second, first})
}

func TestOpenLinksAreBoundedForOneAdminAndForAll(t *testing.T) {
	s := suite.Open(t)
	add := func(by int64, at time.Time) error {
		return s.Invites.AddInvites(t.Context(), []*signin.Invite{{Token: secrets.HashToken(secrets.NewToken()), CreatedBy: by, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}}, nil)
	}
	fill := func(by int64, at time.Time) {
		t.Helper()
		for range signin.MaxInvites {
			must(t, add(by, at))
		}
		suite.Wants(t, add(by, at), db.ErrConflict)
	}
	var admins []int64
	for _, name := range []string{"Ann", "Bo", "Cy", "Di"} {
		admins = append(admins, suite.AddUser(t, s, name).ID)
	}
	for _, admin := range admins[:3] {
		fill(admin, suite.Day)
	}
	suite.Wants(t, add(admins[3], suite.Day), db.ErrConflict)
	must(t, add(admins[3], suite.Day.Add(time.Hour))) // when the others have expired
}
