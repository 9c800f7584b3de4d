package openid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Kept is what has to be kept of a sign-in, to refresh it and to sign out.
type Kept struct {
	Issuer, Subject string
	Tokens          Tokens
}

// String returns it as JSON. It contains secrets.
func (k Kept) String() string {
	text, _ := json.Marshal(k) // strings alone never fail
	return string(text)
}

// Refresh asks the provider whether the user with the subject may still be signed in, by
// exchanging the refresh token, which must not be used again. It returns the claims of
// today and the tokens to use next. The error is ErrEnded if the token is refused, and
// otherwise says nothing about the user. known is false if the provider makes no
// statement about the user but has accepted the token.
func (p *Provider) Refresh(ctx context.Context, t Tokens, subject, claim string) (c Claims, known bool, next Tokens, err error) {
	provider, err := p.discover(ctx)
	if err != nil {
		return c, false, t, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), timeout)
	defer cancel()
	oauth := p.oauth(provider, "")
	oauth.Endpoint.AuthStyle = p.authStyle(provider) // detecting it could use the token twice
	token, err := oauth.TokenSource(ctx, &oauth2.Token{RefreshToken: t.Refresh}).Token()
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return c, false, t, ErrEnded
	} else if err != nil {
		return c, false, t, fmt.Errorf("%w: token: %w", ErrDown, err)
	}
	next = p.tokens(provider, token)
	if next.ID == "" {
		next.ID = t.ID
	}
	said := map[string]any{}
	if raw, _ := token.Extra("id_token").(string); raw != "" {
		id, claims, err := p.verify(ctx, provider, token)
		if err != nil || id.Subject != subject {
			return c, false, next, errors.Join(err, fmt.Errorf("%w: a refreshed token of somebody else", ErrInvalid))
		}
		said = claims
	} else if provider.UserInfoEndpoint() == "" {
		return c, false, next, nil
	}
	if err := p.complete(ctx, provider, token, subject, said, claim); err != nil {
		return c, false, next, err
	}
	c = read(said, claim)
	c.Issuer, c.Subject = p.config.Issuer, subject
	return c, true, next, nil
}

// authStyle returns how the provider wants this program to authenticate.
func (p *Provider) authStyle(provider *oidc.Provider) oauth2.AuthStyle {
	methods := metadataOf(provider).Methods
	if p.config.Secret == "" || slices.Contains(methods, "client_secret_post") && !slices.Contains(methods, "client_secret_basic") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// SignOutURL returns the URL to send the browser to, so that the user signs out at the
// provider too (OpenID Connect RP-Initiated Logout), and from there back to the address
// back. It is empty if the provider offers none.
func (p *Provider) SignOutURL(t Tokens, back string) string {
	u, err := url.Parse(t.SignOut)
	if err != nil || !isWeb(u) || t.ID == "" {
		return ""
	}
	q := u.Query()
	q.Set("id_token_hint", t.ID)
	q.Set("client_id", p.config.ClientID)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()
	return u.String()
}

// metadata is what a provider says about itself besides what package oidc reads.
type metadata struct {
	SignOut string   `json:"end_session_endpoint"`
	Scopes  []string `json:"scopes_supported"`
	Methods []string `json:"token_endpoint_auth_methods_supported"`
}

// metadataOf returns the metadata; those of an unexpected type count as missing.
func metadataOf(provider *oidc.Provider) (m metadata) {
	if provider.Claims(&m) != nil {
		return metadata{}
	}
	if u, err := url.Parse(m.SignOut); err != nil || !isWeb(u) {
		m.SignOut = ""
	}
	return m
}

func isWeb(u *url.URL) bool { return (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" }
