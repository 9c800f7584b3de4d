package signin_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/fetch"
	"dailies/web/openid"
)

// An op is a small OpenID Connect provider: it signs tokens with its own key, checks
// PKCE, and accepts each code once. Tests change what it returns.
type op struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu     sync.Mutex
	codes  map[string]url.Values // the authorisation request of each unused code
	claims map[string]any        // claims of the user who is signed in at the provider
	change func(claims map[string]any)
	sign   func(claims map[string]any) string // replaces the provider's own signing, if set
	deny   bool

	// What the provider offers beyond a sign-in. Each refresh token works once: used
	// again, it revokes its successors, as RFC 9700 advises.
	offers    offers
	refreshes map[string]string // family of each unused refresh token
	used      map[string]string // family of each used one
	reused    int               // how often a used one came again
	asked     int               // how often a refresh token came
	down      bool              // refreshes get a 503
}

// offers says what a provider offers beyond a sign-in.
type offers struct {
	refresh  bool // issues refresh tokens
	offline  bool // lists the scope offline_access
	noScope  bool // refuses requests for it
	signOut  bool
	noClaims bool // refreshes return no ID token
}

const clientID, clientSecret = "dailies", "a secret of the provider"

func newOP(t *testing.T) *op {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	o := &op{key: key, codes: map[string]url.Values{}, refreshes: map[string]string{}, used: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		about := map[string]any{
			"issuer": o.URL, "authorization_endpoint": o.URL + "/authorize", "token_endpoint": o.URL + "/token",
			"jwks_uri":          o.URL + "/keys",
			"userinfo_endpoint": o.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"ES256", "none"},
			"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		}
		if o.offers.offline {
			about["scopes_supported"] = []string{"openid", "email", "offline_access"}
		}
		if o.offers.signOut {
			about["end_session_endpoint"] = o.URL + "/end?tenant=1"
		}
		reply(w, about)
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		reply(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("/authorize", o.authorize)
	mux.HandleFunc("/token", o.token)
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		reply(w, o.claims)
	})
	o.Server = httptest.NewServer(mux)
	t.Cleanup(o.Close)
	return o
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// is sets the user who is signed in at the provider.
func (o *op) is(subject, email string, verified any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.claims = map[string]any{"sub": subject, "email": email, "email_verified": verified, "name": "Ada " + subject}
	o.change, o.sign, o.deny = nil, nil, false
}

func (o *op) authorize(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q, back := r.URL.Query(), url.Values{"state": {r.FormValue("state")}}
	if o.deny {
		back.Set("error", "access_denied")
	} else if o.offers.noScope && strings.Contains(q.Get("scope"), "offline_access") {
		back.Set("error", "invalid_scope")
	} else {
		code := rand.Text()
		o.codes[code] = q
		back.Set("code", code)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (o *op) token(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.FormValue("grant_type") == "refresh_token" {
		o.refresh(w, r)
		return
	}
	asked, ok := o.codes[r.FormValue("code")]
	delete(o.codes, r.FormValue("code"))
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret) // RFC 6749, 2.3.1
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || id != clientID || secret != clientSecret || asked.Get("code_challenge_method") != "S256" ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) ||
		asked.Get("redirect_uri") != r.FormValue("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := o.claimsNow()
	claims["nonce"] = asked.Get("nonce")
	if o.change != nil {
		o.change(claims)
	}
	sign := o.signed
	if o.sign != nil {
		sign = o.sign
	}
	answer := map[string]any{"access_token": "x", "token_type": "Bearer", "expires_in": 60, "id_token": sign(claims)}
	if o.offers.refresh && (!o.offers.offline || strings.Contains(asked.Get("scope"), "offline_access")) {
		answer["refresh_token"] = o.issue(rand.Text())
	}
	reply(w, answer)
}

func (o *op) claimsNow() map[string]any {
	claims := map[string]any{"iss": o.URL, "aud": clientID, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	for name, value := range o.claims {
		claims[name] = value
	}
	return claims
}

// issue returns a new refresh token of the family.
func (o *op) issue(family string) string {
	token := rand.Text()
	o.refreshes[token] = family
	return token
}

// refresh answers a request with a refresh token. The caller must hold o.mu.
func (o *op) refresh(w http.ResponseWriter, r *http.Request) {
	o.asked++
	if o.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	token := r.FormValue("refresh_token")
	family, ok := o.refreshes[token]
	if was := o.used[token]; was != "" {
		o.reused++
		for t, f := range o.refreshes {
			if f == was {
				delete(o.refreshes, t)
			}
		}
	}
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret)
	if !ok || id != clientID || secret != clientSecret {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]any{"error": "invalid_grant"})
		return
	}
	delete(o.refreshes, token)
	o.used[token] = family
	answer := map[string]any{"access_token": "x", "token_type": "Bearer", "expires_in": 60, "refresh_token": o.issue(family)}
	if !o.offers.noClaims {
		answer["id_token"] = o.signed(o.claimsNow())
	}
	reply(w, answer)
}

