package people_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/failtest"
	"dailies/db/store/people"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

// atOnce runs n calls at the same moment in two processes, and counts those that
// succeed. Any error other than the wanted one fails the test.
func atOnce(t *testing.T, n int, want error, call func(s *store.Store, i int) error) (succeeded int) {
	t.Helper()
	stores := suite.OpenTwice(t)
	var all sync.WaitGroup
	var done atomic.Int32
	for i := range n {
		all.Go(func() {
			switch err := call(stores[i%2], i); {
			case err == nil:
				done.Add(1)
			case !errors.Is(err, want):
				t.Error(err)
			}
		})
	}
	all.Wait()
	return int(done.Load())
}

func TestOneInvitationAdmitsOnePersonOfTheProvider(t *testing.T) {
	stores := suite.OpenTwice(t)
	s := stores[0]
	ann := suite.AddUser(t, s, "Ann")
	i := signin.Invite{Token: secrets.HashToken("a"), CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(signin.InviteLife), Email: "bo@example.com", Role: db.Viewer}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	var all sync.WaitGroup
	var in atomic.Int32
	for n := range 8 {
		all.Go(func() {
			u, _, err := stores[n%2].SignOn.SignInByProvider(t.Context(), suite.ClaimsOf(fmt.Sprint(n), "BO@example.com"), suite.NewSession(0))
			if err == nil && u.Role == db.Viewer {
				in.Add(1)
			} else if !errors.Is(err, signin.RefusedUnlinked) {
				t.Error(u, err)
			}
		})
	}
	all.Wait()
	if in.Load() != 1 {
		t.Errorf("%d people are in", in.Load())
	}
	u, err := s.Accounts.UserByEmail(t.Context(), "bo@example.com")
	must(t, err)
	list, err := s.SignOn.Identities(t.Context(), u.ID)
	must(t, err)
	if len(list) != 1 {
		t.Errorf("%d identities", len(list))
	}
	suite.Wants(t, s.SignOn.Unlink(t.Context(), u.ID, list[0].ID, 0), db.ErrConflict) // there is no password to sign in with
	suite.Wants(t, s.SignOn.Unlink(t.Context(), ann.ID, list[0].ID, 0), db.ErrNotFound)
	suite.Wants(t, s.SignOn.Link(t.Context(), ann.ID, suite.ClaimsOf(list[0].Subject, ""), suite.Day), signin.RefusedTaken)
}

func TestAnAccountConnectedByItsAddressOpensInNoOtherWay(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{LinkByEmail: true}, ""))
	old := suite.AddSession(t, s, u.ID, suite.Day)
	k := signin.Passkey{UserID: u.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: "{}", Name: "Phone", CreatedAt: suite.Day}
	must(t, s.SecondSteps.AddPasskey(t.Context(), &k, old.ID))
	must(t, s.SecondSteps.SetCodes(t.Context(), u.ID, old.ID, []byte("sealed"), 1, []secrets.TokenHash{secrets.HashToken("a")}, suite.Day))
	reset, token := signin.NewReset(u.ID, suite.Day)
	must(t, s.Sessions.AddReset(t.Context(), reset))
	session := suite.NewSession(0)
	got, _, err := s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("1", u.Email), session)
	must(t, err)
	if got.ID != u.ID {
		t.Errorf("signed in: %+v", got)
	}
	_, _, err = s.Sessions.Session(t.Context(), session.Token, suite.Day)
	must(t, err)
	_, _, err = s.Sessions.Session(t.Context(), old.Token, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	f, err := s.SecondSteps.Of(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, f, signin.SecondSteps{})
	now, err := s.Accounts.User(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, now.Password, "")
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.SecondStepDropped, Limit: 10})
	must(t, err)
	if len(entries) != 1 || entries[0].UserID != u.ID {
		t.Errorf("recorded: %+v", entries)
	}
	// Another person to whom the provider has given that e-mail address is not let
	// in.
	_, _, err = s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("2", u.Email), suite.NewSession(0))
	suite.Wants(t, err, signin.RefusedUnlinked)
	_, _, err = s.Sessions.Session(t.Context(), session.Token, suite.Day)
	must(t, err)
}

