package form

import (
	"net/http"

	"dailies/db/ordering"
	images "dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
)

// Making is what the pages on which videos are ordered, and the programs that order them, share.
type Making struct {
	Press    *press.Press
	Fillings *Fillings
	Asks     site.Asks
	Drafts   *Drafts
	Fields   *PictureFields
	Latest   *Latest
	Origins  *Origins
	Pictures *images.Pictures
	Views    *FormViews
}

// New returns it. fetch downloads pictures that users link to, and must refuse private
// addresses. quota limits uploaded pictures; the zero value means the default.
func New(s *site.Site, cards *site.Cards, fetch *http.Client, quota ordering.Quota) *Making {
	pictures := images.New(s, fetch, quota)
	press := press.New(s, pictures)
	fields := &PictureFields{Network: s.Network, pictures: pictures, stored: s.Store.Pictures}
	asks := site.NewAsks(s.Store.Limits, s.Log)
	origins := &Origins{press: press, catalog: s.Catalog, notes: s.Store.Notes, takes: s.Store.Takes, tasks: s.Store.Tasks}
	return &Making{
		Press: press, Fillings: &Fillings{press: press, catalog: s.Catalog, recipes: s.Store.Recipes},
		Asks: asks, Fields: fields, Origins: origins,
		Pictures: pictures,
		Drafts:   &Drafts{keys: s.Keys, log: s.Log, settings: s.Store.Settings, typing: s.Typing},
		Latest:   &Latest{cards: cards, tasks: s.Store.Tasks, Watches: s.Watches},
		Views: &FormViews{
			cards: cards, catalog: s.Catalog, fields: fields, Origins: origins,
			prices: &formPrices{asks: asks, keys: s.Keys, limits: s.Store.Limits, prices: press.Prices, desk: s.Desk, versions: s.Store.Versions},
		},
	}
}
