// Package openid signs people in at an OpenID Connect provider: the authorization
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
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// A Config names a provider, and the program as the provider knows it.
type Config struct {
	Issuer, ClientID, Secret string // the secret may be empty: PKCE protects the code
	Client                   *http.Client
}

// A Provider is found when it is first needed, so that the program starts while
// it is down. Its methods are safe for concurrent use.
type Provider struct {
	config Config
	client *http.Client

	mu     sync.Mutex
	found  *oidc.Provider
	until  time.Time // what was found, or the failure, is kept until then
	failed error
}

// Bounds of what is asked of a provider.
const (
	patience  = 10 * time.Second
	keepFound = time.Hour
	keepFault = 5 * time.Second
	maxAnswer = 1 << 20 // bytes
)

// New returns a Provider. It asks nothing yet.
func New(c Config) *Provider {
	client := *c.Client
	client.Timeout = patience
	client.Transport = bounded{c.Client.Transport}
	return &Provider{config: c, client: &client}
}

// Issuer returns the address that names the provider.
func (p *Provider) Issuer() string { return p.config.Issuer }

var (
	// ErrDown says that the provider cannot be reached, or does not answer as one.
	ErrDown = errors.New("the provider does not answer")
	// ErrDenied says that the person, or the provider, has refused.
	ErrDenied = errors.New("the provider has refused")
	// ErrInvalid says that what came back is not an answer to what was asked.
	ErrInvalid = errors.New("not an answer to what was asked")
)

// A Request is what the browser keeps while the person is at the provider.
type Request struct {
	State, Nonce, Verifier string
	Redirect               string // where the provider sends the browser back to
}

// Begin returns the address to send the browser to, and what it has to bring back.
func (p *Provider) Begin(ctx context.Context, redirect string, scopes []string) (address string, r Request, err error) {
	provider, err := p.discover(ctx)
	if err != nil {
		return "", r, err
	}
	r = Request{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(), Redirect: redirect}
	c := p.oauth(provider, redirect)
	c.Scopes = append(c.Scopes, scopes...)
	return c.AuthCodeURL(r.State, oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier)), r, nil
}

// Finish checks what the provider has sent the browser back with, exchanges the
// code, and returns what the signed token says. Claim is one more that is needed,
// such as that of roles; what the token lacks is asked of the provider.
func (p *Provider) Finish(ctx context.Context, r Request, answer url.Values, claim string) (Claims, error) {
	if r.State == "" || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.State)) != 1 {
		return Claims{}, fmt.Errorf("%w: another state", ErrInvalid)
	}
	if issuer := answer.Get("iss"); issuer != "" && issuer != p.config.Issuer { // RFC 9207
		return Claims{}, fmt.Errorf("%w: from another issuer", ErrInvalid)
	}
	if answer.Has("error") {
		return Claims{}, fmt.Errorf("%w: %.60q", ErrDenied, answer.Get("error"))
	}
	provider, err := p.discover(ctx)
	if err != nil {
		return Claims{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), patience)
	defer cancel()
	token, err := p.oauth(provider, r.Redirect).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(r.Verifier))
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.Response.StatusCode < 500 {
		return Claims{}, fmt.Errorf("%w: the code is refused: %.60q", ErrInvalid, refused.ErrorCode)
	} else if err != nil {
		return Claims{}, fmt.Errorf("%w: token: %w", ErrDown, err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: p.config.ClientID}).Verify(ctx, raw)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(r.Nonce)) != 1 {
		return Claims{}, fmt.Errorf("%w: another nonce", ErrInvalid)
	}
	said := map[string]any{}
	if err := id.Claims(&said); err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if party, _ := said["azp"].(string); len(id.Audience) > 1 && party != p.config.ClientID || party != "" && party != p.config.ClientID {
		return Claims{}, fmt.Errorf("%w: the token is for another party", ErrInvalid)
	}
	if err := p.complete(ctx, provider, token, id.Subject, said, claim); err != nil {
		return Claims{}, err
	}
	c := read(said, claim)
	c.Issuer, c.Subject = p.config.Issuer, id.Subject
	if c.Subject == "" || len(c.Subject) > maxSubject {
		return Claims{}, fmt.Errorf("%w: no usable subject", ErrInvalid)
	}
	return c, nil
}

// complete asks the provider for what the token does not say, if it can be asked.
func (p *Provider) complete(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, subject string, said map[string]any, claim string) error {
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

// discover returns the provider. A failure is kept for a few seconds, so that one
// that is down is not waited for by everybody in turn.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.until) {
		return p.found, p.failed
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.config.Issuer)
	if err == nil {
		err = checked(found)
	}
	if err != nil {
		p.found, p.failed, p.until = nil, fmt.Errorf("%w: %w", ErrDown, err), time.Now().Add(keepFault)
		return nil, p.failed
	}
	p.found, p.failed, p.until = found, nil, time.Now().Add(keepFound)
	return found, nil
}

// checked refuses addresses that no browser should be sent to.
func checked(found *oidc.Provider) error {
	for _, address := range []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL} {
		u, err := url.Parse(address)
		if err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) || u.Host == "" {
			return errors.New("it names no addresses to sign in at")
		}
	}
	return nil
}

// bounded bounds how much of an answer is read.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	}
	return resp, err
}
