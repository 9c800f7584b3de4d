// Package account holds the handlers for accounts: making one, joining a team, signing
// in, settings, keys, limits and usage.
package account

import (
	"dailies/handlers/site"
	"dailies/web/openid"
	"dailies/web/videoapi"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Setup    *Setup
	SignIn   *SignIn
	Join     *Join
	Provider *Provider
	Second   *Second
	Codes    *Codes
	Passkeys *Passkeys
	Reset    *Reset
	Forgot   *Forgot
	Reauth   *Reauth
	Settings *Settings
	Key      *Key
	Webhook  *Webhook
	Sandbox  *Sandbox
	Usage    *Usage
	Limit    *Limit
	Keyboard *Keyboard
}

// New returns the handlers. The setup token opens the page that creates the first
// account; provider is nil if there is no OpenID Connect provider.
func New(s *site.Site, service *videoapi.Client, setupToken string, provider *openid.Provider) *Handlers {
	signIn, settings := &SignIn{s, provider}, &Settings{s, provider}
	return &Handlers{
		Setup: &Setup{s, signIn, setupToken}, SignIn: signIn, Join: &Join{s, signIn}, Reset: &Reset{s, signIn}, Provider: &Provider{s, signIn, provider}, Second: &Second{s, signIn}, Codes: &Codes{s}, Passkeys: &Passkeys{s, signIn}, Reauth: &Reauth{s},
		Settings: settings, Forgot: &Forgot{s}, Key: &Key{s, settings, service}, Webhook: &Webhook{s, settings}, Sandbox: &Sandbox{s, settings},
		Usage: &Usage{s}, Limit: &Limit{s}, Keyboard: &Keyboard{s},
	}
}
