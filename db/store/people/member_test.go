package people_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
	"dailies/db/team"
)

// admins counts the active admins.
func admins(tb testing.TB, s *store.Store) (n int) {
	tb.Helper()
	users, err := s.Accounts.Users(tb.Context())
	must(tb, err)
	for _, u := range users {
		if u.IsAdmin() && u.IsActive() {
			n++
		}
	}
	return n
}

func TestMembersSayWhatAdminsSee(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "bo", db.Viewer)
	must(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: ann.ID, Sealed: []byte("x"), LastFour: "ABCD", Fingerprint: []byte("f"), CreatedAt: suite.Day}))
	must(t, s.Limits.SetLimit(t.Context(), bo.ID, spending.Limit{Allowance: spending.Own, Credits: 12.5}))
	suite.AddTaskWith(t, s, ann.ID, suite.Begin, suite.Accepted("pending"), func(task *db.Task) error { task.Charged = db.CreditsOf(30); return nil })
	suite.Same(t, suite.Member(t, s, ann.ID), team.Member{User: ann, Limit: spending.Limit{Allowance: spending.Default}, Spent: 30, Key: team.KeyInUse{IsOwn: true, LastFour: "ABCD"}})
	suite.Same(t, suite.Member(t, s, bo.ID), team.Member{User: bo, Limit: spending.Limit{Allowance: spending.Own, Credits: 12.5}})
	members, err := s.Members.All(t.Context(), suite.Day.AddDate(0, 1, 0))
	must(t, err)
	if len(members) != 2 || members[0].Spent+members[1].Spent != 0 {
		t.Errorf("in the next month: %v", members)
	}
	_, err = s.Members.Member(t.Context(), 99, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
}

func TestAdminsAreNamed(t *testing.T) {
	s := suite.Open(t)
	for i, name := range []string{"Ann", "Bo", "Cy", "Di"} {
		u := db.User{Name: name, Email: name + "@example.com", Password: "phc", Role: db.Admin, CreatedAt: suite.Day}
		if i == 1 {
			u.Role = db.Member
		}
		must(t, sampletest.AddUser(t, s, &u))
	}
	names, err := s.Accounts.AdminNames(t.Context(), 2)
	must(t, err)
	suite.Same(t, names, []string{"Ann", "Cy"})
}

func TestTheLastAdminStays(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "bo", db.Member)
	suite.Wants(t, s.Members.SetRole(t.Context(), ann.ID, db.Member, suite.Day), team.ErrLastAdmin)
	_, err := s.Leave(t.Context(), team.Leaving{UserID: ann.ID, At: suite.Day})
	suite.Wants(t, err, team.ErrLastAdmin)
	must(t, s.Members.SetRole(t.Context(), bo.ID, db.Admin, suite.Day))
	_, err = s.Leave(t.Context(), team.Leaving{UserID: bo.ID, At: suite.Day})
	must(t, err)
	suite.Wants(t, s.Members.SetRole(t.Context(), ann.ID, db.Viewer, suite.Day), team.ErrLastAdmin) // bo no longer counts
	suite.Wants(t, s.Members.SetRole(t.Context(), bo.ID, db.Viewer, suite.Day), db.ErrConflict)
	suite.Wants(t, s.Members.SetRole(t.Context(), 99, db.Viewer, suite.Day), db.ErrNotFound)
}

// Two admins take the role from each other, or close each other's account, at the
// same moment, in two processes if the engine supports that.
func TestOfTwoAdminsAtOnceOneStays(t *testing.T) {
	both := suite.OpenTwice(t)
	one, other := suite.AddUserAs(t, both[0], "ann", db.Admin), suite.AddUserAs(t, both[0], "bo", db.Admin)
	for round := range 20 {
		var all sync.WaitGroup
		var errs [2]error
		for i, u := range []db.User{one, other} {
			all.Go(func() {
				if (round+i)%2 == 0 {
					errs[i] = both[i].Members.SetRole(t.Context(), u.ID, db.Member, suite.Day)
					return
				}
				_, errs[i] = both[i].Leave(t.Context(), team.Leaving{UserID: u.ID, At: suite.Day})
			})
		}
		all.Wait()
		if n := admins(t, both[0]); n != 1 || (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("round %d: %d admins: %v", round, n, errs)
		}
		suite.Wants(t, errors.Join(errs[:]...), team.ErrLastAdmin)
		for _, u := range []db.User{one, other} {
			if err := both[0].Members.Activate(t.Context(), u.ID, suite.Day); err != nil {
				suite.Wants(t, err, db.ErrConflict)
			}
			must(t, both[0].Members.SetRole(t.Context(), u.ID, db.Admin, suite.Day))
		}
	}
}