func TestConnectedAccountsGoWithTheSecondStep(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUserAs(t, s, "ann", db.Admin)
	left := func(want int) {
		t.Helper()
		list, err := s.SignOn.Identities(t.Context(), u.ID)
		must(t, err)
		if len(list) != want {
			t.Errorf("%d identities, want %d", len(list), want)
		}
	}
	must(t, s.SignOn.Link(t.Context(), u.ID, suite.ClaimsOf("1", ""), suite.Day))
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{PasswordsOff: true}, "https://login.example.com"))
	before := len(entriesOf(t, s))
	suite.Wants(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, 0), db.ErrConflict)
	left(1) // the only way to sign in
	if after := len(entriesOf(t, s)); after != before {
		t.Error("the audit tells of what did not happen")
	}
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{}, ""))
	must(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, 0))
	left(0)
	must(t, s.SignOn.Link(t.Context(), u.ID, suite.ClaimsOf("1", ""), suite.Day))
	user, err := s.Accounts.User(t.Context(), u.ID)
	must(t, err)
	must(t, s.SecondSteps.RenewPassword(t.Context(), u.ID, user.Password, ""))
	suite.Wants(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, 0), db.ErrConflict)
	left(1)
}

func TestBrowsersOfADisconnectedAccountAreSignedOut(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "ann")
	kept := suite.AddSession(t, s, u.ID, suite.Day)
	must(t, s.SignOn.Link(t.Context(), u.ID, suite.ClaimsOf("1", ""), suite.Day))
	in := suite.NewSession(0)
	_, _, err := s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("1", ""), in)
	must(t, err)
	list, err := s.SignOn.Identities(t.Context(), u.ID)
	must(t, err)
	must(t, s.SignOn.Unlink(t.Context(), u.ID, list[0].ID, 0))
	_, _, err = s.Sessions.Session(t.Context(), in.Token, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	_, _, err = s.Sessions.Session(t.Context(), kept.Token, suite.Day)
	must(t, err)
}

func TestTheLastAdminIsLetInWithoutARole(t *testing.T) {
	s := suite.Open(t)
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{RoleClaim: "groups", Admins: []string{"bosses"}}, ""))
	ann := suite.AddUserAs(t, s, "ann", db.Admin)
	must(t, s.SignOn.Link(t.Context(), ann.ID, suite.ClaimsOf("1", ""), suite.Day))
	u, kept, err := s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("1", ""), suite.NewSession(0))
	must(t, err)
	if !kept || u.Role != db.Admin {
		t.Errorf("kept %t: %+v", kept, u)
	}
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.MemberRole, Limit: 10})
	must(t, err)
	suite.Same(t, len(entries), 1)
	suite.AddUserAs(t, s, "bo", db.Admin)
	_, _, err = s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("1", ""), suite.NewSession(0))
	suite.Wants(t, err, signin.RefusedRole)
}

func TestTurningPasswordsOffEndsTheirSessions(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "bo", db.Member)
	must(t, s.SignOn.Link(t.Context(), ann.ID, suite.ClaimsOf("1", ""), suite.Day))
	must(t, s.SignOn.Link(t.Context(), bo.ID, suite.ClaimsOf("2", ""), suite.Day))
	own, password, provider := suite.AddSession(t, s, ann.ID, suite.Day), suite.AddSession(t, s, bo.ID, suite.Day), suite.NewSession(0)
	_, _, err := s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("2", ""), provider)
	must(t, err)
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: ann.ID})
	for range 2 { // the second time, passwords are off already
		must(t, s.SignOn.SetRules(ctx, signin.Rules{PasswordsOff: true}, "https://login.example.com"))
		for _, tt := range []struct {
			token secrets.TokenHash
			open  bool
		}{{own.Token, true}, {password.Token, false}, {provider.Token, true}} {
			if _, _, err := s.Sessions.Session(t.Context(), tt.token, suite.Day); (err == nil) != tt.open {
				t.Errorf("open %t: %v", tt.open, err)
			}
		}
	}
}

