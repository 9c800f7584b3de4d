package form

import (
	"cmp"
	"net/http"

	"dailies/db/ordering"
	images "dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	"dailies/web/picture"
)

// Making is what the pages on which videos are ordered, and the programs that order them, share.
type Making struct {
	Press    *press.Press
	Fillings *Fillings
	Incoming *images.Incoming
	Album    *images.Album
	Asks     site.Asks
	Casting  *press.Casting
	Drafts   *Drafts
	Fields   *PictureFields
	Latest   *Latest
	Origins  *Origins
	Pictures *images.Pictures
	Prices   press.Prices
	Receiver *images.Receiver
	Views    *FormViews
}

// New returns it. fetch downloads pictures that users link to, and must refuse private
// addresses. quota limits uploaded pictures; the zero value means the default.
func New(s *site.Site, cards *site.Cards, fetch *http.Client, quota ordering.Quota) *Making {
	checker := picture.NewChecker(fetch)
	checker.Checked = s.Copies.Drop // a picture that is checked anew may be another one by now
	quota = cmp.Or(quota, ordering.UsualQuota)
	prices := press.NewPrices(s)
	pricing := &press.Pricing{Limits: s.Store.Limits, Prices: prices}
	album := &images.Album{Quota: quota, Stored: s.Store.Pictures, Vault: s.Vault}
	casting := &press.Casting{Catalog: s.Catalog, Members: s.Store.Cast}
	pictures := &images.Pictures{
		Members:  s.Store.Cast,
		Uploaded: &images.Uploaded{Album: album, Media: s.Media, Network: s.Network, PublicURL: s.PublicURL, Stored: s.Store.Pictures},
		Checker:  checker, Desk: s.Desk,
	}
	press := &press.Press{
		Outcomes: &press.Outcomes{Log: s.Log, Tasks: s.Store.Tasks, Sends: s.Sends}, Accounts: s.Store.Accounts, Pricing: pricing,
		Inspection: &press.Inspection{Casting: casting, Catalog: s.Catalog, Keys: s.Keys, Pictures: pictures, Prices: prices},
		Placing:    &press.Placing{Catalog: s.Catalog, Desk: s.Desk, Free: s.Media.Free, Log: s.Log, Store: s.Store, Wake: s.Wake},
	}
	receiver := &images.Receiver{
		Album: album, Intake: s.Intake, Media: s.Media, Pictures: pictures,
		Room: &images.UploadRoom{Booked: images.Bookings{ByPerson: map[int64]ordering.Quota{}}, Quota: quota, Space: s.Space, Stored: s.Store.Pictures},
	}
	fields := &PictureFields{album: album, Network: s.Network, stored: s.Store.Pictures, uploaded: pictures.Uploaded}
	asks, origins := site.NewAsks(s.Store.Limits, s.Log), &Origins{Casting: casting, catalog: s.Catalog, notes: s.Store.Notes, takes: s.Store.Takes, tasks: s.Store.Tasks}
	return &Making{
		Press: press, Fillings: &Fillings{casting: casting, catalog: s.Catalog, prices: prices, recipes: s.Store.Recipes},
		Incoming: &images.Incoming{Pictures: pictures, Receiver: receiver},
		Album:    album, Asks: asks, Casting: casting, Fields: fields, Origins: origins,
		Pictures: pictures, Prices: prices, Receiver: receiver,
		Drafts: &Drafts{keys: s.Keys, log: s.Log, settings: s.Store.Settings, typing: s.Typing},
		Latest: &Latest{cards: cards, tasks: s.Store.Tasks, Watches: s.Watches},
		Views: &FormViews{
			cards: cards, catalog: s.Catalog, fields: fields, Origins: origins,
			prices: &formPrices{asks: asks, keys: s.Keys, pricing: pricing, versions: s.Store.Versions},
		},
	}
}
