// Package team holds the handlers with which admins manage the team: its members and
// its settings.
package team

import (
	"context"

	"dailies/db/schedule"
	"dailies/handlers/site"
	"dailies/web/openid"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Members      *Members
	Invites      *Invites
	Member       *Member
	MemberSignIn *MemberSignIn
	MemberReset  *MemberReset
	Leaving      *Leaving
	Limits       *Limits
	SignOn       *SignOn
	Keys         *Keys
	KeyUse       *KeyUse
	KeyCalls     *KeyCalls
	Announcement *Announcement
	Audit        *Audit
	Mail         *Mail
}

// New returns the handlers.
func New(s *site.Site, provider *openid.Provider) *Handlers {
	signing := &signing{audit: s.Store.Audit, steps: s.Store.SecondSteps, signOn: s.Store.SignOn}
	member := &memberPage{limits: s.Store.Limits, members: s.Store.Members, pages: s.Pages, signing: signing, store: s.Store}
	members := &membersPage{invites: s.Store.Invites, limits: s.Store.Limits, members: s.Store.Members, pages: s.Pages, settings: s.Store.Settings}
	links := &newLinks{cookies: s.Cookies, invites: s.Store.Invites, letters: s.Letters, network: s.Network}
	resets := &resetLinks{cookies: s.Cookies, letters: s.Letters, network: s.Network}
	blocking := func(ctx context.Context) ([]schedule.Call, error) {
		return s.Store.Calls.BlockingCalls(ctx, s.Store.Now())
	}
	keys := &keyPages{accounts: s.Store.Accounts, blocking: blocking, keys: s.Store.Keys, pages: s.Pages, sandbox: s.Sandbox}
	return &Handlers{
		Members: &Members{links: links, log: s.Log, page: members, settings: s.Store.Settings},
		Invites: &Invites{
			accounts: s.Store.Accounts, invites: s.Store.Invites, links: links, log: s.Log,
			page: &invitePage{limits: s.Store.Limits, pages: s.Pages},
		},
		Member: &Member{links: resets, log: s.Log, members: s.Store.Members, page: member},
		MemberSignIn: &MemberSignIn{
			accounts: s.Store.Accounts, steps: s.Store.SecondSteps, log: s.Log, page: member, sessions: s.Store.Sessions,
		},
		MemberReset: &MemberReset{letters: s.Letters, links: resets, log: s.Log, members: s.Store.Members, page: member},
		Leaving:     &Leaving{accounts: s.Store.Accounts, log: s.Log, page: member, store: s.Store, vault: s.Vault},
		Limits: &Limits{
			accounts: s.Store.Accounts, audit: s.Store.Audit, limits: s.Store.Limits, log: s.Log, pages: s.Pages,
		},
		SignOn: &SignOn{log: s.Log, network: s.Network, pages: s.Pages, provider: provider, signOn: s.Store.SignOn},
		Keys: &Keys{
			keys: s.Store.Keys, pages: keys, wake: s.Wake,
			tests: &keyTests{keyring: s.Keys, sandbox: s.Sandbox, vault: s.Vault},
		},
		KeyUse:       &KeyUse{keys: s.Store.Keys, pages: keys, wake: s.Wake},
		KeyCalls:     &KeyCalls{calls: s.Store.Calls, log: s.Log, pages: s.Pages, wake: s.Wake},
		Announcement: &Announcement{pages: s.Pages, settings: s.Store.Settings},
		Audit:        &Audit{accounts: s.Store.Accounts, audit: s.Store.Audit, pages: s.Pages, settings: s.Store.Settings},
		Mail:         &Mail{canMail: s.Mail, mail: s.Store.Mail, mailFrom: s.MailFrom, now: s.Store.Now, pages: s.Pages},
	}
}