func TestFormerAdminCannotInvite(t *testing.T) {
	s := suite.Open(t)
	suite.AddUserAs(t, s, "ann", db.Admin)
	bo := suite.AddUserAs(t, s, "bo", db.Admin)
	i := signin.Invite{Token: secrets.HashToken("a"), Role: db.Admin, CreatedBy: bo.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	must(t, s.Members.SetRole(t.Context(), bo.ID, db.Member, suite.Day))
	suite.Wants(t, s.Invites.Join(t.Context(), i.Token, suite.Newcomer("cy@example.com"), suite.Day), db.ErrNotFound)
	i.Token = secrets.HashToken("b")
	suite.Wants(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil), db.ErrNotFound)
}

func TestAnInvitationBringsItsRoleAndLimit(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUserAs(t, s, "ann", db.Admin)
	i := signin.Invite{
		Token: secrets.HashToken("a"), Role: db.Viewer, Email: "Bo@Example.com", Allowance: "own", Credits: 40,
		CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour),
	}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	got, err := s.Invites.Invite(t.Context(), i.Token)
	must(t, err)
	suite.Same(t, got, i)
	suite.Wants(t, s.Invites.Join(t.Context(), i.Token, suite.Newcomer("eve@example.com"), suite.Day), team.ErrOtherAddress)
	bo := suite.Newcomer("bo@example.com")
	must(t, s.Invites.Join(t.Context(), i.Token, bo, suite.Day))
	m := suite.Member(t, s, bo.ID)
	if m.Role != db.Viewer || m.Limit != (spending.Limit{Allowance: spending.Own, Credits: 40}) {
		t.Errorf("joined as %s with %v", m.Role, m.Limit)
	}
}

func TestInvitationsAreAddedAllOrNone(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUserAs(t, s, "ann", db.Admin)
	many := func(n int) (invites []*signin.Invite) {
		for range n {
			invites = append(invites, &signin.Invite{Token: secrets.HashToken(secrets.NewToken()), CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)})
		}
		return invites
	}
	must(t, s.Invites.AddInvites(t.Context(), many(2), nil))
	suite.Wants(t, s.Invites.AddInvites(t.Context(), many(signin.MaxInvites-1), nil), db.ErrConflict)
	open, err := s.Invites.All(t.Context())
	must(t, err)
	if len(open) != 2 {
		t.Errorf("%d invitations", len(open))
	}
}