func (o *op) signed(claims map[string]any) string { return signedBy(o.key, claims) }

func signedBy(key *ecdsa.PrivateKey, claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		panic(err)
	}
	text, _ := json.Marshal(claims)
	token, err := signer.Sign(text)
	if err != nil {
		panic(err)
	}
	compact, _ := token.CompactSerialize()
	return compact
}

// unsigned returns a token with the algorithm "none".
func unsigned(claims map[string]any) string {
	text, _ := json.Marshal(claims)
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(text) + "."
}

// with returns the server, restarted with the provider.
func with(t *testing.T, h *handlerstest.Server, o *op) *handlerstest.Server {
	t.Helper()
	client, err := fetch.NewClient(false, fetch.Trust{Base: o.URL, Transport: fetch.Files()}) // the provider listens on a private address
	must(t, err)
	return h.With(t, func(c *handlers.Config) {
		c.Provider = openid.New(openid.Config{Issuer: o.URL, ClientID: clientID, Secret: clientSecret, Client: client})
	})
}

// begin starts a sign-in and returns the path to which the provider redirects the
// browser.
func (o *op) begin(t *testing.T, p *handlerstest.Browser, path string) string {
	t.Helper()
	return o.back(t, p.Get(path).Is(303).Header.Get("Location"))
}

