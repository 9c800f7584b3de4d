package signin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

const passkeyOrigin = "https://dailies.example.com"

// An authenticator creates one passkey and signs in with it, as a browser would. Tests
// change its flags, origin and counter.
type authenticator struct {
	key          *ecdsa.PrivateKey
	id, handle   []byte
	flags        byte
	counter      uint32
	origin, site string
}

const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return &authenticator{key: key, id: []byte(rand.Text()), flags: present | verified, counter: 1, origin: passkeyOrigin,
		site: "dailies.example.com"}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (a *authenticator) data(extra ...byte) []byte {
	site := sha256.Sum256([]byte(a.site))
	data := append(site[:], a.flags)
	data = binary.BigEndian.AppendUint32(data, a.counter)
	return append(data, extra...)
}

func (a *authenticator) client(kind, challenge string) []byte {
	text, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
	return text
}

func (a *authenticator) answer(response map[string]string) string {
	text, _ := json.Marshal(map[string]any{"id": b64(a.id), "rawId": b64(a.id), "type": "public-key", "response": response,
		"clientExtensionResults": map[string]any{}})
	return string(text)
}

// options holds the part of the server's options that the tests need.
type options struct {
	Challenge string
	User      struct{ ID string }
	Allow     []struct{ ID string } `json:"allowCredentials"`
}

func ask(t *testing.T, p *handlerstest.Browser, path string) (o options) {
	t.Helper()
	must(t, json.Unmarshal([]byte(p.Post(path, nil).Is(200).Text), &o))
	return o
}

// create returns what navigator.credentials.create would.
func (a *authenticator) create(o options) string {
	a.handle, _ = base64.RawURLEncoding.DecodeString(o.User.ID)
	point, _ := a.key.PublicKey.Bytes()
	key := append([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, point[1:33]...)
	key = append(append(key, 0x22, 0x58, 32), point[33:]...)
	a.flags |= attested
	data := a.data(append(append(make([]byte, 16), 0, byte(len(a.id))), append(a.id[:len(a.id):len(a.id)], key...)...)...)
	a.flags &^= attested
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return a.answer(map[string]string{"clientDataJSON": b64(a.client("webauthn.create", o.Challenge)),
		"attestationObject": b64(append(object, data...))})
}

// get returns what navigator.credentials.get would.
func (a *authenticator) get(o options) string {
	a.counter++
	data, client := a.data(), a.client("webauthn.get", o.Challenge)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(data[:len(data):len(data)], hash[:]...))
	signature, _ := ecdsa.SignASN1(rand.Reader, a.key, sum[:])
	return a.answer(map[string]string{"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature),
		"userHandle": b64(a.handle)})
}

// named returns a server whose public URL has a host name, because passkeys need one.
func named(t *testing.T) *handlerstest.Server {
	return handlerstest.New(t).With(t, func(c *handlers.Config) { c.PublicURL = passkeyOrigin })
}

func addPasskey(t *testing.T, p *handlerstest.Browser) *authenticator {
	t.Helper()
	a := newAuthenticator(t)
	p.Post("/settings/passkeys", url.Values{"name": {"My phone"}, "credential": {a.create(ask(t, p, "/settings/passkeys/options"))}}).
		Is(303).LeadsTo("/settings#passkeys")
	return a
}

func TestPeopleSignInWithAPasskey(t *testing.T) {
	h := named(t)
	kim := h.Founder(t)
	kim.Get("/settings/passkeys").Is(200).Has("form[data-passkey]")
	a := addPasskey(t, kim)
	kim.Get("/settings").Is(200).Shows("My phone")

	p := h.Stranger(t)
	p.Get("/login").Is(200).Has(`form[action="/login/passkey"]`)
	said := a.get(ask(t, p, "/login/passkey/options"))
	p.Post("/login/passkey", url.Values{"credential": {said}, "next": {"/gallery"}}).Is(303).LeadsTo("/gallery")
	p.Get("/settings").Is(200).Shows("With a passkey")
	p.Post("/logout", nil)
	p.Post("/login/passkey", url.Values{"credential": {said}}).Is(422) // the same answer again

	// After a password only the user's own passkey counts, without user verification.
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303).LeadsTo("/login/code")
	p.Get("/login/code").Is(200).Lacks("[name=code]").Has("form[data-passkey]")
	a.flags = present
	o := ask(t, p, "/login/passkey/options?half=1")
	if len(o.Allow) != 1 || o.Allow[0].ID != b64(a.id) {
		t.Errorf("may be used: %v", o.Allow)
	}
	p.Post("/login/passkey", url.Values{"credential": {a.get(o)}}).Is(303)
	a.flags = present | verified

	kim.Post("/settings/passkeys/1", url.Values{"name": {"  The   key "}}).Is(303)
	kim.Get("/settings").Shows("The key")
	h.Joiner(t, kim, "ada").Post("/settings/passkeys/1/delete", nil).Is(404)
	kim.Post("/settings/passkeys/1/delete", nil).Is(303)
	q := h.Stranger(t)
	q.Post("/login/passkey", url.Values{"credential": {a.get(ask(t, q, "/login/passkey/options"))}}).Is(422)
}

