// Package library holds the handlers for finished videos: watching, finding,
// organising, sharing and downloading them.
package library

import (
	"dailies/handlers/site"
	"dailies/web/videoapi"
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
func New(s *site.Site, cards *site.Cards, service *videoapi.Client) *Handlers {
	media, links, stories := &Media{s}, &Links{s}, &Stories{s, cards}
	tasks := &Tasks{s, cards, links, media, stories}
	return &Handlers{
		Tasks: tasks, Follow: &Follow{site: s, tasks: tasks, service: service}, Stories: stories,
		Gallery: &Gallery{s, cards}, Collections: &Collections{s, cards, links}, Compare: &Compare{s, cards}, Bin: &Bin{s, cards},
		Downloads: &Downloads{s}, Media: media, Links: links, Shared: &Shared{s, media},
		Posters: &Posters{site: s}, Organise: &Organise{s},
	}
}