func (o *op) back(t *testing.T, address string) string {
	t.Helper()
	if !strings.HasPrefix(address, o.URL+"/authorize?") {
		t.Fatalf("led to %s", address)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Get(address)
	must(t, err)
	resp.Body.Close()
	to, err := resp.Location()
	must(t, err)
	return to.RequestURI()
}

// enter signs the provider's user in.
func (o *op) enter(t *testing.T, p *handlerstest.Browser) *handlerstest.Answer {
	t.Helper()
	return p.Get(o.begin(t, p, "/login/oidc?next=/gallery"))
}

func setRules(t *testing.T, h *handlerstest.Server, r signin.Rules) {
	t.Helper()
	must(t, h.Store.SignOn.SetRules(context.Background(), r, ""))
}

func inviteBy(t *testing.T, h *handlerstest.Server, email string, role db.Role) {
	t.Helper()
	now := db.Now()
	must(t, h.Store.Invites.AddInvites(t.Context(), []*signin.Invite{{
		Token: secrets.HashToken(secrets.NewToken()), CreatedBy: 1, CreatedAt: now,
		ExpiresAt: now.Add(signin.InviteLife), Email: email, Role: role,
	}}, nil))
}

func TestPeopleSignInByTheProvider(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	inviteBy(t, h, "ADA@example.com", db.Viewer)
	o.is("1", "ada@example.com", true)
	ada := h.Stranger(t)
	ada.Get("/login").Is(200).Shows("Sign in with 127.0.0.1").Has("[name=password]")
	path := o.begin(t, ada, "/login/oidc?next=/gallery")
	ada.Get(path).Is(303).LeadsTo("/gallery")
	ada.Get("/gallery").Is(200)
	u, err := h.Store.Accounts.UserByEmail(t.Context(), "ada@example.com")
	must(t, err)
	if u.Role != db.Viewer || u.Name != "Ada 1" || u.Password != "" {
		t.Errorf("made %+v", u)
	}
	ada.Post("/logout", nil).Is(303)
	ada.Get(path).Is(422).Shows("Start again") // the same response used again
	o.enter(t, ada).Is(303).LeadsTo("/gallery")
	// The browser is signed in already, so the form does nothing.
	ada.Post("/login", handlerstest.Credentials("ada@example.com", "")).Is(303)
	ada.Post("/logout", nil).Is(303)
	ada.Post("/login", handlerstest.Credentials("ada@example.com", "")).Is(422)

	o.is("2", "bo@example.com", true)
	o.enter(t, h.Stranger(t)).Is(403).Shows("and no invitation")
	if sessions, err := h.Store.Sessions.Of(t.Context(), u.ID, db.Now()); err != nil || len(sessions) != 0 {
		t.Errorf("%d sessions, %v", len(sessions), err)
	}
}

func TestAnswersOfTheProviderThatAreRefused(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	setRules(t, h, signin.Rules{LinkByEmail: true})
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	for name, tt := range map[string]struct {
		change func(map[string]any)
		sign   func(map[string]any) string
	}{
		"another nonce":      {change: func(c map[string]any) { c["nonce"] = "another" }},
		"no nonce":           {change: func(c map[string]any) { delete(c, "nonce") }},
		"another audience":   {change: func(c map[string]any) { c["aud"] = "another" }},
		"another party":      {change: func(c map[string]any) { c["aud"], c["azp"] = []string{clientID, "another"}, "another" }},
		"several, no party":  {change: func(c map[string]any) { c["aud"] = []string{clientID, "another"} }},
		"another issuer":     {change: func(c map[string]any) { c["iss"] = "https://evil.example.com" }},
		"expired":            {change: func(c map[string]any) { c["exp"] = time.Now().Add(-time.Minute).Unix() }},
		"no end":             {change: func(c map[string]any) { delete(c, "exp") }},
		"no subject":         {change: func(c map[string]any) { delete(c, "sub") }},
		"a long subject":     {change: func(c map[string]any) { c["sub"] = strings.Repeat("x", 300) }},
		"a subject with NUL": {change: func(c map[string]any) { c["sub"] = "1\x00" }},
		"alg none":           {sign: unsigned},
		"another key":        {sign: func(c map[string]any) string { return signedBy(other, c) }},
		"no token":           {sign: func(map[string]any) string { return "" }},
		"nonsense":           {sign: func(map[string]any) string { return "a.b.c" }},
	} {
		o.is("1", "kim@example.com", true)
		o.change, o.sign = tt.change, tt.sign
		p := h.Stranger(t)
		if a := o.enter(t, p); a.StatusCode != 422 {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
		p.Get("/gallery").Is(303)
	}
	o.is("1", "kim@example.com", true)
	p := h.Stranger(t)
	path := o.begin(t, p, "/login/oidc")
	h.Stranger(t).Get(path).Is(422) // the response in another browser
	q := h.Stranger(t)
	o.begin(t, q, "/login/oidc")
	q.Get(path).Is(422) // in a browser that has begun a sign-in of its own
	q.Get("/login/oidc/callback").Is(422)
	p.Get(strings.Replace(path, "state=", "state=x", 1)).Is(422)
	p.Get(path + "&iss=https://evil.example.com").Is(422)
	o.deny = true
	o.enter(t, p).Is(403).Shows("didn’t let you in")
	o.deny = false

	// Cookies copied to another browser do not let the response be used twice.
	path = o.begin(t, p, "/login/oidc")
	copied := h.Stranger(t)
	home, _ := url.Parse(h.URL)
	copied.Jar.SetCookies(home, p.Jar.Cookies(home))
	p.Get(path).Is(303)
	copied.Get(path).Is(422)

	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Noun: "session", Limit: 100})
	must(t, err)
	refused := 0
	for _, e := range entries {
		if e.Action == audit.SignInRefused {
			refused++
		}
	}
	if refused < 18 {
		t.Errorf("%d refusals are recorded", refused)
	}
	o.Close()
	down := with(t, h, o)
	down.Stranger(t).Get("/login").Is(200).Shows("Sign in with")
	down.Stranger(t).Get("/login/oidc").Is(503).Shows("isn’t answering")
}

