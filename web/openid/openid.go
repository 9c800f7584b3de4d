// Package openid signs users in through an OpenID Connect provider: the authorization
// code flow with PKCE, a state and a nonce.
package openid

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// A Config names a provider and contains the program's registration there.
type Config struct {
	Issuer, ClientID, Secret string // the secret may be empty: PKCE protects the code
	Client                   *http.Client
}

// A Provider fetches the provider's metadata when it first needs them, so that the
// program can start while the provider is down. Its methods are safe for concurrent use.
type Provider struct {
	config Config
	client *http.Client

	mu     sync.Mutex
	found  *oidc.Provider
	until  time.Time // when found or failed expires
	failed error

	noRefresh atomic.Bool // set by ErrScope
}

// Limits of requests to a provider.
const (
	timeout     = 10 * time.Second
	metadataTTL = time.Hour
	failureTTL  = 5 * time.Second
	maxResponse = 1 << 20 // bytes
	maxToken    = 8 << 10 // bytes of a token that is kept
)

// New returns a Provider. It makes no request yet.
func New(c Config) *Provider {
	client := *c.Client
	client.Timeout = timeout
	client.Transport = bounded{c.Client.Transport}
	return &Provider{config: c, client: &client}
}

// Issuer returns the URL that identifies the provider.
func (p *Provider) Issuer() string { return p.config.Issuer }

var (
	// ErrDown means that the provider cannot be reached or its response makes no sense.
	ErrDown = errors.New("the provider does not answer")
	// ErrDenied means that the user or the provider has refused the sign-in.
	ErrDenied = errors.New("the provider has refused")
	// ErrInvalid means that the response does not belong to the Request, or that its
	// token is not valid.
	ErrInvalid = errors.New("not an answer to what was asked")
	// ErrScope means that the provider does not allow this program to ask for refresh
	// tokens. The next sign-in does not ask for them.
	ErrScope = errors.New("the provider issues no refresh tokens to this program")
	// ErrEnded means that a refresh token is refused: the user was signed out, or has no
	// account there any more.
	ErrEnded = errors.New("the provider no longer signs the user in")
)

// A Request is a sign-in that has begun. The browser keeps it, in a cookie, while the
// user is at the provider.
type Request struct {
	State, Nonce, Verifier string
	Redirect               string // URL to which the provider sends the browser back
	Offline                bool   // a refresh token was asked for, besides the scopes of Begin
}

// Begin returns the URL to send the browser to, and the Request that Finish needs.
func (p *Provider) Begin(ctx context.Context, redirect string, scopes []string) (address string, r Request, err error) {
	provider, err := p.discover(ctx)
	if err != nil {
		return "", r, err
	}
	r = Request{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(), Redirect: redirect}
	c := p.oauth(provider, redirect)
	c.Scopes = append(c.Scopes, scopes...)
	if slices.Contains(metadataOf(provider).Scopes, oidc.ScopeOfflineAccess) &&
		!slices.Contains(c.Scopes, oidc.ScopeOfflineAccess) && !p.noRefresh.Load() {
		c.Scopes, r.Offline = append(c.Scopes, oidc.ScopeOfflineAccess), true
	}
	return c.AuthCodeURL(r.State, oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier)), r, nil
}

// Tokens are what a provider issues besides the claims. They are secrets.
type Tokens struct {
	// Refresh gets new claims later, once: see Provider.Refresh. It is empty if the
	// provider issues none.
	Refresh string
	// ID is the signed token, with which the provider recognises the session that is to
	// end there: see Provider.SignOutURL.
	ID string
	// SignOut is the URL at which the user signs out there; empty if there is none.
	SignOut string
}

