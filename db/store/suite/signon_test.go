package suite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/failtest"
	"dailies/db/store/people"
	"dailies/db/store/sampletest"
)

func newSession(userID int64) *signin.Session {
	v := signin.NewSession(userID, secrets.HashToken(secrets.NewToken()), "Firefox", day)
	return &v
}

func claimsOf(subject, email string, values ...string) signin.Claims {
	return signin.Claims{Issuer: "https://login.example.com", Subject: subject, Name: "Ann", Email: email, EmailVerified: true, Values: values}
}

// atOnce runs n calls at the same moment in two processes, and counts those that
// succeed. Any error other than the wanted one fails the test.
func atOnce(t *testing.T, n int, want error, call func(s *store.Store, i int) error) (succeeded int) {
	t.Helper()
	stores := two(t)
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
	stores := two(t)
	s := stores[0]
	ann := addUser(t, s, "Ann")
	i := signin.Invite{Token: secrets.HashToken("a"), CreatedBy: ann.ID, CreatedAt: day, ExpiresAt: day.Add(signin.InviteLife), Email: "bo@example.com", Role: db.Viewer}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&i}, nil))
	var all sync.WaitGroup
	var in atomic.Int32
	for n := range 8 {
		all.Go(func() {
			u, _, err := stores[n%2].SignOn.SignInByProvider(t.Context(), claimsOf(fmt.Sprint(n), "BO@example.com"), newSession(0))
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
	wants(t, s.SignOn.Unlink(t.Context(), u.ID, list[0].ID, 0), db.ErrConflict) // there is no password to sign in with
	wants(t, s.SignOn.Unlink(t.Context(), ann.ID, list[0].ID, 0), db.ErrNotFound)
	wants(t, s.SignOn.Link(t.Context(), ann.ID, claimsOf(list[0].Subject, ""), day), signin.RefusedTaken)
}

func TestAnAccountConnectedByItsAddressOpensInNoOtherWay(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{LinkByEmail: true}, ""))
	old := addSession(t, s, u.ID, day)
	k := signin.Passkey{UserID: u.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: "{}", Name: "Phone", CreatedAt: day}
	must(t, s.SecondSteps.AddPasskey(t.Context(), &k, old.ID))
	must(t, s.SecondSteps.SetCodes(t.Context(), u.ID, old.ID, []byte("sealed"), 1, []secrets.TokenHash{secrets.HashToken("a")}, day))
	reset, token := signin.NewReset(u.ID, day)
	must(t, s.Sessions.AddReset(t.Context(), reset))
	session := newSession(0)
	got, _, err := s.SignOn.SignInByProvider(t.Context(), claimsOf("1", u.Email), session)
	must(t, err)
	if got.ID != u.ID {
		t.Errorf("signed in: %+v", got)
	}
	_, _, err = s.Sessions.Session(t.Context(), session.Token, day)
	must(t, err)
	_, _, err = s.Sessions.Session(t.Context(), old.Token, day)
	wants(t, err, db.ErrNotFound)
	_, err = s.Sessions.Reset(t.Context(), secrets.HashToken(token), day)
	wants(t, err, db.ErrNotFound)
	f, err := s.SecondSteps.Of(t.Context(), u.ID)
	must(t, err)
	same(t, f, signin.SecondSteps{})
	now, err := s.Accounts.User(t.Context(), u.ID)
	must(t, err)
	same(t, now.Password, "")
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.SecondStepDropped, Limit: 10})
	must(t, err)
	if len(entries) != 1 || entries[0].UserID != u.ID {
		t.Errorf("recorded: %+v", entries)
	}
	// Another person to whom the provider has given that e-mail address is not let
	// in.
	_, _, err = s.SignOn.SignInByProvider(t.Context(), claimsOf("2", u.Email), newSession(0))
	wants(t, err, signin.RefusedUnlinked)
	_, _, err = s.Sessions.Session(t.Context(), session.Token, day)
	must(t, err)
}

