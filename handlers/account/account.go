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
	signIn := &SignIn{
		accounts: s.Store.Accounts, audit: s.Store.Audit, canMail: s.Mail, cookies: s.Cookies,
		factors: s.Store.Factors, hashing: s.Hashing, keyring: s.Keys, keys: s.Store.Keys, log: s.Log,
		network: s.Network, pages: s.Pages, countRefused: s.Refused, sandbox: s.Sandbox,
		sessions: s.Store.Sessions, signOn: s.Store.SignOn, tries: s.Tries, vault: s.Vault, viewers: s.Viewers,
		provider: provider,
	}
	settings := &Settings{
		accounts: s.Store.Accounts, canMail: s.Mail, cookies: s.Cookies, factors: s.Store.Factors,
		guard: s.Guard, hashing: s.Hashing, keyring: s.Keys, keys: s.Store.Keys, links: s.Store.Links,
		log: s.Log, mail: s.Store.Mail, network: s.Network, pages: s.Pages, pictures: s.Store.Pictures,
		sandbox: s.Sandbox, sessions: s.Store.Sessions, shares: s.Shares, signOn: s.Store.SignOn,
		space: s.Space, tries: s.Tries, webhooks: s.Store.Webhooks, provider: provider,
	}
	return &Handlers{
		SignIn: signIn, Reauth: &Reauth{hashing: s.Hashing, pages: s.Pages, tries: s.Tries}, Settings: settings,
		Limit: &Limit{limits: s.Store.Limits, log: s.Log, pages: s.Pages}, Keyboard: &Keyboard{pages: s.Pages},
		Setup: &Setup{
			accounts: s.Store.Accounts, guard: s.Guard, hashing: s.Hashing, log: s.Log, network: s.Network,
			pages: s.Pages, tries: s.Tries, signIn: signIn, token: setupToken,
		},
		Join: &Join{
			hashing: s.Hashing, invites: s.Store.Invites, log: s.Log, network: s.Network, pages: s.Pages,
			tries: s.Tries, signIn: signIn,
		},
		Reset: &Reset{
			cookies: s.Cookies, factors: s.Store.Factors, hashing: s.Hashing, log: s.Log, network: s.Network,
			pages: s.Pages, sessions: s.Store.Sessions, signOn: s.Store.SignOn, tries: s.Tries, signIn: signIn,
		},
		Provider: &Provider{
			audit: s.Store.Audit, cookies: s.Cookies, logger: s.Log, network: s.Network, now: s.Store.Now,
			pages: s.Pages, countRefused: s.Refused, sandbox: s.Sandbox, sessionMax: s.SessionMax,
			signOn: s.Store.SignOn, tries: s.Tries, vault: s.Vault, viewers: s.Viewers, signIn: signIn,
			openid: provider,
		},
		Second: &Second{
			cookies: s.Cookies, factors: s.Store.Factors, log: s.Log, network: s.Network, now: s.Store.Now,
			pages: s.Pages, refused: s.Refused, tries: s.Tries, vault: s.Vault, signIn: signIn,
		},
		Codes: &Codes{
			cookies: s.Cookies, factors: s.Store.Factors, guard: s.Guard, log: s.Log, network: s.Network,
			now: s.Store.Now, pages: s.Pages, tries: s.Tries, vault: s.Vault,
		},
		Passkeys: &Passkeys{
			cookies: s.Cookies, factors: s.Store.Factors, guard: s.Guard, log: s.Log, network: s.Network,
			pages: s.Pages, refused: s.Refused, signOn: s.Store.SignOn, tries: s.Tries, signIn: signIn,
		},
		Forgot: &Forgot{
			canMail: s.Mail, letters: s.Letters, mail: s.Store.Mail, network: s.Network, pages: s.Pages,
			signOn: s.Store.SignOn, tries: s.Tries,
		},
		Key: &Key{
			keyring: s.Keys, keys: s.Store.Keys, tries: s.Tries, wake: s.Wake, settings: settings,
			service: service,
		},
		Webhook: &Webhook{
			cookies: s.Cookies, network: s.Network, tries: s.Tries, vault: s.Vault, webhooks: s.Store.Webhooks,
			settings: settings,
		},
		Sandbox: &Sandbox{
			keyring: s.Keys, keys: s.Store.Keys, log: s.Log, sandbox: s.Sandbox, wake: s.Wake,
			settings: settings,
		},
		Usage: &Usage{
			accounts: s.Store.Accounts, audit: s.Store.Audit, catalog: s.Catalog, keys: s.Store.Keys,
			log: s.Log, pages: s.Pages, search: s.Store.Search, settings: s.Store.Settings,
			usage: s.Store.Usage,
		},
	}
}
