// Package account serves people’s own settings, with their keys and limits.
package account

import (
	"dailies/handlers/site"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Settings    *Settings
	Profile     *Profile
	Password    *Password
	OwnSessions *OwnSessions
	Theme       *Theme
	Mails       *Mails
	Key         *Key
	Sandbox     *Sandbox

	Limit        *Limit
	Keyboard     *Keyboard
	Announcement *Announcement
}

// New returns the handlers. The parts fill in what the settings show of other pages.
func New(s *site.Site, hooks, signing SettingsPart) *Handlers {
	settings := &Settings{pages: s.Pages, programs: s.Store.Programs, sessions: s.Store.Sessions}
	h := &Handlers{
		Keyboard: &Keyboard{pages: s.Pages}, Announcement: &Announcement{settings: s.Store.Settings},
		Limit:    &Limit{limits: s.Store.Limits, log: s.Log, pages: s.Pages, settings: settings},
		Settings: settings,
		Profile:  &Profile{accounts: s.Store.Accounts, settings: settings},
		Password: &Password{
			hashing: s.Hashing, reauth: s.Reauth, entry: s.Entry, journal: s.Journal, settings: settings, entrance: site.NewEntrance(s),
		},
		OwnSessions: &OwnSessions{sessions: s.Store.Sessions, settings: settings},
		Theme:       &Theme{cookies: s.Cookies, settings: settings},
		Mails:       &Mails{canMail: s.Mail, mail: s.Store.Mail, settings: settings},
		Key:         &Key{keyring: s.Keys, keys: s.Store.Keys, settings: settings, tries: s.Tries, wake: s.Wake},
		Sandbox:     &Sandbox{keys: site.NewSandboxKeys(s), log: s.Log, settings: settings, wake: s.Wake},
	}
	settings.parts = []SettingsPart{
		&keyPart{keyring: s.Keys, keys: s.Store.Keys, log: s.Log, desk: s.Desk}, hooks,
		&linkPart{links: s.Store.Links, shares: s.Shares}, &storagePart{pictures: s.Store.Pictures, space: s.Space},
		&limitPart{limits: s.Store.Limits}, h.Mails, signing,
	}
	return h
}