func TestConnectedAccountsGoWithTheSecondStep(t *testing.T) {
	s := open(t)
	u := withRole(t, s, "ann", db.Admin)
	left := func(want int) {
		t.Helper()
		list, err := s.SignOn.Identities(t.Context(), u.ID)
		must(t, err)
		if len(list) != want {
			t.Errorf("%d identities, want %d", len(list), want)
		}
	}
	must(t, s.SignOn.Link(t.Context(), u.ID, claimsOf("1", ""), day))
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{PasswordsOff: true}, "https://login.example.com"))
	before := len(entriesOf(t, s))
	wants(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, 0), db.ErrConflict)
	left(1) // the only way to sign in
	if after := len(entriesOf(t, s)); after != before {
		t.Error("the audit tells of what did not happen")
	}
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{}, ""))
	must(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, 0))
	left(0)
	must(t, s.SignOn.Link(t.Context(), u.ID, claimsOf("1", ""), day))
	user, err := s.Accounts.User(t.Context(), u.ID)
	must(t, err)
	must(t, s.SecondSteps.RenewPassword(t.Context(), u.ID, user.Password, ""))
	wants(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, 0), db.ErrConflict)
	left(1)
}

func TestBrowsersOfADisconnectedAccountAreSignedOut(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "ann")
	kept := addSession(t, s, u.ID, day)
	must(t, s.SignOn.Link(t.Context(), u.ID, claimsOf("1", ""), day))
	in := newSession(0)
	_, _, err := s.SignOn.SignInByProvider(t.Context(), claimsOf("1", ""), in)
	must(t, err)
	list, err := s.SignOn.Identities(t.Context(), u.ID)
	must(t, err)
	must(t, s.SignOn.Unlink(t.Context(), u.ID, list[0].ID, 0))
	_, _, err = s.Sessions.Session(t.Context(), in.Token, day)
	wants(t, err, db.ErrNotFound)
	_, _, err = s.Sessions.Session(t.Context(), kept.Token, day)
	must(t, err)
}

func TestTheLastAdminIsLetInWithoutARole(t *testing.T) {
	s := open(t)
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{RoleClaim: "groups", Admins: []string{"bosses"}}, ""))
	ann := withRole(t, s, "ann", db.Admin)
	must(t, s.SignOn.Link(t.Context(), ann.ID, claimsOf("1", ""), day))
	u, kept, err := s.SignOn.SignInByProvider(t.Context(), claimsOf("1", ""), newSession(0))
	must(t, err)
	if !kept || u.Role != db.Admin {
		t.Errorf("kept %t: %+v", kept, u)
	}
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.MemberRole, Limit: 10})
	must(t, err)
	same(t, len(entries), 1)
	withRole(t, s, "bo", db.Admin)
	_, _, err = s.SignOn.SignInByProvider(t.Context(), claimsOf("1", ""), newSession(0))
	wants(t, err, signin.RefusedRole)
}

func TestTurningPasswordsOffEndsTheirSessions(t *testing.T) {
	s := open(t)
	ann, bo := withRole(t, s, "ann", db.Admin), withRole(t, s, "bo", db.Member)
	must(t, s.SignOn.Link(t.Context(), ann.ID, claimsOf("1", ""), day))
	must(t, s.SignOn.Link(t.Context(), bo.ID, claimsOf("2", ""), day))
	own, password, provider := addSession(t, s, ann.ID, day), addSession(t, s, bo.ID, day), newSession(0)
	_, _, err := s.SignOn.SignInByProvider(t.Context(), claimsOf("2", ""), provider)
	must(t, err)
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: ann.ID})
	for range 2 { // the second time, passwords are off already
		must(t, s.SignOn.SetRules(ctx, signin.Rules{PasswordsOff: true}, "https://login.example.com"))
		for _, tt := range []struct {
			token secrets.TokenHash
			open  bool
		}{{own.Token, true}, {password.Token, false}, {provider.Token, true}} {
			if _, _, err := s.Sessions.Session(t.Context(), tt.token, day); (err == nil) != tt.open {
				t.Errorf("open %t: %v", tt.open, err)
			}
		}
	}
}

// Whoever turns passwords on again must be able to sign in: an admin who is active.
func TestPasswordsAreTurnedOffOnceAnAdminIsConnected(t *testing.T) {
	s := open(t)
	ann, bo := withRole(t, s, "ann", db.Admin), withRole(t, s, "bo", db.Member)
	ctx := audit.Acting(t.Context(), audit.Actor{UserID: ann.ID})
	off := func() error {
		return s.SignOn.SetRules(ctx, signin.Rules{PasswordsOff: true}, "https://login.example.com")
	}
	wants(t, off(), db.ErrConflict)
	must(t, s.SignOn.Link(t.Context(), bo.ID, claimsOf("2", ""), day))
	wants(t, off(), db.ErrConflict)
	must(t, s.SignOn.Link(t.Context(), ann.ID, claimsOf("1", ""), day))
	must(t, off())
}

