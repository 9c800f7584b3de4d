package suite_test

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
)

func addInvite(t *testing.T, s *store.Store) signin.Invite {
	t.Helper()
	admin := addUser(t, s, secrets.NewToken())
	i := signin.Invite{Token: secrets.HashToken(secrets.NewToken()), CreatedBy: admin.ID, CreatedAt: day, ExpiresAt: day.Add(signin.InviteLife)}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	return i
}

func newcomer(email string) *db.User {
	return &db.User{Name: "New", Email: email, Password: "hash", Role: db.Member, CreatedAt: day}
}

func TestJoinUsesTheLinkUp(t *testing.T) {
	s := open(t)
	i := addInvite(t, s)
	u := newcomer("new@example.com")
	must(t, s.Invites.Join(t.Context(), i.Token, u, day.Add(time.Hour)))
	i.UsedAt, i.UsedBy = day.Add(time.Hour), u.ID
	got, err := s.Invites.Invite(t.Context(), i.Token)
	must(t, err)
	same(t, got, i)
	joined, err := s.Accounts.UserByEmail(t.Context(), u.Email)
	must(t, err)
	same(t, joined, *u)
	wants(t, s.Invites.Join(t.Context(), i.Token, newcomer("next@example.com"), day), db.ErrNotFound)
	wants(t, s.Invites.RevokeInvite(t.Context(), i.ID), db.ErrNotFound)
}

func TestLinkThatCannotBeUsedIsNotFound(t *testing.T) {
	s := open(t)
	i := addInvite(t, s)
	wants(t, s.Invites.Join(t.Context(), i.Token, newcomer("a@b"), i.ExpiresAt), db.ErrNotFound)
	wants(t, s.Invites.Join(t.Context(), secrets.HashToken("none"), newcomer("a@b"), day), db.ErrNotFound)
	must(t, s.Invites.RevokeInvite(t.Context(), i.ID))
	wants(t, s.Invites.Join(t.Context(), i.Token, newcomer("a@b"), day), db.ErrNotFound)
	wants(t, s.Invites.RevokeInvite(t.Context(), i.ID), db.ErrNotFound)
	_, err := s.Invites.Invite(t.Context(), i.Token)
	wants(t, err, db.ErrNotFound)
	if _, err := s.Accounts.UserByEmail(t.Context(), "a@b"); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("somebody joined: %v", err)
	}
}

func TestTakenEmailLeavesTheLinkOpen(t *testing.T) {
	s := open(t)
	i := addInvite(t, s)
	must(t, sampletest.AddUser(t, s, newcomer("taken@example.com")))
	wants(t, s.Invites.Join(t.Context(), i.Token, newcomer("Taken@example.com"), day), db.ErrConflict)
	must(t, s.Invites.Join(t.Context(), i.Token, newcomer("free@example.com"), day))
}

func TestOneLinkMakesOneAccount(t *testing.T) {
	s := open(t)
	i := addInvite(t, s)
	before, err := s.Accounts.Users(t.Context())
	must(t, err)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if err := s.Invites.Join(t.Context(), i.Token, newcomer(fmt.Sprint(n, "@example.com")), day); err != nil {
				wants(t, err, db.ErrNotFound)
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
	s := open(t)
	first, second := addInvite(t, s), addInvite(t, s)
	got, err := s.Invites.All(t.Context())
	must(t, err)
	got = slices.DeleteFunc(got, func(i signin.Invite) bool { return i.UsedBy != 0 }) // used by the second user to join
	same(t, got, []signin.Invite{second, first})
}

func TestOpenLinksAreBoundedForOneAdminAndForAll(t *testing.T) {
	s := open(t)
	add := func(by int64, at time.Time) error {
		return s.Invites.AddInvites(t.Context(), []*signin.Invite{{Token: secrets.HashToken(secrets.NewToken()), CreatedBy: by, CreatedAt: at, ExpiresAt: at.Add(time.Hour)}}, nil)
	}
	fill := func(by int64, at time.Time) {
		t.Helper()
		for range signin.MaxInvites {
			must(t, add(by, at))
		}
		wants(t, add(by, at), db.ErrConflict)
	}
	var admins []int64
	for _, name := range []string{"Ann", "Bo", "Cy", "Di"} {
		admins = append(admins, addUser(t, s, name).ID)
	}
	for _, admin := range admins[:3] {
		fill(admin, day)
	}
	wants(t, add(admins[3], day), db.ErrConflict)
	must(t, add(admins[3], day.Add(time.Hour))) // when the others have expired
}
