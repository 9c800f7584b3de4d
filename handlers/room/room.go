// Package room holds the handlers for everything that people without an account see: the
// page behind a link, and what belongs to it. Guard decides what the guests of a link may.
package room

import (
	"dailies/handlers/site"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Guard *Guard
	Page  *Page
	Entry *Entry
	Files *Files
	Brand *Brand
	Notes *Notes
	Mails *Mails
}

// New returns the handlers.
func New(s *site.Site) *Handlers {
	house := &house{settings: s.Store.Settings}
	guard := &Guard{guests: &guests{cookies: s.Cookies, vault: s.Vault}, house: house, links: s.Store.Links, open: s.Guard.Open}
	page := &Page{
		guard: guard, previews: &previews{media: s.Media, network: s.Network, shares: s.Shares},
		scenes: &scenes{lineage: s.Store.Lineage, log: s.Log, media: s.Media},
		shown:  &shown{collections: s.Store.Collections, links: s.Store.Links, takes: s.Store.Takes},
		talks: &talks{canMail: s.Mail, cookies: s.Cookies, guests: s.Store.Guests, notes: s.Store.Notes,
			vault: s.Vault, viewers: s.Viewers},
	}
	return &Handlers{
		Guard: guard, Page: page, Notes: &Notes{films: s.Films, links: s.Store.Links, page: page, tries: s.Tries},
		Entry: &Entry{guard: guard, hashing: s.Hashing, tries: s.Tries},
		Files: &Files{links: s.Store.Links, stored: s.Stored},
		Mails: &Mails{guard: guard, guests: s.Store.Guests, talks: page.talks, vault: s.Vault},
		Brand: &Brand{settings: s.Store.Settings},
	}
}
