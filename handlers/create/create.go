package create

import (
	"cmp"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/web/picture"
)

// Handlers holds the handlers of this package, one struct for each kind of page.
type Handlers struct {
	Press    *Press
	Forms    *Forms
	Pictures *Pictures
	Linked   *Linked
	Uploads  *Uploads
	Presets  *Presets
	Batches  *Batches
	Retries  *Retries
	Next     *Next
}

// New returns the handlers. fetch downloads pictures that users link to, and must
// refuse private addresses. quota limits uploaded pictures; the zero value means the
// default.
func New(s *site.Site, cards *site.Cards, fetch *http.Client, quota db.Quota) *Handlers {
	linked := newLinked(s, picture.NewChecker(fetch))
	prices, pictures := NewPrices(s), &Pictures{s, linked}
	press := &Press{Site: s, Prices: prices, Pictures: pictures}
	uploads := &Uploads{Site: s, pictures: pictures, quota: cmp.Or(quota, db.UsualQuota), thumbs: linked.thumbs, room: uploadRoom{byPerson: map[int64]db.Quota{}}}
	forms := &Forms{s, cards, press, prices, pictures, uploads}
	uploads.forms = forms
	presets := &Presets{s, forms, press, prices, pictures, uploads}
	return &Handlers{
		Press: press, Forms: forms, Pictures: pictures, Linked: linked, Uploads: uploads, Presets: presets,
		Batches: &Batches{s, presets, press, cards}, Retries: &Retries{s, press, forms}, Next: &Next{Site: s, uploads: uploads},
	}
}
