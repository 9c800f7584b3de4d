// Package library holds the handlers for finished videos: watching, finding,
// organising, sharing and downloading them.
package library

import (
	"dailies/handlers/site"
)

// Handlers holds the handlers of this package.
type Handlers struct {
	Tasks          *Tasks
	Dropping       *Dropping
	Follow         *Follow
	Gallery        *Gallery
	Cast           *Cast
	GalleryCounts  *GalleryCounts
	GalleryTile    *GalleryTile
	Collections    *Collections
	Collection     *Collection
	Collected      *Collected
	Compare        *Compare
	Stories        *Stories
	StoryDownloads *StoryDownloads
	Bin            *Bin
	Deletion       *Deletion
	Downloads      *Downloads
	Media          *Media
	Links          *Links
	Visitors       *Visitors
	Posters        *Posters
	Organise       *Organise
	Go             *Go
	Stacks         *Stacks
	Notes          *Notes
	Note           *Note
	NoteList       *NoteList
	NoteFiles      *NoteFiles
}

// New returns the handlers.
func New(s *site.Site, cards *site.Cards) *Handlers {
	links := &Links{hashing: s.Hashing, links: s.Store.Links, pages: s.Pages, shares: s.Shares, vault: s.Vault}
	scenes := &sceneFinder{lineage: s.Store.Lineage, named: s.Named}
	reels := &reels{log: s.Log, media: s.Media, scenes: scenes, settings: s.Store.Settings}
	talks := &talks{accounts: s.Store.Accounts, guests: s.Store.Guests, notes: s.Store.Notes, takes: s.Store.Takes}
	page := &taskPage{
		finder: &taskFinder{cards: cards, named: s.Named, network: s.Network, scenes: scenes},
		pages:  s.Pages, search: s.Store.Search, settings: s.Store.Settings,
		panel: &taskPanel{
			family: &family{cards: cards, lineage: s.Store.Lineage, links: s.Store.Links}, named: s.Named,
			places: &places{collections: s.Store.Collections, links: links, tags: s.Store.Tags}, talks: talks, tasks: s.Store.Tasks,
		},
	}
	stacked := &stackedCards{cards: cards, takes: s.Store.Takes}
	menus := &galleryMenus{
		accounts: s.Store.Accounts, catalog: s.Catalog, filed: &filed{cast: s.Store.Cast, collections: s.Store.Collections, tags: s.Store.Tags}, search: s.Store.Search,
	}
	list := &galleryList{
		cards: stacked, collections: s.Store.Collections, search: s.Store.Search, settings: s.Store.Settings, zones: s.Zones,
	}
	return &Handlers{
		Tasks: &Tasks{links: links, page: page, stored: s.Stored, tasks: s.Store.Tasks, wake: s.Wake},
		Media: &Media{files: s.Store.Files, stored: s.Stored}, Links: links, Visitors: &Visitors{guests: s.Store.Guests, links: links},
		Stories:        &Stories{cards: cards, lineage: s.Store.Lineage, links: links, pages: s.Pages, reels: reels},
		StoryDownloads: &StoryDownloads{log: s.Log, media: s.Media, reels: reels, scenes: scenes},
		Bin:            &Bin{bin: s.Store.Bin, cards: cards, pages: s.Pages},
		Deletion:       &Deletion{bin: s.Store.Bin, flashes: s.Flashes, pages: s.Pages, search: s.Store.Search, tasks: s.Store.Tasks},
		Dropping:       &Dropping{desk: s.Desk, named: s.Named, pages: s.Pages, tasks: s.Store.Tasks},
		Follow: &Follow{
			page: page, wake: s.Wake,
			at: &serviceVideos{
				calls: s.Store.Calls, jobs: &jobs{leases: s.Store.Leases, now: s.Store.Now, tries: s.Tries},
				keys: &taskKeys{calls: s.Store.Calls, vault: s.Vault}, log: s.Log, desk: s.Desk,
			},
		},
		Gallery:       &Gallery{cookies: s.Cookies, flashes: s.Flashes, list: list, menus: menus, pages: s.Pages},
		Cast:          &Cast{cast: s.Store.Cast, flashes: s.Flashes, list: list, pages: s.Pages},
		GalleryCounts: &GalleryCounts{menus: menus, search: s.Store.Search, settings: s.Store.Settings},
		GalleryTile:   &GalleryTile{cards: stacked, search: s.Store.Search, settings: s.Store.Settings, tasks: s.Store.Tasks, zones: s.Zones},
		Collections:   &Collections{collections: s.Store.Collections, flashes: s.Flashes, pages: s.Pages},
		Collection: &Collection{
			collections: s.Store.Collections, links: links, pages: s.Pages, typing: s.Typing,
			reader: &collectionReader{cards: cards, collections: s.Store.Collections, search: s.Store.Search},
		},
		Collected: &Collected{collections: s.Store.Collections, pages: s.Pages, search: s.Store.Search},
		Compare:   &Compare{cards: cards, pages: s.Pages, search: s.Store.Search},
		Downloads: &Downloads{log: s.Log, media: s.Media, named: s.Named, search: s.Store.Search},
		Posters: &Posters{
			covers: &covers{files: s.Store.Files, media: s.Media, space: s.Space, tasks: s.Store.Tasks},
			files:  s.Store.Files, intake: s.Intake, named: s.Named, pages: s.Pages,
		},
		Go: &Go{
			cards: cards, pages: s.Pages,
			index: &index{
				accounts: s.Store.Accounts, recipes: s.Store.Recipes, search: s.Store.Search,
				filed: &filed{cast: s.Store.Cast, collections: s.Store.Collections, tags: s.Store.Tags},
			},
		},
		Stacks:    &Stacks{page: page, takes: s.Store.Takes},
		Notes:     &Notes{films: s.Films, notes: s.Store.Notes, page: page, talks: talks},
		Note:      &Note{notes: s.Store.Notes, page: page, talks: talks},
		NoteList:  &NoteList{cards: cards, guests: s.Store.Guests, notes: s.Store.Notes, pages: s.Pages, search: s.Store.Search},
		NoteFiles: &NoteFiles{films: s.Films, named: s.Named, notes: s.Store.Notes},
		Organise:  &Organise{pages: s.Pages, search: s.Store.Search, tags: s.Store.Tags, tasks: s.Store.Tasks},
	}
}