func TestWhoIsAdmitted(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	h.Joiner(t, founder, "cy")
	o := newOP(t)
	h = with(t, h, o)
	try := func(rules signin.Rules, subject, email string, verified any, status int, says string) {
		t.Helper()
		setRules(t, h, rules)
		o.is(subject, email, verified)
		a := o.enter(t, h.Stranger(t)).Is(status)
		if says != "" {
			a.Shows(says)
		}
	}
	domain := signin.Rules{Admit: signin.AdmitDomain, Domains: []string{"example.com"}}
	try(signin.Rules{Admit: signin.AdmitNobody}, "10", "new@example.com", true, 403, "no account for you here")
	try(domain, "10", "new@example.com", false, 403, "isn’t confirmed")
	try(domain, "10", "new@example.com", nil, 403, "isn’t confirmed")
	try(domain, "10", "new@evil.com", true, 403, "isn’t one of the team")
	try(domain, "10", "new@example.com.evil.com", true, 403, "isn’t one of the team")
	try(domain, "10", "new@sub.example.com", true, 403, "isn’t one of the team")
	try(domain, "10", "new\u200b@example.com", true, 403, "isn’t confirmed")
	try(domain, "10", "new@EXAMPLE.com", "true", 303, "")
	try(domain, "11", "cy@example.com", true, 403, "Sign in with your password, then connect it")
	try(signin.Rules{LinkByEmail: true}, "11", "cy@example.com", false, 403, "isn’t confirmed")
	try(signin.Rules{LinkByEmail: true}, "11", "cy@example.com", true, 303, "")
	try(signin.Rules{Admit: signin.AdmitNobody}, "11", "changed@example.com", false, 303, "") // the account is connected already
	founder.Post("/members/2/deactivate", url.Values{}).Is(303)
	try(signin.Rules{LinkByEmail: true}, "11", "cy@example.com", true, 403, "deactivated")
	try(signin.Rules{LinkByEmail: true}, "12", "cy@example.com", true, 403, "deactivated")
	if users, err := h.Store.Accounts.Users(t.Context()); err != nil || len(users) != 3 {
		t.Errorf("%d accounts, %v", len(users), err)
	}
}

func TestRolesOfAClaimAreAppliedAtEverySignIn(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	setRules(t, h, signin.Rules{LinkByEmail: true, Admit: signin.AdmitDomain, Domains: []string{"example.com"},
		RoleClaim: "realm.groups", Admins: []string{"bosses"}, Viewers: []string{"guests", "g2"}, Members: []string{"staff"}})
	enter := func(subject, email string, groups any, status int) *handlerstest.Answer {
		t.Helper()
		o.is(subject, email, true)
		o.claims["realm"] = map[string]any{"groups": groups}
		return o.enter(t, h.Stranger(t)).Is(status)
	}
	role := func(email string, want db.Role) {
		t.Helper()
		u, err := h.Store.Accounts.UserByEmail(t.Context(), email)
		must(t, err)
		if u.Role != want {
			t.Errorf("%s is %s, want %s", email, u.Role, want)
		}
	}
	enter("1", "kim@example.com", []string{"guests"}, 303)
	role("kim@example.com", db.Admin) // the last admin keeps the role
	if !strings.Contains(h.Log.String(), "last admin keeps") {
		t.Error("the log does not say that the last admin stays one")
	}
	enter("2", "ada@example.com", []string{"guests", "bosses"}, 303)
	role("ada@example.com", db.Admin)
	enter("1", "kim@example.com", "guests", 303)
	role("kim@example.com", db.Viewer)
	enter("2", "ada@example.com", []any{"staff", 7}, 303)
	role("ada@example.com", db.Admin) // now she is the last admin
	enter("1", "kim@example.com", "staff other", 303)
	role("kim@example.com", db.Member)
	enter("1", "kim@example.com", []string{}, 403).Shows("no role")
	enter("3", "eve@example.com", nil, 403).Shows("no role")
	if _, err := h.Store.Accounts.UserByEmail(t.Context(), "eve@example.com"); err == nil {
		t.Error("somebody who was refused has an account")
	}
}

func TestAnAccountIsConnectedWithThePassword(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	kim = kim.At(t, h)
	cookies(t, h, kim)
	age(t, h)
	o.is("1", "kim@elsewhere.example", true)
	kim.Post("/settings/identities", nil).Is(200).Has("[name=current]").Lacks(`[href="/login/oidc"]`)
	kim.Get("/login/oidc").Is(303).LeadsTo("/") // connecting has not been allowed yet
	kim.Post("/settings/identities", url.Values{"current": {"guess"}}).Is(422)
	kim.Get("/login/oidc").Is(303).LeadsTo("/")
	kim.Post("/settings/identities", url.Values{"current": {handlerstest.Password}}).Is(200).Has(`[href="/login/oidc"]`)
	// A user without a password has to sign in again.
	must(t, h.Store.SecondSteps.RenewPassword(t.Context(), 1, user(t, h, 1).Password, ""))
	kim.Post("/settings/identities", url.Values{"current": {""}}).Is(200).Shows("sign in again").Has(`form[action="/logout"] [name=next]`)
}