// A sign-in takes a while, and passwords may be turned off meanwhile.
func TestNoSignInEndsAfterPasswordsAreTurnedOff(t *testing.T) {
	s := open(t)
	ann, bo := withRole(t, s, "ann", db.Admin), withRole(t, s, "bo", db.Member)
	must(t, s.SignOn.Link(t.Context(), ann.ID, claimsOf("1", ""), day))
	own := addSession(t, s, ann.ID, day)
	must(t, s.SecondSteps.SetCodes(t.Context(), ann.ID, own.ID, []byte("sealed"), 7, nil, day))
	key := signin.Passkey{UserID: ann.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: "new", Name: "Phone", CreatedAt: day}
	must(t, s.SecondSteps.AddPasskey(t.Context(), &key, own.ID))
	invite := signin.Invite{Token: secrets.HashToken("join"), CreatedBy: ann.ID, CreatedAt: day, ExpiresAt: day.Add(time.Hour)}
	must(t, s.Invites.AddInvites(t.Context(), []*signin.Invite{&invite}, nil))
	asked, token := signin.NewReset(bo.ID, day)
	must(t, s.Sessions.AddReset(t.Context(), asked))
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{PasswordsOff: true}, "https://login.example.com"))

	begins := func(how func(*signin.Session) error) error {
		session := newSession(bo.ID)
		err := how(session)
		if _, _, lacks := s.Sessions.Session(t.Context(), session.Token, day); lacks == nil {
			t.Error("somebody is signed in")
		}
		return err
	}
	wants(t, begins(func(session *signin.Session) error { return s.Sessions.SignIn(t.Context(), session, bo.Password, "") }), signin.RefusedOff)
	wants(t, begins(func(session *signin.Session) error {
		session.UserID = ann.ID
		return s.SecondSteps.SignInWithCode(t.Context(), session, ann.Password, people.Proof{Step: 8})
	}), signin.RefusedOff)
	wants(t, begins(func(session *signin.Session) error {
		return s.SecondSteps.SignInWithPasskey(t.Context(), session, key, "new", false)
	}), signin.RefusedOff)
	joined := db.User{Name: "Cy", Email: "cy@example.com", Password: "hash", CreatedAt: day}
	wants(t, s.Invites.Join(t.Context(), secrets.HashToken("join"), &joined, day), signin.RefusedOff)
	wants(t, useReset(s, t.Context(), secrets.HashToken(token), "new", day), signin.RefusedOff)

	byServer, token := signin.NewReset(bo.ID, day)
	byServer.ByServer = true
	must(t, s.Sessions.AddReset(t.Context(), byServer))
	must(t, useReset(s, t.Context(), secrets.HashToken(token), "new", day))
	back := newSession(bo.ID)
	back.Method = signin.ByLink
	must(t, s.Sessions.SignIn(t.Context(), back, "new", ""))
}

func TestTwoLastAdminsAreNotBothDemoted(t *testing.T) {
	stores := two(t)
	s := stores[0]
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{RoleClaim: "groups", Admins: []string{"bosses"}, Otherwise: db.Viewer}, ""))
	for i := range 2 {
		u := db.User{Name: "A", Email: fmt.Sprintf("a%d@example.com", i), Password: "hash", Role: db.Admin, CreatedAt: day}
		must(t, sampletest.AddUser(t, s, &u))
		must(t, s.SignOn.Link(t.Context(), u.ID, claimsOf(fmt.Sprint(i), ""), day))
	}
	var all sync.WaitGroup
	var kept atomic.Int32
	for i := range 2 {
		all.Go(func() {
			_, last, err := stores[i].SignOn.SignInByProvider(t.Context(), claimsOf(fmt.Sprint(i), ""), newSession(0))
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
	s := open(t)
	off := signin.Rules{PasswordsOff: true}
	u := db.User{Name: "A", Email: "a@example.com", Password: "hash", Role: db.Admin, CreatedAt: day}
	must(t, sampletest.AddUser(t, s, &u))
	wants(t, s.SignOn.SetRules(t.Context(), off, "https://login.example.com"), db.ErrConflict)
	must(t, s.SignOn.Link(t.Context(), u.ID, claimsOf("1", ""), day))
	wants(t, s.SignOn.SetRules(t.Context(), off, "https://other.example.com"), db.ErrConflict)
	must(t, s.SignOn.SetRules(t.Context(), off, "https://login.example.com"))
	rules, err := s.SignOn.Rules(t.Context())
	must(t, err)
	same(t, rules, off)
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Noun: "setting", Limit: 10})
	must(t, err)
	if len(entries) != 1 || entries[0].What != "Sign-in: passwords" || entries[0].Before != "yes" || entries[0].After != "no" {
		t.Errorf("recorded: %+v", entries)
	}
}

