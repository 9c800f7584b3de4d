package create

import (
	"cmp"
	"net/http"

	"dailies/db/ordering"
	"dailies/handlers/site"
	"dailies/web/picture"
	"dailies/web/throttle"
	"dailies/web/turn"
)

// Handlers holds the handlers of this package, one struct for each kind of page.
type Handlers struct {
	Press        *Press
	Forms        *Forms
	Orders       *Orders
	Drafts       *Drafts
	CastInForm   *CastInForm
	ListInForm   *ListInForm
	Latest       *Latest
	Pictures     *Pictures
	Linked       *Linked
	Incoming     *Incoming
	Uploads      *Uploads
	UploadList   *UploadList
	Thumbnails   *Thumbnails
	Cast         *Cast
	CastEditor   *CastEditor
	Recipes      *Recipes
	RecipeEditor *RecipeEditor
	RecipeSaving *RecipeSaving
	RecipeUse    *RecipeUse
	Batches      *Batches
	BatchForm    *BatchForm
	Retries      *Retries
	Next         *Next
	NextTakes    *NextTakes
}

// New returns the handlers. fetch downloads pictures that users link to, and must
// refuse private addresses. quota limits uploaded pictures; the zero value means the
// default.
func New(s *site.Site, cards *site.Cards, fetch *http.Client, quota ordering.Quota) *Handlers {
	checker, drawing := picture.NewChecker(fetch), turn.New(1)
	checker.Checked = s.Copies.Drop // a picture that is checked anew may be another one by now
	quota = cmp.Or(quota, ordering.UsualQuota)
	prices := NewPrices(s)
	pricing := &pricing{limits: s.Store.Limits, prices: prices}
	album := &album{quota: quota, stored: s.Store.Pictures, vault: s.Vault}
	casting := &casting{catalog: s.Catalog, members: s.Store.Cast}
	pictures := &Pictures{
		casting:  casting,
		Uploaded: &Uploaded{album: album, media: s.Media, network: s.Network, publicURL: s.PublicURL, stored: s.Store.Pictures},
		checker:  checker, desk: s.Desk,
	}
	drafts := &Drafts{accounts: s.Store.Accounts, keys: s.Keys, log: s.Log, settings: s.Store.Settings, typing: s.Typing}
	press := &Press{
		outcomes: &outcomes{log: s.Log, tasks: s.Store.Tasks, sends: s.Sends}, drafts: drafts, pricing: pricing,
		inspection: &inspection{casting: casting, catalog: s.Catalog, keys: s.Keys, pictures: pictures, prices: prices},
		placing:    &placing{catalog: s.Catalog, desk: s.Desk, free: s.Media.Free, log: s.Log, store: s.Store, wake: s.Wake},
	}

	receiver := &receiver{
		album: album, intake: s.Intake, media: s.Media, pictures: pictures,
		room: &uploadRoom{booked: bookings{byPerson: map[int64]ordering.Quota{}}, quota: quota, space: s.Space, stored: s.Store.Pictures},
	}
	fields := &pictureFields{album: album, network: s.Network, stored: s.Store.Pictures, uploaded: pictures.Uploaded}
	asks, origins := site.NewAsks(s.Store.Limits, s.Log), &origins{casting: casting, catalog: s.Catalog, notes: s.Store.Notes, takes: s.Store.Takes, tasks: s.Store.Tasks}
	views := &formViews{
		cards: cards, catalog: s.Catalog, fields: fields, origins: origins,
		prices: &formPrices{asks: asks, keys: s.Keys, pricing: pricing, versions: s.Store.Versions},
	}
	latest := &Latest{cards: cards, named: s.Named, tasks: s.Store.Tasks, watches: s.Watches}
	page := &formPage{fields: fields, latest: latest, pages: s.Pages, views: views}
	answers := &formAnswers{asks: asks, drafts: drafts, page: page, press: press}

	recipes := &Recipes{casting: casting, catalog: s.Catalog, pages: s.Pages, prices: prices, recipes: s.Store.Recipes}
	editor := &recipePage{catalog: s.Catalog, fields: fields, pages: s.Pages, views: views}
	return &Handlers{
		Press: press, Drafts: drafts, Latest: latest, Pictures: pictures, Recipes: recipes,
		CastInForm: &CastInForm{catalog: s.Catalog, drafts: drafts, origins: origins},
		ListInForm: &ListInForm{catalog: s.Catalog, page: page, views: views},
		Forms:      &Forms{catalog: s.Catalog, drafts: drafts, origins: origins, page: page, views: views},
		Orders:     &Orders{answers: answers, catalog: s.Catalog, origins: origins, page: page, press: press},
		Linked: &Linked{
			copies: s.Copies, log: s.Log,
			fetcher: &linkedFetcher{checker: checker, media: s.Media, places: drawing, tries: throttle.New(1000)},
		},
		Incoming: &Incoming{pictures: pictures, receiver: receiver},
		Cast:     &Cast{cast: s.Store.Cast, pages: s.Pages},
		CastEditor: &CastEditor{
			page:     &castPage{cast: s.Store.Cast, fields: fields, pages: s.Pages},
			pictures: &castPictures{receiver: receiver}, receiver: receiver, typing: s.Typing,
		},
		Uploads:      &Uploads{catalog: s.Catalog, drafts: drafts, page: page, receiver: receiver},
		UploadList:   &UploadList{album: album, pages: s.Pages, stored: s.Store.Pictures},
		Thumbnails:   &Thumbnails{media: s.Media, places: drawing, stored: s.Store.Pictures},
		RecipeEditor: &RecipeEditor{page: editor, recipes: recipes, tasks: s.Store.Tasks, typing: s.Typing},
		RecipeSaving: &RecipeSaving{
			check: &recipeCheck{catalog: s.Catalog, fields: fields, pictures: pictures, tasks: s.Store.Tasks},
			page:  editor, receiver: receiver, recipes: recipes, typing: s.Typing,
		},
		RecipeUse: &RecipeUse{
			drafts: drafts, press: press, receiver: receiver, recipes: recipes,
			page: &fillingPage{fields: fields, keys: s.Keys, latest: latest, recipes: recipes, desk: s.Desk},
		},
		Batches: &Batches{cards: cards, lineage: s.Store.Lineage, named: s.Named, pages: s.Pages},
		BatchForm: &BatchForm{
			check:  &batchCheck{catalog: s.Catalog, pictures: pictures, recipes: recipes},
			intake: s.Intake, typing: s.Typing,
			orders: &batchOrders{keys: s.Keys, lineage: s.Store.Lineage, press: press},
			page:   &batchPage{keys: s.Keys, pages: s.Pages, recipes: recipes},
		},
		Retries:   &Retries{answers: answers, catalog: s.Catalog, named: s.Named, press: press, prices: prices},
		Next:      &Next{named: s.Named, network: s.Network, pages: s.Pages, receiver: receiver},
		NextTakes: &NextTakes{catalog: s.Catalog, named: s.Named, origins: origins, page: page, receiver: receiver},
	}
}