// A request of a member that was authorised before they became a viewer, or their
// account was closed, changes nothing any more.
func TestRequestsOfFormerMakersChangeNothing(t *testing.T) {
	h := suite.NewTeam(t)
	s := h.Store
	vi, gone := suite.AddUserAs(t, s, "vi", db.Member), suite.AddUserAs(t, s, "gone", db.Admin)
	c, r := gallery.Collection{Name: "Trailer", CreatedBy: h.Ann.ID, CreatedAt: suite.Day}, suite.NewRecipe(h.Ann.ID, "Turntable")
	must(t, s.Collections.AddCollection(t.Context(), &c))
	must(t, s.Recipes.AddRecipe(t.Context(), &r))
	_, err := s.Collections.AddToCollection(t.Context(), c.ID, h.Ann.ID, []int64{h.Anns}, suite.Day)
	must(t, err)
	must(t, s.Links.AddShare(t.Context(), &gallery.Share{Token: "one", TaskID: h.Anns, CreatedBy: h.Ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}))
	must(t, s.Members.SetRole(t.Context(), vi.ID, db.Viewer, s.Now()))
	_, err = s.Leave(t.Context(), team.Leaving{UserID: gone.ID, At: s.Now()})
	must(t, err)
	before, err := s.Tasks.Task(t.Context(), h.Anns)
	must(t, err)
	for _, by := range []db.User{vi, gone} {
		ctx, ids := audit.Acting(t.Context(), audit.Actor{UserID: by.ID, Name: by.Name}), []int64{h.Anns}
		second := func(_ any, err error) error { return err }
		for what, err := range map[string]error{
			"a collection":        s.Collections.AddCollection(ctx, &gallery.Collection{Name: "late", CreatedBy: by.ID, CreatedAt: suite.Day}),
			"its name":            s.Collections.SetCollection(ctx, c.ID, "late", "", suite.Day),
			"a video in it":       second(s.Collections.AddToCollection(ctx, c.ID, by.ID, []int64{h.Bos}, suite.Day)),
			"one less":            second(s.Collections.RemoveFromCollection(ctx, c.ID, by.ID, ids, suite.Day)),
			"its deletion":        s.Collections.DeleteCollection(ctx, c.ID, by.ID, suite.Day),
			"a recipe":            s.Recipes.AddRecipe(ctx, &ordering.Recipe{Name: "late", CreatedBy: by.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}),
			"its change":          second(s.Recipes.UpdateRecipe(ctx, r.ID, func(r *ordering.Recipe) error { return r.Delete(suite.Day) })),
			"a picture":           s.Pictures.AddPicture(ctx, &ordering.Picture{UserID: by.ID, Hash: "late", Type: "image/png", Token: "late", CreatedAt: suite.Day}),
			"a tag":               second(s.Tags.TagTasks(ctx, by, ids, []string{"late"}, nil, suite.Day)),
			"a title":             s.Tasks.TitleTask(ctx, by, h.Anns, "late"),
			"privacy":             second(s.Tasks.PrivateTasks(ctx, by, ids, true)),
			"a deletion":          second(s.Bin.DeleteTasks(ctx, by, ids, suite.Day)),
			"a revoked link":      s.Links.RevokeShare(ctx, 1, suite.Day),
			"cuts":                s.Lineage.SetCuts(ctx, []gallery.Cut{{TaskID: h.Anns, Start: 3}}),
			"an own key":          s.Keys.PutKey(ctx, secrets.Key{UserID: by.ID, Sealed: []byte("late"), CreatedAt: suite.Day}),
			"sessions of another": second(s.Sessions.SignOutEverywhere(ctx, h.Ann.ID, 0, suite.Day)),
		} {
			if !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s, of %s: %v", what, by.Name, err)
			}
		}
	}
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: vi.ID, Name: vi.Name})
	if starred, err := s.Tasks.StarTasks(ctx, vi, []int64{h.Anns}, false); err != nil || len(starred) != 1 {
		t.Errorf("a viewer's star: %v, %v", starred, err)
	}
	// A former admin may delete only what is their own.
	must(t, s.Members.SetRole(t.Context(), vi.ID, db.Member, s.Now()))
	was := vi
	was.Role = db.Admin
	if deleted, err := s.Bin.DeleteTasks(ctx, was, []int64{h.Anns}, suite.Day); err != nil || len(deleted) != 0 {
		t.Errorf("a former admin deleted %v, %v", deleted, err)
	}
	after, err := s.Tasks.Task(t.Context(), h.Anns)
	must(t, err)
	suite.Same(t, after, before)
}