func TestACodeSignsInOnce(t *testing.T) {
	stores := two(t)
	s := stores[0]
	u := addUser(t, s, "Ann")
	hashes := []secrets.TokenHash{secrets.HashToken("a"), secrets.HashToken("b")}
	must(t, s.SecondSteps.SetCodes(t.Context(), u.ID, addSession(t, s, u.ID, day).ID, []byte("sealed"), 100, hashes, day))
	for name, proof := range map[string]people.Proof{"of a step": {Step: 101}, "for recovery": {Recovery: hashes[0]}} {
		var all sync.WaitGroup
		var in atomic.Int32
		for i := range 8 {
			all.Go(func() {
				err := stores[i%2].SecondSteps.SignInWithCode(t.Context(), newSession(u.ID), u.Password, proof)
				if err == nil {
					in.Add(1)
				} else if !errors.Is(err, signin.RefusedCode) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if in.Load() != 1 {
			t.Errorf("a code %s signs in %d times", name, in.Load())
		}
	}
	wants(t, s.SecondSteps.SignInWithCode(t.Context(), newSession(u.ID), u.Password, people.Proof{Step: 100}), signin.RefusedCode)
	wants(t, s.SecondSteps.SignInWithCode(t.Context(), newSession(u.ID), "another hash", people.Proof{Step: 102}), db.ErrConflict)
	wants(t, s.SecondSteps.DropCodes(t.Context(), u.ID, people.Proof{Recovery: hashes[0]}), db.ErrConflict)
	must(t, s.SecondSteps.RenewRecovery(t.Context(), u.ID, people.Proof{Recovery: hashes[1]}, []secrets.TokenHash{secrets.HashToken("c")}))
	f, err := s.SecondSteps.Of(t.Context(), u.ID)
	must(t, err)
	same(t, f, signin.SecondSteps{Codes: true, Recovery: 1})
	must(t, s.SecondSteps.DropCodes(t.Context(), u.ID, people.Proof{Step: 103}))
	f, err = s.SecondSteps.Of(t.Context(), u.ID)
	must(t, err)
	same(t, f, signin.SecondSteps{})
}

func TestPasskeysAreKept(t *testing.T) {
	s := open(t)
	u, other := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	k := signin.Passkey{UserID: u.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: `{"n":1}`, Name: "Phone", CreatedAt: day}
	first := addSession(t, s, u.ID, day)
	in := first.ID
	must(t, s.SecondSteps.AddPasskey(t.Context(), &k, in))
	twice := k
	wants(t, s.SecondSteps.AddPasskey(t.Context(), &twice, in), db.ErrConflict)
	list, err := s.SecondSteps.PasskeysOf(t.Context(), []byte("ann"))
	must(t, err)
	same(t, list, []signin.Passkey{k})
	_, err = s.SecondSteps.PasskeysOf(t.Context(), []byte("bo"))
	wants(t, err, db.ErrNotFound)
	wants(t, s.SecondSteps.RenamePasskey(t.Context(), other.ID, k.ID, "x"), db.ErrNotFound)
	wants(t, s.SecondSteps.DeletePasskey(t.Context(), other.ID, k.ID, 0), db.ErrNotFound)
	must(t, s.SecondSteps.RenamePasskey(t.Context(), u.ID, k.ID, "Key"))

	used := k
	used.Record = `{"n":2}`
	session := newSession(0)
	must(t, s.SecondSteps.SignInWithPasskey(t.Context(), session, used, k.Record, false))
	wants(t, s.SecondSteps.SignInWithPasskey(t.Context(), newSession(0), used, k.Record, false), signin.RefusedPasskey)
	got, _, err := s.Sessions.Session(t.Context(), session.Token, day)
	must(t, err)
	if got.UserID != u.ID || got.Method != signin.ByPasskey || got.Unproven {
		t.Errorf("the session: %+v", got)
	}
	must(t, s.SecondSteps.DeletePasskey(t.Context(), u.ID, k.ID, in))
	_, _, err = s.Sessions.Session(t.Context(), session.Token, day) // the session that was begun with the passkey
	wants(t, err, db.ErrNotFound)
	if _, _, err := s.Sessions.Session(t.Context(), first.Token, day); err != nil {
		t.Errorf("another browser was signed out: %v", err)
	}
	wants(t, s.SecondSteps.SignInWithPasskey(t.Context(), newSession(0), used, used.Record, false), signin.RefusedPasskey)
	for i := range signin.MaxPasskeys + 1 {
		more := k
		more.Credential = fmt.Append(nil, "more ", i)
		if err := s.SecondSteps.AddPasskey(t.Context(), &more, in); i < signin.MaxPasskeys {
			must(t, err)
		} else {
			wants(t, err, db.ErrFull)
		}
	}
}

// What was revoked after the backup was made must not let anybody in, and what
// keeps others out must still be there.
func TestAfterARestoreNothingFromBeforeSignsInAlone(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	k := signin.Passkey{UserID: ann.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: `{"n":1}`, Name: "Phone", CreatedAt: day}
	in := addSession(t, s, ann.ID, day).ID
	must(t, s.SecondSteps.AddPasskey(t.Context(), &k, in))
	recovery := []secrets.TokenHash{secrets.RecoveryHash(ann.ID, "a"), secrets.RecoveryHash(ann.ID, "b")}
	must(t, s.SecondSteps.SetCodes(t.Context(), ann.ID, in, []byte("sealed"), 100, recovery, day))
	must(t, s.SignOn.Link(t.Context(), ann.ID, claimsOf("1", "ann@example.com"), day))
	must(t, s.SignOn.Link(t.Context(), bo.ID, claimsOf("2", "bo@example.com"), day))
	must(t, s.SecondSteps.RenewPassword(t.Context(), bo.ID, "hash", "")) // he signs in only through the provider

	closed, err := s.Accounts.CloseAccess(t.Context(), "a backup", day)
	must(t, err)
	same(t, closed, signin.Closed{Sessions: 1, Recovery: 2, Identities: 1, Passkeys: 1, Open: 2})
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.Restored, Limit: 9})
	must(t, err)
	if len(entries) != 1 || !strings.Contains(entries[0].After, "2 recovery codes, 1 connected accounts; passkeys that need the password once: 1") {
		t.Errorf("recorded: %+v", entries)
	}
	f, err := s.SecondSteps.Of(t.Context(), ann.ID)
	must(t, err)
	same(t, f, signin.SecondSteps{Codes: true, Passkeys: 1})
	_, _, err = s.SignOn.SignInByProvider(t.Context(), claimsOf("1", "ann@example.com"), newSession(0))
	wants(t, err, signin.RefusedUnlinked)
	_, _, err = s.SignOn.SignInByProvider(t.Context(), claimsOf("2", "bo@example.com"), newSession(0))
	must(t, err)
	wants(t, s.SecondSteps.SignInWithCode(t.Context(), newSession(ann.ID), "hash", people.Proof{Step: secrets.LastCodeStep(day)}), signin.RefusedCode) // may have been used already
	must(t, s.SecondSteps.SignInWithCode(t.Context(), newSession(ann.ID), "hash", people.Proof{Step: secrets.LastCodeStep(day) + 1}))

	list, err := s.SecondSteps.Passkeys(t.Context(), ann.ID)
	must(t, err)
	k.Restored = true
	same(t, list, []signin.Passkey{k})
	wants(t, s.SecondSteps.SignInWithPasskey(t.Context(), newSession(0), list[0], k.Record, false), signin.RefusedRestored)
	must(t, s.SecondSteps.SignInWithPasskey(t.Context(), newSession(0), list[0], k.Record, true))
	list, err = s.SecondSteps.Passkeys(t.Context(), ann.ID)
	must(t, err)
	must(t, s.SecondSteps.SignInWithPasskey(t.Context(), newSession(0), list[0], k.Record, false))
}

func TestASessionIsUnprovenUntilThereIsASecondStep(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	v := addSession(t, s, u.ID, day)
	unproven := func(want bool) {
		t.Helper()
		got, _, err := s.Sessions.Session(t.Context(), v.Token, day)
		must(t, err)
		if got.Unproven != want {
			t.Errorf("unproven: %t", got.Unproven)
		}
	}
	unproven(false)
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{SecondStep: true}, ""))
	unproven(true)
	must(t, s.SecondSteps.SetCodes(t.Context(), u.ID, v.ID, []byte("sealed"), 1, nil, day))
	unproven(false)
	lost := newSession(u.ID) // whoever has this session could set up a second step
	must(t, s.SecondSteps.SignInWithCode(t.Context(), lost, u.Password, people.Proof{Step: 2}))
	must(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, v.ID))
	_, _, err := s.Sessions.Session(t.Context(), lost.Token, day)
	wants(t, err, db.ErrNotFound)
	unproven(true)
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{}, ""))
	unproven(false)
}

