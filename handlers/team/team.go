// Package team holds the handlers with which admins manage the team: its members and
// its settings.
package team

import (
	"dailies/handlers/site"
	"dailies/web/openid"
	"dailies/web/videoapi"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Members *Members
	Member  *Member
	Leaving *Leaving
	Invites *Invites
	Limits  *Limits
	SignOn  *SignOn
	Keys    *Keys

	Announcement *Announcement
	Audit        *Audit
	Mail         *Mail
}

// New returns the handlers.
func New(s *site.Site, service *videoapi.Client, provider *openid.Provider) *Handlers {
	member := &Member{
		accounts: s.Store.Accounts, audit: s.Store.Audit, canMail: s.Mail, cookies: s.Cookies,
		factors: s.Store.Factors, letters: s.Letters, limits: s.Store.Limits, log: s.Log,
		members: s.Store.Members, network: s.Network, pages: s.Pages, sessions: s.Store.Sessions,
		signOn: s.Store.SignOn, store: s.Store,
	}
	return &Handlers{
		Member: member, Announcement: &Announcement{pages: s.Pages, settings: s.Store.Settings},
		Members: &Members{
			canMail: s.Mail, cookies: s.Cookies, invites: s.Store.Invites, limits: s.Store.Limits, log: s.Log,
			members: s.Store.Members, network: s.Network, pages: s.Pages, settings: s.Store.Settings,
		},
		Leaving: &Leaving{
			accounts: s.Store.Accounts, log: s.Log, pages: s.Pages, store: s.Store, vault: s.Vault,
			member: member,
		},
		Invites: &Invites{
			accounts: s.Store.Accounts, canMail: s.Mail, cookies: s.Cookies, invites: s.Store.Invites,
			letters: s.Letters, limits: s.Store.Limits, log: s.Log, pages: s.Pages,
		},
		Limits: &Limits{
			accounts: s.Store.Accounts, limits: s.Store.Limits, log: s.Log, pages: s.Pages, audit: s.Store.Audit,
		},
		SignOn: &SignOn{
			log: s.Log, network: s.Network, pages: s.Pages, signOn: s.Store.SignOn, provider: provider,
		},
		Keys: &Keys{
			accounts: s.Store.Accounts, calls: s.Store.Calls, keyring: s.Keys, keysStore: s.Store.Keys,
			log: s.Log, now: s.Store.Now, pages: s.Pages, sandbox: s.Sandbox, vault: s.Vault, wake: s.Wake,
			service: service,
		},
		Audit: &Audit{
			accounts: s.Store.Accounts, audit: s.Store.Audit, pages: s.Pages, settings: s.Store.Settings,
		},
		Mail: &Mail{
			canMail: s.Mail, mail: s.Store.Mail, mailFrom: s.MailFrom, now: s.Store.Now, pages: s.Pages,
		},
	}
}
