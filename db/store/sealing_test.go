package store_test

import (
	"bytes"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/suite"
	"dailies/db/team"
)

// A sealedStore has one of everything that is sealed.
type sealedStore struct {
	*store.Store
	user         db.User
	own, running db.Task
}

func vaultOf(t *testing.T, secret string) *secrets.Vault {
	t.Helper()
	v, err := secrets.NewVault([]byte(secret))
	must(t, err)
	return v
}

func newSealedStore(t *testing.T, v *secrets.Vault) sealedStore {
	t.Helper()
	s := suite.Open(t)
	h := sealedStore{Store: s, user: suite.AddUser(t, s, "Ann")}
	other := suite.AddUser(t, s, "Bo")
	must(t, s.Keys.PutKey(t.Context(), secrets.Key{UserID: h.user.ID, Sealed: v.Seal(h.user.ID, "sk-own"), Fingerprint: v.Fingerprint("sk-own"), CreatedAt: suite.Day}))
	k := team.Key{Name: "Studio", Standard: true, Key: secrets.Key{LastFour: "team", Fingerprint: v.Fingerprint("sk-team"), CreatedAt: suite.Day}}
	must(t, s.Keys.AddTeamKey(t.Context(), &k, func(o secrets.KeyOwner) []byte { return v.SealFor(o, "sk-team") }))
	h.own, h.running = suite.SendAs(t, s, suite.AddTask(t, s, h.user.ID, "a").ID, h.user.ID), suite.SendAs(t, s, suite.AddTask(t, s, other.ID, "b").ID, other.ID)
	must(t, s.Webhooks.Add(t.Context(), &outbox.Webhook{UserID: h.user.ID, Address: "https://example.com", CreatedAt: suite.Day}, v.Seal(h.user.ID, "whsec"), h.user.ID))
	session := suite.AddSession(t, s, h.user.ID, suite.Day)
	must(t, s.SecondSteps.SetCodes(t.Context(), h.user.ID, session.ID, v.SealCode(h.user.ID, "codes"), 1, nil, suite.Day))
	must(t, s.SignOn.KeepTokens(t.Context(), session.ID, v.SealTokens(h.user.ID, "{}"), suite.Day))
	c := gallery.Collection{Name: "Trailer", CreatedBy: h.user.ID, CreatedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	must(t, s.Links.AddShare(t.Context(), &gallery.Share{Token: "T", Sealed: v.SealToken(h.user.ID, "T"), CollectionID: c.ID, CreatedBy: h.user.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(signin.InviteLife)}))
	p := ordering.Picture{UserID: h.user.ID, Hash: "p", Type: "image/png", Size: 1, Width: 1, Height: 1, Name: "p", CreatedAt: suite.Day, Token: "P", Sealed: v.SealToken(h.user.ID, "P")}
	must(t, s.Pictures.AddPictureWithin(t.Context(), &p, ordering.UsualQuota))
	m := outbox.NewMail(outbox.MailInvite, h.user.ID, suite.Day)
	m.Address, m.Sealed = "eve@example.com", v.SealMail(m.Name, "mail")
	must(t, s.Mail.AddMail(t.Context(), m))
	return h
}

// counts returns how many values open with the vault, and how many do not.
func (h sealedStore) counts(t *testing.T, v *secrets.Vault) (opened, shut, kinds int) {
	t.Helper()
	values, err := h.SealedValues(t.Context(), v)
	must(t, err)
	for _, n := range values {
		opened, shut = opened+n.Opened, shut+n.Shut
	}
	return opened, shut, len(values)
}

func TestEverythingIsSealedAgainWithANewSecret(t *testing.T) {
	before, after := vaultOf(t, "before"), vaultOf(t, "after")
	h := newSealedStore(t, before)
	all, shut, kinds := h.counts(t, before)
	if kinds != 9 || shut != 0 {
		t.Fatalf("%d of %d kinds are sealed, and %d values do not open", all, kinds, shut)
	}
	sealing, _, err := secrets.PlainSealing([]byte("after"))
	must(t, err)
	done, err := h.Reseal(t.Context(), before, after, sealing)
	must(t, err)
	if opened, shut, _ := h.counts(t, after); opened != all || shut != 0 || len(done) != kinds {
		t.Errorf("%d of %d open, %d do not: %+v", opened, all, shut, done)
	}
	if opened, _, _ := h.counts(t, before); opened != 0 {
		t.Errorf("%d still open with the earlier secret", opened)
	}
	for _, task := range []db.Task{h.own, h.running} {
		k, err := h.Calls.TaskKey(t.Context(), task.ID)
		must(t, err)
		text, err := after.OpenKey(k)
		must(t, err)
		if !bytes.Equal(k.Fingerprint, after.Fingerprint(text)) {
			t.Errorf("the fingerprint of %s is of the earlier secret", text)
		}
	}
	k, err := h.Keys.KeyInUse(t.Context(), h.user.ID)
	must(t, err)
	if !bytes.Equal(k.Fingerprint, after.Fingerprint("sk-own")) {
		t.Error("the fingerprint is of the earlier secret")
	}
	if _, _, err := h.Unseal(t.Context(), []byte("after")); err != nil {
		t.Errorf("the new secret: %v", err)
	}
	_, _, err = h.Unseal(t.Context(), []byte("before"))
	suite.Wants(t, err, secrets.ErrSecret)
	// Doing it again with the earlier secret changes nothing that opens.
	_, err = h.Reseal(t.Context(), before, vaultOf(t, "third"), sealing)
	must(t, err)
	if opened, _, _ := h.counts(t, after); opened != all {
		t.Errorf("only %d open after a second run", opened)
	}
}

// Earlier versions did not record with which secret a file was sealed.
func TestTheSecretOfAnEarlierVersionIsRecognised(t *testing.T) {
	s := suite.Open(t)
	_, _, err := s.Unseal(t.Context(), []byte("anything"))
	suite.Wants(t, err, db.ErrNotFound)
	suite.AddUser(t, s, "Ann")
	sealing, key, err := s.Unseal(t.Context(), []byte("of the cookies"))
	must(t, err)
	suite.Same(t, string(key), "of the cookies")
	_, err = s.BeginSealing(t.Context(), sealing)
	must(t, err)
	_, _, err = s.Unseal(t.Context(), []byte("another"))
	suite.Wants(t, err, secrets.ErrSecret)

	h := newSealedStore(t, vaultOf(t, "before"))
	for range 2 {
		_, _, err := h.Unseal(t.Context(), []byte("another"))
		suite.Wants(t, err, secrets.ErrSecret)
	}
	for range 2 {
		sealing, key, err := h.Unseal(t.Context(), []byte("before"))
		must(t, err)
		if string(key) != "before" || !sealing.IsPlain() {
			t.Errorf("%q, %s", key, sealing)
		}
	}
	sealing, _, err = secrets.NewSealing([]byte("another one"))
	must(t, err)
	must(t, h.ForgetSealed(t.Context(), sealing))
	if _, _, err := h.Unseal(t.Context(), []byte("another one")); err != nil {
		t.Error(err)
	}
	_, _, err = h.Unseal(t.Context(), []byte("before"))
	suite.Wants(t, err, secrets.ErrSecret)
	if opened, _, _ := h.counts(t, vaultOf(t, "before")); opened == 0 {
		t.Error("what was sealed is deleted, although its secret may be found again")
	}
}