func TestTheFirstSecondStepEndsSessionsOfThePasswordAlone(t *testing.T) {
	for name, rules := range map[string]signin.Rules{"required": {SecondStep: true}, "chosen": {}} {
		for by, add := range map[signin.Method]func(s *store.Store, userID, in int64) error{
			signin.ByCode: func(s *store.Store, userID, in int64) error {
				return s.SecondSteps.SetCodes(t.Context(), userID, in, []byte("sealed"), 1, nil, day)
			},
			signin.ByPasskey: func(s *store.Store, userID, in int64) error {
				k := signin.Passkey{UserID: userID, Handle: []byte("ann"), Credential: []byte("1"), Record: "{}", Name: "Phone", CreatedAt: day}
				return s.SecondSteps.AddPasskey(t.Context(), &k, in)
			},
		} {
			t.Run(name+" "+string(by), func(t *testing.T) {
				s := open(t)
				u := addUser(t, s, "Ann")
				must(t, s.SignOn.SetRules(t.Context(), rules, ""))
				thief, own, late := addSession(t, s, u.ID, day), addSession(t, s, u.ID, day), newSession(u.ID)
				must(t, add(s, u.ID, own.ID))
				_, _, err := s.Sessions.Session(t.Context(), thief.Token, day)
				wants(t, err, db.ErrNotFound)
				wants(t, add(s, u.ID, thief.ID), db.ErrNotFound)
				got, _, err := s.Sessions.Session(t.Context(), own.Token, day)
				must(t, err)
				if got.Method != by || got.Unproven {
					t.Errorf("the session: %+v", got)
				}
				// The person gets a mail, and admins see it in the audit.
				action, how := audit.CodesOn, ""
				if by == signin.ByPasskey {
					action = audit.PasskeyAdded
				}
				if rules.SecondStep {
					how = audit.PasswordAlone
				}
				set, err := s.Audit.Entries(t.Context(), audit.Search{UserID: u.ID, Action: action, Limit: 9})
				must(t, err)
				mails := claimMails(t, s, "a", db.Now().Add(time.Minute))
				if len(set) != 1 || set[0].After != how || len(mails) != 1 || mails[0].Kind != outbox.MailSigning || mails[0].Address != u.Email ||
					mails[0].Details.Action != action || mails[0].Details.Alone != rules.SecondStep {
					t.Errorf("recorded %+v, mailed %+v", set, mails)
				}
				wants(t, s.Sessions.SignIn(t.Context(), late, u.Password, ""), db.ErrConflict)
				wants(t, add(s, u.ID, own.ID), db.ErrConflict) // it is on already
				entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.SessionEnded, Limit: 10})
				must(t, err)
				same(t, len(entries), 1)
			})
		}
	}
}