// After a restore the password is required once, because the passkey may have been
// deleted after the backup was made.
func TestAPasskeyOfARestoredBackupNeedsThePasswordOnce(t *testing.T) {
	h := named(t)
	a := addPasskey(t, h.Founder(t))
	_, err := h.Store.Accounts.CloseAccess(t.Context(), "a backup", db.Now())
	must(t, err)
	p := h.Stranger(t)
	alone := func(status int) *handlerstest.Answer {
		t.Helper()
		return p.Post("/login/passkey", url.Values{"credential": {a.get(ask(t, p, "/login/passkey/options"))}}).Is(status)
	}
	alone(403).Shows("restored a backup").Has("[name=password]")
	p.Get("/gallery").Is(303)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303).LeadsTo("/login/code")
	alone(403) // a challenge that was not issued after the password
	p.Post("/login/passkey", url.Values{"credential": {a.get(ask(t, p, "/login/passkey/options?half=1"))}}).Is(303)
	p.Get("/settings").Is(200).Hides("From a backup")
	p.Post("/logout", nil)
	alone(303)
}

// age makes all sessions an hour older.
func age(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+h.Database+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer d.Close()
	_, err = d.Exec(`UPDATE sessions SET created_at = created_at - 3600000`)
	must(t, err)
}

func TestAPasskeyIsDeletedWithThePassword(t *testing.T) {
	h := named(t)
	kim := h.Founder(t)
	addPasskey(t, kim)
	age(t, h)
	const path = "/settings/passkeys/1/delete"
	kim.Post(path, url.Values{"what": {"My phone"}}).Is(200).Shows("My phone").Has(`form[action="` + path + `"] [name=current]`)
	kim.Post(path, url.Values{"current": {"guess"}}).Is(422).Shows("not your current password")
	kim.Get("/settings").Shows("My phone")
	kim.Post(path, url.Values{"current": {handlerstest.Password}}).Is(303)
	kim.Get("/settings").Hides("My phone")
}

func TestPasskeysThatAreRefused(t *testing.T) {
	h := named(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	a, other := addPasskey(t, kim), addPasskey(t, ada)
	try := func(name string, change func(a *authenticator, o *options)) {
		t.Helper()
		p := h.Stranger(t)
		b, o := *a, ask(t, p, "/login/passkey/options")
		change(&b, &o)
		if got := p.Post("/login/passkey", url.Values{"credential": {b.get(o)}}); got.StatusCode != 422 {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
		p.Get("/gallery").Is(303)
	}
	try("another challenge", func(_ *authenticator, o *options) { o.Challenge = b64([]byte("another challenge, made up here")) })
	try("another origin", func(a *authenticator, _ *options) { a.origin = "https://evil.example.com" })
	try("another site", func(a *authenticator, _ *options) { a.site = "evil.example.com" })
	try("nobody was verified", func(a *authenticator, _ *options) { a.flags = present })
	try("nobody was there", func(a *authenticator, _ *options) { a.flags = 0 })
	try("another key", func(a *authenticator, _ *options) { a.key = other.key })
	try("of somebody else", func(a *authenticator, _ *options) { a.handle = other.handle })
	try("of nobody", func(a *authenticator, _ *options) { a.handle = []byte("nobody") })
	try("an id that is not here", func(a *authenticator, _ *options) { a.id = []byte("another") })
	p := h.Stranger(t)
	p.Post("/login/passkey", url.Values{"credential": {a.get(ask(t, p, "/login/passkey/options"))}}).Is(303)
	a.counter = 0
	try("a counter that went back", func(*authenticator, *options) {})
	a.counter = 10
	for _, text := range []string{"", "{}", "null", `{"id":"x"}`, string(make([]byte, 3000))} {
		p = h.Stranger(t)
		ask(t, p, "/login/passkey/options")
		p.Post("/login/passkey", url.Values{"credential": {text}}).Is(422)
		p.Post("/login/passkey", url.Values{"credential": {text}}).Is(422) // the challenge was used up by the request before
		ask(t, kim, "/settings/passkeys/options")
		kim.Post("/settings/passkeys", url.Values{"credential": {text}}).Is(422).Shows("wasn’t added")
	}
	// After Ada's password, only one of her own passkeys counts.
	p = h.Stranger(t)
	p.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
	p.Post("/login/passkey", url.Values{"credential": {a.get(ask(t, p, "/login/passkey/options?half=1"))}}).Is(422)
	// A challenge issued to Kim for adding a passkey does not work for Ada.
	o := ask(t, kim, "/settings/passkeys/options")
	ada.Post("/settings/passkeys", url.Values{"credential": {newAuthenticator(t).create(o)}}).Is(422)
	kim.Post("/settings/passkeys", url.Values{"credential": {a.create(o)}}).Is(422).Shows("already have this passkey")

	setRules(t, h, signin.Rules{SecondStep: true})
	p = h.Stranger(t)
	p.Post("/login/passkey", url.Values{"credential": {other.get(ask(t, p, "/login/passkey/options"))}}).Is(303)
	p.Get("/gallery").Is(200)
	p.Post("/logout", nil)
	// Signing in with a passkey does not need the password.
	must(t, h.Store.SecondSteps.RenewPassword(t.Context(), 2, user(t, h, 2).Password, secrets.HashPassword("another long one")))
	p.Post("/login/passkey", url.Values{"credential": {other.get(ask(t, p, "/login/passkey/options"))}}).Is(303)
	p.Post("/logout", nil)
	kim.Post("/members/2/deactivate", url.Values{}).Is(303)
	p.Post("/login/passkey", url.Values{"credential": {other.get(ask(t, p, "/login/passkey/options"))}}).Is(422).Shows("deactivated")
	p.Get("/gallery").Is(303)
}

func TestPasskeysNeedAHostName(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Get("/settings/passkeys").Is(200).Lacks("form[data-passkey]").Shows("need an https address")
	if root := htmltest.Parse(t, h.Stranger(t).Get("/login").Is(200).Text); htmltest.Has(root, "form[data-passkey]") {
		t.Error("the sign-in page offers passkeys")
	}
}
