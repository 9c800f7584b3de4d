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
	Casting  *press.Casting
	Drafts   *Drafts
	Fields   *PictureFields
	Latest   *Latest
	Origins  *Origins
	Pictures *images.Pictures
	Prices   press.Prices
	Views    *FormViews
}

// New returns it. fetch downloads pictures that users link to, and must refuse private
// addresses. quota limits uploaded pictures; the zero value means the default.
func New(s *site.Site, cards *site.Cards, fetch *http.Client, quota ordering.Quota) *Making {
	prices := press.NewPrices(s)
	pricing := &press.Pricing{Limits: s.Store.Limits, Prices: prices}
	casting := &press.Casting{Catalog: s.Catalog, Members: s.Store.Cast}
	pictures := images.New(s, fetch, quota)
	press := &press.Press{
		Outcomes: &press.Outcomes{Log: s.Log, Tasks: s.Store.Tasks, Sends: s.Sends}, Accounts: s.Store.Accounts, Pricing: pricing,
		Inspection: &press.Inspection{Casting: casting, Catalog: s.Catalog, Keys: s.Keys, Pictures: pictures, Prices: prices},
		Placing:    &press.Placing{Catalog: s.Catalog, Desk: s.Desk, Free: s.Media.Free, Log: s.Log, Store: s.Store, Wake: s.Wake},
	}
	fields := &PictureFields{Network: s.Network, pictures: pictures, stored: s.Store.Pictures}
	asks, origins := site.NewAsks(s.Store.Limits, s.Log), &Origins{Casting: casting, catalog: s.Catalog, notes: s.Store.Notes, takes: s.Store.Takes, tasks: s.Store.Tasks}
	return &Making{
		Press: press, Fillings: &Fillings{casting: casting, catalog: s.Catalog, prices: prices, recipes: s.Store.Recipes},
		Asks: asks, Casting: casting, Fields: fields, Origins: origins,
		Pictures: pictures, Prices: prices,
		Drafts: &Drafts{keys: s.Keys, log: s.Log, settings: s.Store.Settings, typing: s.Typing},
		Latest: &Latest{cards: cards, tasks: s.Store.Tasks, Watches: s.Watches},
		Views: &FormViews{
			cards: cards, catalog: s.Catalog, fields: fields, Origins: origins,
			prices: &formPrices{asks: asks, keys: s.Keys, pricing: pricing, versions: s.Store.Versions},
		},
	}
}