// Whoever turns passwords on again must be able to sign in: an admin who is active.
func TestPasswordsAreTurnedOffOnceAnAdminIsConnected(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "bo", db.Member)
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: ann.ID})
	off := func() error {
		return s.SignOn.SetRules(ctx, signin.Rules{PasswordsOff: true}, "https://login.example.com")
	}
	suite.Wants(t, off(), db.ErrConflict)
	must(t, s.SignOn.Link(t.Context(), bo.ID, suite.ClaimsOf("2", ""), suite.Day))
	suite.Wants(t, off(), db.ErrConflict)
	must(t, s.SignOn.Link(t.Context(), ann.ID, suite.ClaimsOf("1", ""), suite.Day))
	must(t, off())
}

// A sign-in takes a while, and passwords may be turned off meanwhile.
func TestNoSignInEndsAfterPasswordsAreTurnedOff(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUserAs(t, s, "ann", db.Admin), suite.AddUserAs(t, s, "bo", db.Member)
	must(t, s.SignOn.Link(t.Context(), ann.ID, suite.ClaimsOf("1", ""), suite.Day))
	own := suite.AddSession(t, s, ann.ID, suite.Day)
	must(t, s.SecondSteps.SetCodes(t.Context(), ann.ID, own.ID, []byte("sealed"), 7, nil, suite.Day))
	key := signin.Passkey{UserID: ann.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: "new", Name: "Phone", CreatedAt: suite.Day}
	must(t, s.SecondSteps.AddPasskey(t.Context(), &key, own.ID))
	invite := signin.Invite{Token: secrets.HashToken("join"), CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&invite}, nil))
	asked, token := signin.NewReset(bo.ID, suite.Day)
	must(t, s.Sessions.AddReset(t.Context(), asked))
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{PasswordsOff: true}, "https://login.example.com"))

	begins := func(how func(*signin.Session) error) error {
		session := suite.NewSession(bo.ID)
		err := how(session)
		if _, _, lacks := s.Sessions.Session(t.Context(), session.Token, suite.Day); lacks == nil {
			t.Error("somebody is signed in")
		}
		return err
	}
	suite.Wants(t, begins(func(session *signin.Session) error { return s.Sessions.SignIn(t.Context(), session, bo.Password, "") }), signin.RefusedOff)
	suite.Wants(t, begins(func(session *signin.Session) error {
		session.UserID = ann.ID
		return s.SecondSteps.SignInWithCode(t.Context(), session, ann.Password, people.Proof{Step: 8})
	}), signin.RefusedOff)
	suite.Wants(t, begins(func(session *signin.Session) error {
		return s.SecondSteps.SignInWithPasskey(t.Context(), session, key, "new", false)
	}), signin.RefusedOff)
	joined := db.User{Name: "Cy", Email: "cy@example.com", Password: "hash", CreatedAt: suite.Day}
	suite.Wants(t, s.Invites.Join(t.Context(), secrets.HashToken("join"), &joined, suite.Day), signin.RefusedOff)
	suite.Wants(t, useReset(s, t.Context(), secrets.HashToken(token), "new", suite.Day), signin.RefusedOff)

	byServer, token := signin.NewReset(bo.ID, suite.Day)
	byServer.ByServer = true
	must(t, s.Sessions.AddReset(t.Context(), byServer))
	must(t, useReset(s, t.Context(), secrets.HashToken(token), "new", suite.Day))
	back := suite.NewSession(bo.ID)
	back.Method = signin.ByLink
	must(t, s.Sessions.SignIn(t.Context(), back, "new", ""))
}

