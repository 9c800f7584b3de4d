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
	Brand        *Brand
	Audit        *Audit
	Zone         *Zone
	Service      *Service
	Connection   *Connection
}

// New returns the handlers.
func New(s *site.Site, provider *openid.Provider) *Handlers {
	signing := &signing{audit: s.Store.Audit, steps: s.Store.SecondSteps, signOn: s.Store.SignOn}
	member := &memberPage{limits: s.Store.Limits, members: s.Store.Members, pages: s.Pages, signing: signing, store: s.Store}
	members := &membersPage{invites: s.Store.Invites, limits: s.Store.Limits, members: s.Store.Members, pages: s.Pages}
	links := &newLinks{cookies: s.Cookies, invites: s.Store.Invites, letters: s.Letters, network: s.Network}
	resets := &resetLinks{cookies: s.Cookies, letters: s.Letters, network: s.Network}
	blocking := func(ctx context.Context) ([]schedule.Call, error) {
		return s.Store.Calls.BlockingCalls(ctx, s.Store.Now())
	}
	keys := &keyPages{accounts: s.Store.Accounts, blocking: blocking, keys: s.Store.Keys, pages: s.Pages, desk: s.Desk}
	spending := &spendingPage{
		asks:   &askList{audit: s.Store.Audit, limits: s.Store.Limits, members: s.Store.Members},
		days:   &dayPart{accounts: s.Store.Accounts, settings: s.Store.Settings, usage: s.Store.Usage},
		limits: s.Store.Limits, pages: s.Pages,
		service: &servicePart{desk: s.Desk, keys: keys, settings: s.Store.Settings, store: s.Store.Keys},
	}
	tests := &serviceTests{cookies: s.Cookies, desk: s.Desk, settings: s.Store.Settings, tries: s.Tries, vault: s.Vault}
	log := &Audit{accounts: s.Store.Accounts, audit: s.Store.Audit, pages: s.Pages, settings: s.Store.Settings}
	return &Handlers{
		Members: &Members{
			facts: &facts{desk: s.Desk, limits: s.Store.Limits, provider: provider, settings: s.Store.Settings, signOn: s.Store.SignOn},
			links: links, page: members,
		},
		Invites: &Invites{
			accounts: s.Store.Accounts, invites: s.Store.Invites, links: links, log: s.Log,
			page: &invitePage{limits: s.Store.Limits, mail: s.Mail, pages: s.Pages},
		},
		Member: &Member{links: resets, log: s.Log, members: s.Store.Members, page: member},
		MemberSignIn: &MemberSignIn{
			accounts: s.Store.Accounts, steps: s.Store.SecondSteps, log: s.Log, page: member, sessions: s.Store.Sessions,
		},
		MemberReset: &MemberReset{letters: s.Letters, links: resets, log: s.Log, members: s.Store.Members, page: member},
		Leaving:     &Leaving{accounts: s.Store.Accounts, log: s.Log, page: member, store: s.Store, vault: s.Vault},
		Limits:      &Limits{accounts: s.Store.Accounts, limits: s.Store.Limits, log: s.Log, page: spending},
		Zone:        &Zone{log: s.Log, page: spending, settings: s.Store.Settings},
		Service:     &Service{log: s.Log, page: spending, settings: s.Store.Settings},
		Connection: &Connection{
			desk: s.Desk, services: s.Store.Services, tests: tests, wake: s.Wake,
			page: &connectPage{catalog: s.Catalog, desk: s.Desk, pages: s.Pages, services: s.Store.Services, tests: tests, webhooks: s.Store.Webhooks},
		},
		SignOn: &SignOn{audit: log, log: s.Log, network: s.Network, provider: provider, signOn: s.Store.SignOn},
		Keys: &Keys{
			keys: s.Store.Keys, pages: keys, wake: s.Wake,
			tests: &keyTests{keyring: s.Keys, desk: s.Desk, vault: s.Vault},
		},
		KeyUse:   &KeyUse{keys: s.Store.Keys, pages: keys, wake: s.Wake},
		KeyCalls: &KeyCalls{calls: s.Store.Calls, log: s.Log, pages: s.Pages, wake: s.Wake},
		Brand: &Brand{
			cast: s.Store.Cast, intake: s.Intake,
			mails: &mailPart{canMail: s.Mail, mail: s.Store.Mail, mailFrom: s.MailFrom, now: s.Store.Now},
			pages: s.Pages, settings: s.Store.Settings,
		},
		Audit: log,
	}
}