func TestRefusalsOfOneAddressAreBounded(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	h.Stranger(t).Get("/login/oidc?next=" + url.QueryEscape("/gallery?q="+strings.Repeat("a", 3500))).Is(303)
	must(t, h.Store.SignOn.Link(t.Context(), 1, signin.Claims{Issuer: o.URL, Subject: "kim"}, db.Now()))
	must(t, h.Store.SignOn.SetRules(t.Context(), signin.Rules{PasswordsOff: true}, o.URL))
	recorded := func() int {
		t.Helper()
		entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Action: audit.SignInRefused, Limit: 500})
		must(t, err)
		return len(entries)
	}
	o.Close()
	h = with(t, h, o) // so that nothing of the provider's configuration is cached
	p := h.Stranger(t)
	for name, try := range map[string]func() *handlerstest.Answer{
		"a password":   func() *handlerstest.Answer { return p.Post("/login", handlerstest.Credentials("x@example.com", "y")) },
		"a passkey":    func() *handlerstest.Answer { return p.Post("/login/passkey", nil) },
		"the provider": func() *handlerstest.Answer { return p.Get("/login/oidc") },
	} {
		last := 0
		for range 70 {
			last = try().StatusCode
		}
		if last != 429 {
			t.Errorf("by %s: %d at last", name, last)
		}
	}
	if n := recorded(); n == 0 || n > 100 {
		t.Errorf("%d entries", n)
	}
}

func TestPasswordsAreTurnedOff(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	o := newOP(t)
	h = with(t, h, o)
	founder = founder.At(t, h)
	cookies(t, h, founder)
	off := url.Values{"admit": {""}}
	founder.Post("/team/sign-on", off).Is(422).Shows("Sign in with the company account yourself first.")

	o.is("1", "kim@elsewhere.example", true)
	founder.Post("/settings/identities", nil).Is(200).Shows("Connect with")
	founder.Get(o.begin(t, founder, "/login/oidc")).Is(303).LeadsTo("/settings#profile")
	founder.Get("/settings").Is(200).Shows("kim@elsewhere.example")
	founder.Get("/login/oidc?next=/gallery").Is(303).LeadsTo("/gallery") // the connection was made, so this only redirects
	founder.Post("/members/invites", nil).Is(303)
	link := handlerstest.JoinLink(founder.Get("/members").Text)
	h.Joiner(t, founder, "ada")
	founder.Get("/team/security").Reads("#unconnected",
		"1 person hasn’t connected a company account. Without a password they can’t sign in, unless “Connect by email” is on.")
	founder.Post("/team/sign-on", off).Is(303)
	o.is("2", "ada@example.com", true)
	o.enter(t, h.Stranger(t)).Is(403).Shows("Ask an admin to turn passwords on").Hides("Sign in with your password")
	o.is("1", "kim@elsewhere.example", true)

	p := h.Stranger(t)
	p.Get("/login").Is(200).Lacks("[name=password]").Shows("Sign in with 127.0.0.1")
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(403).Shows("Passwords are turned off")
	p.Get(link).Is(403).Shows("Passwords are turned off")
	p.Post(link, url.Values{"name": {"Eve"}, "email": {"eve@example.com"}, "password": {handlerstest.Password}}).Is(403)
	reset, token := signin.NewReset(1, db.Now())
	must(t, h.Store.Sessions.AddReset(t.Context(), reset))
	p.Get("/reset/" + token).Is(403).Shows("Passwords are turned off")
	p.Post("/reset/"+token, url.Values{"password": {"an entirely new one"}}).Is(403)
	founder.Get("/members/1").Is(200).Lacks(`form[action="/members/1/reset"]`).Has(`a[href="/usage?who=1"]`, `a[href="/audit?person=1"]`)
	founder.Post("/members/1/reset", nil).Is(303)
	founder.Get("/members/1").Shows("Passwords are off.").Lacks("#reset-link")
	founder.Post("/settings/identities/1/remove", nil).Is(303)
	founder.Get("/settings").Shows("only way to sign in").Shows("kim@elsewhere.example")

	reset, token = signin.NewReset(1, db.Now())
	reset.ByServer = true
	must(t, h.Store.Sessions.AddReset(t.Context(), reset))
	p.Post("/reset/"+token, url.Values{"password": {"an entirely new one"}}).Is(303).LeadsTo("/team/security")
	p.Post("/team/sign-on", url.Values{"admit": {"nobody"}, "passwords": {"on"}}).Is(303)
	h.Stranger(t).Post("/login", handlerstest.Credentials("kim@example.com", "an entirely new one")).Is(303)
}

// cookies checks that the browser is signed in on the other server of the same data.
func cookies(t *testing.T, h *handlerstest.Server, p *handlerstest.Browser) {
	t.Helper()
	if fmt.Sprint(p.Get("/settings").StatusCode) != "200" {
		t.Fatal("the browser is not signed in at the other address")
	}
}