func TestTwoLastAdminsAreNotBothDemoted(t *testing.T) {
	stores := suite.OpenTwice(t)
	s := stores[0]
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{RoleClaim: "groups", Admins: []string{"bosses"}, Otherwise: db.Viewer}, ""))
	for i := range 2 {
		u := db.User{Name: "A", Email: fmt.Sprintf("a%d@example.com", i), Password: "hash", Role: db.Admin, CreatedAt: suite.Day}
		must(t, sampletest.AddUser(t, s, &u))
		must(t, s.SignOn.Link(t.Context(), u.ID, suite.ClaimsOf(fmt.Sprint(i), ""), suite.Day))
	}
	var all sync.WaitGroup
	var kept atomic.Int32
	for i := range 2 {
		all.Go(func() {
			_, last, err := stores[i].SignOn.SignInByProvider(t.Context(), suite.ClaimsOf(fmt.Sprint(i), ""), suite.NewSession(0))
			if err != nil {
				t.Error(err)
			}
			if last {
				kept.Add(1)
			}
		})
	}
	all.Wait()
	if kept.Load() != 1 {
		t.Errorf("%d stay admins", kept.Load())
	}
}

func TestPasswordsAreTurnedOffOnlyWithAnotherWayIn(t *testing.T) {
	s := suite.Open(t)
	off := signin.Rules{PasswordsOff: true}
	u := db.User{Name: "A", Email: "a@example.com", Password: "hash", Role: db.Admin, CreatedAt: suite.Day}
	must(t, sampletest.AddUser(t, s, &u))
	suite.Wants(t, s.SignOn.SetRules(t.Context(), off, "https://login.example.com"), db.ErrConflict)
	must(t, s.SignOn.Link(t.Context(), u.ID, suite.ClaimsOf("1", ""), suite.Day))
	suite.Wants(t, s.SignOn.SetRules(t.Context(), off, "https://other.example.com"), db.ErrConflict)
	must(t, s.SignOn.SetRules(t.Context(), off, "https://login.example.com"))
	rules, err := s.SignOn.Rules(t.Context())
	must(t, err)
	suite.Same(t, rules, off)
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Noun: "setting", Limit: 10})
	must(t, err)
	if len(entries) != 1 || entries[0].What != "Sign-in: passwords" || entries[0].Before != "yes" || entries[0].After != "no" {
		t.Errorf("recorded: %+v", entries)
	}
}

func TestOnlyTheLinkOfTheServerIsMarked(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	for _, by := range []bool{true, false} {
		r, token := signin.NewReset(u.ID, suite.Day)
		r.ByServer = by
		must(t, s.Sessions.AddReset(t.Context(), r))
		got, err := s.Sessions.ResetByServer(t.Context(), secrets.HashToken(token))
		must(t, err)
		if got != by {
			t.Errorf("by the server: %t", got)
		}
	}
}

// On a full disk a sign-in is tried again. By then the rules may be others: what an
// earlier try has decided counts no more.
func TestASignInThatIsTriedAgainDecidesAnew(t *testing.T) {
	none := signin.Rules{RoleClaim: "groups", Admins: []string{"bosses"}}
	for n, refusals := 1, 0; refusals == 0; n++ {
		if n > 100 {
			t.Fatal("the sign-in still needs more calls")
		}
		var plan failtest.Plan
		path := filepath.Join(t.TempDir(), "dailies.db")
		sampletest.Create(t, path)
		s, err := store.Open(plan.In(t.Context()), path)
		must(t, err)
		suite.AddUserAs(t, s, "ann", db.Admin)
		bo := suite.AddUserAs(t, s, "bo", db.Member)
		must(t, s.SignOn.Link(t.Context(), bo.ID, suite.ClaimsOf("1", ""), suite.Day))
		must(t, s.SignOn.SetRules(t.Context(), none, ""))
		s.OnFull(func() bool {
			plan.Stop()
			must(t, s.SignOn.SetRules(t.Context(), signin.Rules{}, ""))
			return true
		})
		session := suite.NewSession(0)
		plan.BeginFull(n)
		_, _, err = s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("1", ""), session)
		if _, failed := plan.End(); failed == "" { // nothing was tried again
			suite.Wants(t, err, signin.RefusedRole)
			refusals++
		} else if _, _, begun := s.Sessions.Session(t.Context(), session.Token, suite.Day); err != nil || begun != nil {
			t.Errorf("after %q: %v, %v", failed, err, begun)
		}
		must(t, s.Close())
	}
}
