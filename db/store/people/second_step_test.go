package people_test

import (
	"errors"
	"fmt"
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
	"dailies/db/store/people"
	"dailies/db/store/suite"
)

func TestACodeSignsInOnce(t *testing.T) {
	stores := suite.OpenTwice(t)
	s := stores[0]
	u := suite.AddUser(t, s, "Ann")
	hashes := []secrets.TokenHash{secrets.HashToken("a"), secrets.HashToken("b")}
	must(t, s.SecondSteps.SetCodes(t.Context(), u.ID, suite.AddSession(t, s, u.ID, suite.Day).ID, []byte("sealed"), 100, hashes, suite.Day))
	for name, proof := range map[string]people.Proof{"of a step": {Step: 101}, "for recovery": {Recovery: hashes[0]}} {
		var all sync.WaitGroup
		var in atomic.Int32
		for i := range 8 {
			all.Go(func() {
				err := stores[i%2].SecondSteps.SignInWithCode(t.Context(), suite.NewSession(u.ID), u.Password, proof)
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
	suite.Wants(t, s.SecondSteps.SignInWithCode(t.Context(), suite.NewSession(u.ID), u.Password, people.Proof{Step: 100}), signin.RefusedCode)
	suite.Wants(t, s.SecondSteps.SignInWithCode(t.Context(), suite.NewSession(u.ID), "another hash", people.Proof{Step: 102}), db.ErrConflict)
	suite.Wants(t, s.SecondSteps.DropCodes(t.Context(), u.ID, people.Proof{Recovery: hashes[0]}), db.ErrConflict)
	must(t, s.SecondSteps.RenewRecovery(t.Context(), u.ID, people.Proof{Recovery: hashes[1]}, []secrets.TokenHash{secrets.HashToken("c")}))
	f, err := s.SecondSteps.Of(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, f, signin.SecondSteps{Codes: true, Recovery: 1})
	must(t, s.SecondSteps.DropCodes(t.Context(), u.ID, people.Proof{Step: 103}))
	f, err = s.SecondSteps.Of(t.Context(), u.ID)
	must(t, err)
	suite.Same(t, f, signin.SecondSteps{})
}

func TestPasskeysAreKept(t *testing.T) {
	s := suite.Open(t)
	u, other := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	k := signin.Passkey{UserID: u.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: `{"n":1}`, Name: "Phone", CreatedAt: suite.Day}
	first := suite.AddSession(t, s, u.ID, suite.Day)
	in := first.ID
	must(t, s.SecondSteps.AddPasskey(t.Context(), &k, in))
	twice := k
	suite.Wants(t, s.SecondSteps.AddPasskey(t.Context(), &twice, in), db.ErrConflict)
	list, err := s.SecondSteps.PasskeysOf(t.Context(), []byte("ann"))
	must(t, err)
	suite.Same(t, list, []signin.Passkey{k})
	_, err = s.SecondSteps.PasskeysOf(t.Context(), []byte("bo"))
	suite.Wants(t, err, db.ErrNotFound)
	suite.Wants(t, s.SecondSteps.RenamePasskey(t.Context(), other.ID, k.ID, "x"), db.ErrNotFound)
	suite.Wants(t, s.SecondSteps.DeletePasskey(t.Context(), other.ID, k.ID, 0), db.ErrNotFound)
	must(t, s.SecondSteps.RenamePasskey(t.Context(), u.ID, k.ID, "Key"))

	used := k
	used.Record = `{"n":2}`
	session := suite.NewSession(0)
	must(t, s.SecondSteps.SignInWithPasskey(t.Context(), session, used, k.Record, false))
	suite.Wants(t, s.SecondSteps.SignInWithPasskey(t.Context(), suite.NewSession(0), used, k.Record, false), signin.RefusedPasskey)
	got, _, err := s.Sessions.Session(t.Context(), session.Token, suite.Day)
	must(t, err)
	if got.UserID != u.ID || got.Method != signin.ByPasskey || got.Unproven {
		t.Errorf("the session: %+v", got)
	}
	must(t, s.SecondSteps.DeletePasskey(t.Context(), u.ID, k.ID, in))
	_, _, err = s.Sessions.Session(t.Context(), session.Token, suite.Day) // the session that was begun with the passkey
	suite.Wants(t, err, db.ErrNotFound)
	if _, _, err := s.Sessions.Session(t.Context(), first.Token, suite.Day); err != nil {
		t.Errorf("another browser was signed out: %v", err)
	}
	suite.Wants(t, s.SecondSteps.SignInWithPasskey(t.Context(), suite.NewSession(0), used, used.Record, false), signin.RefusedPasskey)
	for i := range signin.MaxPasskeys + 1 {
		more := k
		more.Credential = fmt.Append(nil, "more ", i)
		if err := s.SecondSteps.AddPasskey(t.Context(), &more, in); i < signin.MaxPasskeys {
			must(t, err)
		} else {
			suite.Wants(t, err, db.ErrFull)
		}
	}
}

// What was revoked after the backup was made must not let anybody in, and what
// keeps others out must still be there.
func TestAfterARestoreNothingFromBeforeSignsInAlone(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	k := signin.Passkey{UserID: ann.ID, Handle: []byte("ann"), Credential: []byte("1"), Record: `{"n":1}`, Name: "Phone", CreatedAt: suite.Day}
	in := suite.AddSession(t, s, ann.ID, suite.Day).ID
	must(t, s.SecondSteps.AddPasskey(t.Context(), &k, in))
	recovery := []secrets.TokenHash{secrets.RecoveryHash(ann.ID, "a"), secrets.RecoveryHash(ann.ID, "b")}
	must(t, s.SecondSteps.SetCodes(t.Context(), ann.ID, in, []byte("sealed"), 100, recovery, suite.Day))
	must(t, s.SignOn.Link(t.Context(), ann.ID, suite.ClaimsOf("1", "ann@example.com"), suite.Day))
	must(t, s.SignOn.Link(t.Context(), bo.ID, suite.ClaimsOf("2", "bo@example.com"), suite.Day))
	must(t, s.SecondSteps.RenewPassword(t.Context(), bo.ID, "hash", "")) // he signs in only through the provider

	closed, err := s.Accounts.CloseAccess(t.Context(), "a backup", suite.Day)
	must(t, err)
	suite.Same(t, closed, signin.Closed{Sessions: 1, Recovery: 2, Identities: 1, Passkeys: 1, Open: 2})
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.Restored, Limit: 9})
	must(t, err)
	if len(entries) != 1 || !strings.Contains(entries[0].After, "2 recovery codes, 1 connected accounts; passkeys that need the password once: 1") {
		t.Errorf("recorded: %+v", entries)
	}
	f, err := s.SecondSteps.Of(t.Context(), ann.ID)
	must(t, err)
	suite.Same(t, f, signin.SecondSteps{Codes: true, Passkeys: 1})
	_, _, err = s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("1", "ann@example.com"), suite.NewSession(0))
	suite.Wants(t, err, signin.RefusedUnlinked)
	_, _, err = s.SignOn.SignInByProvider(t.Context(), suite.ClaimsOf("2", "bo@example.com"), suite.NewSession(0))
	must(t, err)
	suite.Wants(t, s.SecondSteps.SignInWithCode(t.Context(), suite.NewSession(ann.ID), "hash", people.Proof{Step: secrets.LastCodeStep(suite.Day)}), signin.RefusedCode) // may have been used already
	must(t, s.SecondSteps.SignInWithCode(t.Context(), suite.NewSession(ann.ID), "hash", people.Proof{Step: secrets.LastCodeStep(suite.Day) + 1}))

	list, err := s.SecondSteps.Passkeys(t.Context(), ann.ID)
	must(t, err)
	k.Restored = true
	suite.Same(t, list, []signin.Passkey{k})
	suite.Wants(t, s.SecondSteps.SignInWithPasskey(t.Context(), suite.NewSession(0), list[0], k.Record, false), signin.RefusedRestored)
	must(t, s.SecondSteps.SignInWithPasskey(t.Context(), suite.NewSession(0), list[0], k.Record, true))
	list, err = s.SecondSteps.Passkeys(t.Context(), ann.ID)
	must(t, err)
	must(t, s.SecondSteps.SignInWithPasskey(t.Context(), suite.NewSession(0), list[0], k.Record, false))
}

func TestASessionIsUnprovenUntilThereIsASecondStep(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	v := suite.AddSession(t, s, u.ID, suite.Day)
	unproven := func(want bool) {
		t.Helper()
		got, _, err := s.Sessions.Session(t.Context(), v.Token, suite.Day)
		must(t, err)
		if got.Unproven != want {
			t.Errorf("unproven: %t", got.Unproven)
		}
	}
	unproven(false)
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{SecondStep: true}, ""))
	unproven(true)
	must(t, s.SecondSteps.SetCodes(t.Context(), u.ID, v.ID, []byte("sealed"), 1, nil, suite.Day))
	unproven(false)
	lost := suite.NewSession(u.ID) // whoever has this session could set up a second step
	must(t, s.SecondSteps.SignInWithCode(t.Context(), lost, u.Password, people.Proof{Step: 2}))
	must(t, s.SecondSteps.DropSecondStep(t.Context(), u.ID, v.ID))
	_, _, err := s.Sessions.Session(t.Context(), lost.Token, suite.Day)
	suite.Wants(t, err, db.ErrNotFound)
	unproven(true)
	must(t, s.SignOn.SetRules(t.Context(), signin.Rules{}, ""))
	unproven(false)
}