func TestAChallengeIsAnsweredOnce(t *testing.T) {
	hash := secrets.HashToken("challenge")
	if n := atOnce(t, 8, db.ErrConflict, func(s *store.Store, _ int) error {
		return s.SignOn.SpendChallenge(t.Context(), hash, day.Add(time.Minute), day)
	}); n != 1 {
		t.Errorf("answered %d times", n)
	}
}

func TestOnlyTheLinkOfTheServerIsMarked(t *testing.T) {
	s := open(t)
	u := addUser(t, s, "Ann")
	for _, by := range []bool{true, false} {
		r, token := signin.NewReset(u.ID, day)
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
		withRole(t, s, "ann", db.Admin)
		bo := withRole(t, s, "bo", db.Member)
		must(t, s.SignOn.Link(t.Context(), bo.ID, claimsOf("1", ""), day))
		must(t, s.SignOn.SetRules(t.Context(), none, ""))
		s.OnFull(func() bool {
			plan.Stop()
			must(t, s.SignOn.SetRules(t.Context(), signin.Rules{}, ""))
			return true
		})
		session := newSession(0)
		plan.BeginFull(n)
		_, _, err = s.SignOn.SignInByProvider(t.Context(), claimsOf("1", ""), session)
		if _, failed := plan.End(); failed == "" { // nothing was tried again
			wants(t, err, signin.RefusedRole)
			refusals++
		} else if _, _, begun := s.Sessions.Session(t.Context(), session.Token, day); err != nil || begun != nil {
			t.Errorf("after %q: %v, %v", failed, err, begun)
		}
		must(t, s.Close())
	}
}
