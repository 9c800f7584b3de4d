// Package library holds the handlers for finished videos: watching, finding,
// organising, sharing and downloading them.
package library

import (
	"dailies/handlers/site"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Tasks       *Tasks
	Follow      *Follow
	Gallery     *Gallery
	Collections *Collections
	Compare     *Compare
	Stories     *Stories
	Bin         *Bin
	Downloads   *Downloads
	Media       *Media
	Links       *Links
	Shared      *Shared
	Posters     *Posters
	Organise    *Organise
}

// New returns the handlers.
func New(s *site.Site, cards *site.Cards) *Handlers {
	media := &Media{files: s.Store.Files, log: s.Log, media: s.Media, tasks: s.Store.Tasks}
	links := &Links{links: s.Store.Links, pages: s.Pages, shares: s.Shares, vault: s.Vault}
	stories := &Stories{
		lineage: s.Store.Lineage, log: s.Log, media: s.Media, named: s.Named, pages: s.Pages, cards: cards,
	}
	tasks := &Tasks{
		collections: s.Store.Collections, lineages: s.Store.Lineage, named: s.Named, network: s.Network,
		pages: s.Pages, search: s.Store.Search, settings: s.Store.Settings, tags: s.Store.Tags,
		tasks: s.Store.Tasks, wake: s.Wake, cards: cards, links: links, media: media, stories: stories,
	}
	return &Handlers{
		Tasks: tasks, Stories: stories, Bin: &Bin{bin: s.Store.Bin, pages: s.Pages, cards: cards}, Media: media,
		Links: links,
		Follow: &Follow{
			calls: s.Store.Calls, leases: s.Store.Leases, log: s.Log, named: s.Named, now: s.Store.Now,
			pages: s.Pages, tries: s.Tries, vault: s.Vault, wake: s.Wake, tasks: tasks, service: s.Service,
		},
		Gallery: &Gallery{
			accounts: s.Store.Accounts, catalog: s.Catalog, choices: s.Choices,
			collections: s.Store.Collections, cookies: s.Cookies, pages: s.Pages, search: s.Store.Search,
			settings: s.Store.Settings, tags: s.Store.Tags, tasks: s.Store.Tasks, zones: s.Zones, cards: cards,
		},
		Collections: &Collections{
			choices: s.Choices, collections: s.Store.Collections, cookies: s.Cookies, pages: s.Pages,
			search: s.Store.Search, typing: s.Typing, cards: cards, links: links,
		},
		Compare:   &Compare{pages: s.Pages, search: s.Store.Search, cards: cards},
		Downloads: &Downloads{log: s.Log, media: s.Media, named: s.Named, search: s.Store.Search},
		Shared: &Shared{
			collections: s.Store.Collections, links: s.Store.Links, mediaStore: s.Media, network: s.Network,
			shares: s.Shares, viewers: s.Viewers, media: media,
		},
		Posters: &Posters{
			files: s.Store.Files, intake: s.Intake, media: s.Media, named: s.Named, pages: s.Pages,
			space: s.Space, tasks: s.Store.Tasks,
		},
		Organise: &Organise{
			bin: s.Store.Bin, choices: s.Choices, pages: s.Pages, search: s.Store.Search, tags: s.Store.Tags,
			tasks: s.Store.Tasks,
		},
	}
}