func TestTheFirstSecondStepEndsSessionsOfThePasswordAlone(t *testing.T) {
	for name, rules := range map[string]signin.Rules{"required": {SecondStep: true}, "chosen": {}} {
		for by, add := range map[signin.Method]func(s *store.Store, userID, in int64) error{
			signin.ByCode: func(s *store.Store, userID, in int64) error {
				return s.SecondSteps.SetCodes(t.Context(), userID, in, []byte("sealed"), 1, nil, suite.Day)
			},
			signin.ByPasskey: func(s *store.Store, userID, in int64) error {
				k := signin.Passkey{UserID: userID, Handle: []byte("ann"), Credential: []byte("1"), Record: "{}", Name: "Phone", CreatedAt: suite.Day}
				return s.SecondSteps.AddPasskey(t.Context(), &k, in)
			},
		} {
			t.Run(name+" "+string(by), func(t *testing.T) {
				s := suite.Open(t)
				u := suite.AddUser(t, s, "Ann")
				must(t, s.SignOn.SetRules(t.Context(), rules, ""))
				thief, own, late := suite.AddSession(t, s, u.ID, suite.Day), suite.AddSession(t, s, u.ID, suite.Day), suite.NewSession(u.ID)
				must(t, add(s, u.ID, own.ID))
				_, _, err := s.Sessions.Session(t.Context(), thief.Token, suite.Day)
				suite.Wants(t, err, db.ErrNotFound)
				suite.Wants(t, add(s, u.ID, thief.ID), db.ErrNotFound)
				got, _, err := s.Sessions.Session(t.Context(), own.Token, suite.Day)
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
				mails := suite.ClaimMails(t, s, "a", db.Now().Add(time.Minute))
				if len(set) != 1 || set[0].After != how || len(mails) != 1 || mails[0].Kind != outbox.MailSigning || mails[0].Address != u.Email ||
					mails[0].Details.Action != action || mails[0].Details.Alone != rules.SecondStep {
					t.Errorf("recorded %+v, mailed %+v", set, mails)
				}
				suite.Wants(t, s.Sessions.SignIn(t.Context(), late, u.Password, ""), db.ErrConflict)
				suite.Wants(t, add(s, u.ID, own.ID), db.ErrConflict) // it is on already
				entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.SessionEnded, Limit: 10})
				must(t, err)
				suite.Same(t, len(entries), 1)
			})
		}
	}
}

func TestAChallengeIsAnsweredOnce(t *testing.T) {
	hash := secrets.HashToken("challenge")
	if n := atOnce(t, 8, db.ErrConflict, func(s *store.Store, _ int) error {
		return s.SignOn.SpendChallenge(t.Context(), hash, suite.Day.Add(time.Minute), suite.Day)
	}); n != 1 {
		t.Errorf("answered %d times", n)
	}
}