// A request of an admin that was authorised before they lost the role, or their
// account was closed, changes nothing any more.
func TestRequestsOfFormerAdminsChangeNothing(t *testing.T) {
	s := suite.Open(t)
	kim, ann, bo := suite.AddUserAs(t, s, "kim", db.Admin), suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "bo", db.Admin)
	_, err := s.Leave(t.Context(), team.Leaving{UserID: bo.ID, At: s.Now()})
	must(t, err)
	must(t, s.Members.SetRole(t.Context(), ann.ID, db.Member, suite.Day))
	asked := spending.CreditRequest{UserID: ann.ID, Credits: 30, Sentence: "For the fair.", At: s.Now()}
	must(t, s.Limits.AddCreditRequest(t.Context(), &asked))
	before := len(entriesOf(t, s))
	for _, gone := range []db.User{ann, bo} {
		ctx := audit.Acting(t.Context(), audit.Actor{UserID: gone.ID, Name: gone.Name})
		reset, _ := signin.NewReset(kim.ID, s.Now())
		_, leaves := s.Leave(ctx, team.Leaving{UserID: kim.ID, HandTo: ann.ID, At: s.Now()})
		_, answers := s.Limits.AnswerCreditRequest(ctx, asked.ID, spending.Always, 30, "", gone.ID, s.Now())
		for what, err := range map[string]error{
			"a role":       s.Members.SetRole(ctx, gone.ID, db.Admin, suite.Day),
			"a link":       s.Members.AddResetFor(ctx, reset),
			"a return":     s.Members.Activate(ctx, bo.ID, s.Now()),
			"leaving":      leaves,
			"second steps": s.SecondSteps.DropSecondStep(ctx, kim.ID, 0),
			"rules":        s.SignOn.SetRules(ctx, signin.Rules{LinkByEmail: true}, ""),
			"a join link":  s.Invites.AddInvites(ctx, []*signin.Invite{{Token: secrets.HashToken(secrets.NewToken()), CreatedBy: gone.ID, CreatedAt: s.Now(), ExpiresAt: s.Now().Add(signin.InviteLife)}}, nil),
			"a limit":      s.Limits.SetLimit(ctx, gone.ID, spending.Limit{Allowance: spending.None}),
			"limits":       s.Limits.SetOfTeam(ctx, spending.Limits{Default: db.CreditsOf(1)}),
			"an answer":    answers,
			"a key":        s.Keys.AddTeamKey(ctx, &team.Key{Name: "late"}, func(secrets.KeyOwner) []byte { return nil }),
			"another key":  s.Keys.ReplaceTeamKey(ctx, secrets.Key{TeamKeyID: 1}, true),
			"no key":       s.Keys.DeleteTeamKey(ctx, 1, s.Now(), true),
			"a key's name": s.Keys.RenameTeamKey(ctx, 1, "late"),
			"a standard":   s.Keys.SetStandardKey(ctx, 0),
			"its user":     s.Keys.AssignKey(ctx, gone.ID, 0),
			"a key rule":   s.Keys.AllowOwnKeys(ctx, false),
			"no join link": s.Invites.RevokeInvite(ctx, 1),
			"audit days":   s.Audit.SetAuditDays(ctx, 30),
			"a line":       s.Settings.SetAnnouncement(ctx, team.Announcement{Text: "late", Until: s.Now().Add(time.Hour)}),
			"a time zone":  s.Settings.SetTimeZone(ctx, "Europe/Paris"),
		} {
			if !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s, of %s: %v", what, gone.Name, err)
			}
		}
	}
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: bo.ID, Name: bo.Name})
	for what, err := range map[string]error{
		"a webhook":    s.Webhooks.Add(ctx, &outbox.Webhook{UserID: bo.ID, Address: "https://example.com/", CreatedAt: s.Now()}, []byte("x"), bo.ID),
		"a share link": s.Links.AddShare(ctx, &gallery.Share{Token: "late", TaskID: 1, CreatedBy: bo.ID, CreatedAt: s.Now(), ExpiresAt: s.Now().Add(time.Hour)}),
		"an identity":  s.SignOn.Link(ctx, bo.ID, signin.Claims{Issuer: "https://id.example.com", Subject: "late"}, s.Now()),
	} {
		if !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s of a closed account: %v", what, err)
		}
	}
	if after := len(entriesOf(t, s)); after != before {
		t.Errorf("%d entries tell of what did not happen", after-before)
	}
}
