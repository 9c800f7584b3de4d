package create

import (
	"cmp"
	"net/http"

	"dailies/db/ordering"
	"dailies/handlers/site"
	"dailies/web/picture"
	"dailies/web/turn"
)

// Making is what the pages on which videos are ordered, and the programs that order them, share.
type Making struct {
	Press    *Press
	Fillings *Fillings
	Incoming *Incoming
	album    *album
	asks     site.Asks
	casting  *casting
	checker  *picture.Checker
	drafts   *Drafts
	drawing  *turn.Semaphore
	fields   *pictureFields
	latest   *Latest
	origins  *origins
	pictures *Pictures
	prices   Prices
	receiver *receiver
	views    *formViews
}

// NewMaking returns it. fetch downloads pictures that users link to, and must refuse private
// addresses. quota limits uploaded pictures; the zero value means the default.
func NewMaking(s *site.Site, cards *site.Cards, fetch *http.Client, quota ordering.Quota) *Making {
	checker, drawing := picture.NewChecker(fetch), turn.New(1)
	checker.Checked = s.Copies.Drop // a picture that is checked anew may be another one by now
	quota = cmp.Or(quota, ordering.UsualQuota)
	prices := NewPrices(s)
	pricing := &pricing{limits: s.Store.Limits, prices: prices}
	album := &album{quota: quota, stored: s.Store.Pictures, vault: s.Vault}
	casting := &casting{catalog: s.Catalog, members: s.Store.Cast}
	pictures := &Pictures{
		members:  s.Store.Cast,
		Uploaded: &Uploaded{album: album, media: s.Media, network: s.Network, publicURL: s.PublicURL, stored: s.Store.Pictures},
		checker:  checker, desk: s.Desk,
	}
	press := &Press{
		outcomes: &outcomes{log: s.Log, tasks: s.Store.Tasks, sends: s.Sends}, accounts: s.Store.Accounts, pricing: pricing,
		inspection: &inspection{casting: casting, catalog: s.Catalog, keys: s.Keys, pictures: pictures, prices: prices},
		placing:    &placing{catalog: s.Catalog, desk: s.Desk, free: s.Media.Free, log: s.Log, store: s.Store, wake: s.Wake},
	}
	receiver := &receiver{
		album: album, intake: s.Intake, media: s.Media, pictures: pictures,
		room: &uploadRoom{booked: bookings{byPerson: map[int64]ordering.Quota{}}, quota: quota, space: s.Space, stored: s.Store.Pictures},
	}
	fields := &pictureFields{album: album, network: s.Network, stored: s.Store.Pictures, uploaded: pictures.Uploaded}
	asks, origins := site.NewAsks(s.Store.Limits, s.Log), &origins{casting: casting, catalog: s.Catalog, notes: s.Store.Notes, takes: s.Store.Takes, tasks: s.Store.Tasks}
	return &Making{
		Press: press, Fillings: &Fillings{casting: casting, catalog: s.Catalog, prices: prices, recipes: s.Store.Recipes},
		Incoming: &Incoming{pictures: pictures, receiver: receiver},
		album:    album, asks: asks, casting: casting, checker: checker, drawing: drawing, fields: fields, origins: origins,
		pictures: pictures, prices: prices, receiver: receiver,
		drafts: &Drafts{keys: s.Keys, log: s.Log, settings: s.Store.Settings, typing: s.Typing},
		latest: &Latest{cards: cards, named: s.Named, tasks: s.Store.Tasks, watches: s.Watches},
		views: &formViews{
			cards: cards, catalog: s.Catalog, fields: fields, origins: origins,
			prices: &formPrices{asks: asks, keys: s.Keys, pricing: pricing, versions: s.Store.Versions},
		},
	}
}
