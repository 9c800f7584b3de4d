// Package create serves the pages on which videos are ordered.
package create

import (
	"dailies/handlers/form"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	"dailies/web/throttle"
)

// Handlers holds the handlers of the pages on which videos are ordered.
type Handlers struct {
	Press      *press.Press
	Forms      *Forms
	Orders     *Orders
	Drafts     *form.Drafts
	CastInForm *CastInForm
	ListInForm *ListInForm
	Latest     *form.Latest
	Pictures   *picture.Pictures
	Linked     *Linked
	Uploads    *Uploads
	UploadList *UploadList
	Thumbnails *Thumbnails
	Retries    *Retries
	Next       *Next
	NextTakes  *NextTakes
}

// New returns the handlers.
func New(s *site.Site, m *form.Making) *Handlers {
	page := &formPage{fields: m.Fields, latest: m.Latest, pages: s.Pages, views: m.Views}
	answers := &formAnswers{asks: m.Asks, drafts: m.Drafts, page: page, press: m.Press}
	return &Handlers{
		Press: m.Press, Drafts: m.Drafts, Latest: m.Latest, Pictures: m.Pictures,
		CastInForm: &CastInForm{catalog: s.Catalog, drafts: m.Drafts, origins: m.Origins},
		ListInForm: &ListInForm{catalog: s.Catalog, page: page, views: m.Views},
		Forms:      &Forms{catalog: s.Catalog, drafts: m.Drafts, origins: m.Origins, page: page, views: m.Views},
		Orders:     &Orders{answers: answers, catalog: s.Catalog, origins: m.Origins, page: page, press: m.Press},
		Linked: &Linked{
			copies: s.Copies, log: s.Log,
			fetcher: &linkedFetcher{checker: m.Checker, media: s.Media, places: m.Drawing, tries: throttle.New(1000)},
		},
		Uploads:    &Uploads{catalog: s.Catalog, drafts: m.Drafts, page: page, receiver: m.Receiver},
		UploadList: &UploadList{album: m.Album, pages: s.Pages, stored: s.Store.Pictures},
		Thumbnails: &Thumbnails{media: s.Media, places: m.Drawing, stored: s.Store.Pictures},
		Retries:    &Retries{answers: answers, catalog: s.Catalog, named: s.Named, press: m.Press, prices: m.Prices},
		Next:       &Next{named: s.Named, network: s.Network, pages: s.Pages, receiver: m.Receiver},
		NextTakes:  &NextTakes{catalog: s.Catalog, named: s.Named, origins: m.Origins, page: page, receiver: m.Receiver},
	}
}
