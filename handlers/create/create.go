package create

import (
	"dailies/handlers/site"
	"dailies/web/throttle"
)

// Handlers holds the handlers of the pages on which videos are ordered.
type Handlers struct {
	Press      *Press
	Forms      *Forms
	Orders     *Orders
	Drafts     *Drafts
	CastInForm *CastInForm
	ListInForm *ListInForm
	Latest     *Latest
	Pictures   *Pictures
	Linked     *Linked
	Uploads    *Uploads
	UploadList *UploadList
	Thumbnails *Thumbnails
	Retries    *Retries
	Next       *Next
	NextTakes  *NextTakes
}

// New returns the handlers.
func New(s *site.Site, m *Making) *Handlers {
	page := &formPage{fields: m.fields, latest: m.latest, pages: s.Pages, views: m.views}
	answers := &formAnswers{asks: m.asks, drafts: m.drafts, page: page, press: m.Press}
	return &Handlers{
		Press: m.Press, Drafts: m.drafts, Latest: m.latest, Pictures: m.pictures,
		CastInForm: &CastInForm{catalog: s.Catalog, drafts: m.drafts, origins: m.origins},
		ListInForm: &ListInForm{catalog: s.Catalog, page: page, views: m.views},
		Forms:      &Forms{catalog: s.Catalog, drafts: m.drafts, origins: m.origins, page: page, views: m.views},
		Orders:     &Orders{answers: answers, catalog: s.Catalog, origins: m.origins, page: page, press: m.Press},
		Linked: &Linked{
			copies: s.Copies, log: s.Log,
			fetcher: &linkedFetcher{checker: m.checker, media: s.Media, places: m.drawing, tries: throttle.New(1000)},
		},
		Uploads:    &Uploads{catalog: s.Catalog, drafts: m.drafts, page: page, receiver: m.receiver},
		UploadList: &UploadList{album: m.album, pages: s.Pages, stored: s.Store.Pictures},
		Thumbnails: &Thumbnails{media: s.Media, places: m.drawing, stored: s.Store.Pictures},
		Retries:    &Retries{answers: answers, catalog: s.Catalog, named: s.Named, press: m.Press, prices: m.prices},
		Next:       &Next{named: s.Named, network: s.Network, pages: s.Pages, receiver: m.receiver},
		NextTakes:  &NextTakes{catalog: s.Catalog, named: s.Named, origins: m.origins, page: page, receiver: m.receiver},
	}
}