// Finish checks the query with which the provider has sent the browser back, exchanges
// the code, and returns the claims of the signed token. claim names an additional claim
// to return, such as the one with roles; it may be empty. Claims that the token lacks
// are requested from the provider. If a signed token is refused, the claims that come
// with the error say whom it names.
func (p *Provider) Finish(ctx context.Context, r Request, answer url.Values, claim string) (Claims, Tokens, error) {
	if r.State == "" || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.State)) != 1 {
		return Claims{}, Tokens{}, fmt.Errorf("%w: another state", ErrInvalid)
	}
	if issuer := answer.Get("iss"); issuer != "" && issuer != p.config.Issuer { // RFC 9207
		return Claims{}, Tokens{}, fmt.Errorf("%w: from another issuer", ErrInvalid)
	}
	if answer.Has("error") {
		why := answer.Get("error")
		if r.Offline && (why == "invalid_scope" || why == "unauthorized_client") {
			p.noRefresh.Store(true)
			return Claims{}, Tokens{}, ErrScope
		}
		return Claims{}, Tokens{}, fmt.Errorf("%w: %.60q", ErrDenied, why)
	}
	provider, err := p.discover(ctx)
	if err != nil {
		return Claims{}, Tokens{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), timeout)
	defer cancel()
	token, err := p.oauth(provider, r.Redirect).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(r.Verifier))
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.Response.StatusCode < 500 {
		return Claims{}, Tokens{}, fmt.Errorf("%w: the code is refused: %.60q", ErrInvalid, refused.ErrorCode)
	} else if err != nil {
		return Claims{}, Tokens{}, fmt.Errorf("%w: token: %w", ErrDown, err)
	}
	id, said, err := p.verify(ctx, provider, token)
	if err != nil {
		return read(said, ""), Tokens{}, err
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(r.Nonce)) != 1 {
		return read(said, ""), Tokens{}, fmt.Errorf("%w: another nonce", ErrInvalid)
	}
	if err := p.complete(ctx, provider, token, id.Subject, said, claim); err != nil {
		return read(said, ""), Tokens{}, err
	}
	c := read(said, claim)
	c.Issuer = p.config.Issuer
	if c.Subject == "" || len(c.Subject) > maxSubject {
		return c, Tokens{}, fmt.Errorf("%w: no usable subject", ErrInvalid)
	}
	return c, p.tokens(provider, token), nil
}

// tokens returns the tokens to keep. One that is unusually long is not kept.
func (p *Provider) tokens(provider *oidc.Provider, token *oauth2.Token) Tokens {
	t := Tokens{Refresh: token.RefreshToken, SignOut: metadataOf(provider).SignOut}
	t.ID, _ = token.Extra("id_token").(string)
	if len(t.Refresh) > maxToken {
		t.Refresh = ""
	}
	if len(t.ID) > maxToken {
		t.ID = ""
	}
	return t
}

// verify checks the signed token in the provider's response, and returns its claims. If
// its signature is right but it is refused, the claims come with the error.
func (p *Provider) verify(ctx context.Context, provider *oidc.Provider, token *oauth2.Token) (*oidc.IDToken, map[string]any, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: p.config.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	said := map[string]any{}
	if err := id.Claims(&said); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if party, _ := said["azp"].(string); len(id.Audience) > 1 && party != p.config.ClientID || party != "" && party != p.config.ClientID {
		return nil, said, fmt.Errorf("%w: the token is for another party", ErrInvalid)
	}
	return id, said, nil
}

// complete adds claims that the token lacks from the provider's userinfo endpoint, if
// it has one.
func (p *Provider) complete(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, subject string,
	said map[string]any, claim string) error {
	_, email := said["email"]
	if email && (claim == "" || lookUp(said, claim) != nil) || provider.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("%w: userinfo: %w", ErrDown, err)
	}
	if info.Subject != subject {
		return fmt.Errorf("%w: userinfo of somebody else", ErrInvalid)
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return fmt.Errorf("%w: userinfo: %w", ErrInvalid, err)
	}
	merge(said, more)
	return nil
}

func (p *Provider) oauth(provider *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.config.ClientID, ClientSecret: p.config.Secret, Endpoint: provider.Endpoint(),
		RedirectURL: redirect, Scopes: []string{oidc.ScopeOpenID, "email", "profile"},
	}
}

// discover returns the provider's metadata. A failure is cached for a few seconds, so
// that users do not wait one after another for a provider that is down.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.until) {
		return p.found, p.failed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.config.Issuer)
	if err == nil {
		err = validate(found)
	}
	if err != nil {
		p.found, p.failed, p.until = nil, fmt.Errorf("%w: %w", ErrDown, err), time.Now().Add(failureTTL)
		return nil, p.failed
	}
	p.found, p.failed, p.until = found, nil, time.Now().Add(metadataTTL)
	return found, nil
}

// validate returns an error if the metadata contain URLs that no browser should be sent
// to.
func validate(found *oidc.Provider) error {
	for _, address := range []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL} {
		u, err := url.Parse(address)
		if err != nil || !isWeb(u) {
			return errors.New("it names no addresses to sign in at")
		}
	}
	return nil
}

// bounded limits the size of response bodies.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxResponse), resp.Body}
	}
	return resp, err
}
