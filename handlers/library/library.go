// Package library holds the handlers for finished videos: watching, finding,
// organising, sharing and downloading them.
package library

import (
	"dailies/handlers/site"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Tasks         *Tasks
	Follow        *Follow
	Gallery       *Gallery
	GalleryCounts *GalleryCounts
	GalleryTile   *GalleryTile
	Collections   *Collections
	Compare       *Compare
	Stories       *Stories
	Bin           *Bin
	Downloads     *Downloads
	Media         *Media
	Links         *Links
	Shared        *Shared
	Posters       *Posters
	Organise      *Organise
}

// New returns the handlers.
func New(s *site.Site, cards *site.Cards) *Handlers {
	media := &Media{files: s.Store.Files, log: s.Log, media: s.Media, tasks: s.Store.Tasks}
	links := &Links{links: s.Store.Links, pages: s.Pages, shares: s.Shares, vault: s.Vault}
	stories := &Stories{
		lineage: s.Store.Lineage, log: s.Log, media: s.Media, named: s.Named, pages: s.Pages, cards: cards,
	}
	page := &taskPage{
		finder: &taskFinder{cards: cards, named: s.Named, network: s.Network, stories: stories},
		pages:  s.Pages, search: s.Store.Search, settings: s.Store.Settings,
		panel: &taskPanel{
			family: &family{cards: cards, lineage: s.Store.Lineage}, named: s.Named,
			places: &places{collections: s.Store.Collections, links: links}, tags: s.Store.Tags, tasks: s.Store.Tasks,
		},
	}
	menus := &galleryMenus{
		accounts: s.Store.Accounts, catalog: s.Catalog, collections: s.Store.Collections, search: s.Store.Search, tags: s.Store.Tags,
	}
	return &Handlers{
		Tasks:   &Tasks{links: links, media: media, page: page, tasks: s.Store.Tasks, wake: s.Wake},
		Stories: stories, Bin: &Bin{bin: s.Store.Bin, pages: s.Pages, cards: cards}, Media: media,
		Links: links,
		Follow: &Follow{
			page: page, wake: s.Wake,
			at: &serviceVideos{
				calls: s.Store.Calls, jobs: &jobs{leases: s.Store.Leases, now: s.Store.Now, tries: s.Tries},
				keys: &taskKeys{calls: s.Store.Calls, vault: s.Vault}, log: s.Log, service: s.Service,
			},
		},
		Gallery: &Gallery{
			choices: s.Choices, cookies: s.Cookies, menus: menus, pages: s.Pages,
			list: &galleryList{
				cards: cards, collections: s.Store.Collections, search: s.Store.Search, settings: s.Store.Settings, zones: s.Zones,
			},
		},
		GalleryCounts: &GalleryCounts{menus: menus, search: s.Store.Search, settings: s.Store.Settings},
		GalleryTile:   &GalleryTile{cards: cards, settings: s.Store.Settings, tasks: s.Store.Tasks},
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
