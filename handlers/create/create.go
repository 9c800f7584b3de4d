package create

import (
	"cmp"
	"net/http"

	"dailies/db/ordering"
	"dailies/handlers/site"
	"dailies/web/picture"
)

// Handlers holds the handlers of this package, one struct for each kind of page.
type Handlers struct {
	Press        *Press
	Forms        *Forms
	Latest       *Latest
	Pictures     *Pictures
	Linked       *Linked
	Uploads      *Uploads
	Recipes      *Recipes
	RecipeEditor *RecipeEditor
	RecipeUse    *RecipeUse
	Batches      *Batches
	Retries      *Retries
	Next         *Next
}

// New returns the handlers. fetch downloads pictures that users link to, and must
// refuse private addresses. quota limits uploaded pictures; the zero value means the
// default.
func New(s *site.Site, cards *site.Cards, fetch *http.Client, quota ordering.Quota) *Handlers {
	linked := newLinked(s, picture.NewChecker(fetch))
	prices := NewPrices(s)
	pictures := &Pictures{
		media: s.Media, network: s.Network, pictures: s.Store.Pictures, publicURL: s.PublicURL,
		sandbox: s.Sandbox, linked: linked,
	}
	press := &Press{
		accounts: s.Store.Accounts, catalog: s.Catalog, keys: s.Store.Keys, limits: s.Store.Limits, log: s.Log,
		settings: s.Store.Settings, store: s.Store, tasks: s.Store.Tasks, vault: s.Vault, wake: s.Wake,
		Prices: prices, Pictures: pictures,
	}
	uploads := &Uploads{
		catalog: s.Catalog, cookies: s.Cookies, intake: s.Intake, media: s.Media, pages: s.Pages,
		picturesStore: s.Store.Pictures, settings: s.Store.Settings, space: s.Space, vault: s.Vault,
		pictures: pictures, quota: cmp.Or(quota, ordering.UsualQuota), thumbs: linked.thumbs,
		room: uploadRoom{byPerson: map[int64]ordering.Quota{}},
	}
	latest := &Latest{cards: cards, named: s.Named, tasks: s.Store.Tasks, watches: s.Watches}
	forms := &Forms{
		catalog: s.Catalog, keyring: s.Keys, limits: s.Store.Limits, log: s.Log,
		network: s.Network, pages: s.Pages, sandbox: s.Sandbox, settings: s.Store.Settings,
		tasks: s.Store.Tasks, typing: s.Typing, versions: s.Store.Versions, cards: cards, latest: latest, press: press,
		prices: prices, pictures: pictures, uploads: uploads,
	}
	uploads.forms = forms
	recipes := &Recipes{catalog: s.Catalog, pages: s.Pages, prices: prices, recipes: s.Store.Recipes}
	return &Handlers{
		Press: press, Forms: forms, Latest: latest, Pictures: pictures, Linked: linked, Uploads: uploads, Recipes: recipes,
		RecipeEditor: &RecipeEditor{
			forms: forms, intake: s.Intake, pictures: pictures, press: press, recipes: recipes, tasks: s.Store.Tasks,
			typing: s.Typing, uploads: uploads,
		},
		RecipeUse: &RecipeUse{
			forms: forms, intake: s.Intake, keyring: s.Keys, network: s.Network, press: press, recipes: recipes,
			sandbox: s.Sandbox, settings: s.Store.Settings, typing: s.Typing, uploads: uploads,
		},
		Batches: &Batches{
			intake: s.Intake, keyring: s.Keys, lineage: s.Store.Lineage, named: s.Named, pages: s.Pages,
			typing: s.Typing, recipes: recipes, press: press, cards: cards,
		},
		Retries: &Retries{catalog: s.Catalog, named: s.Named, press: press, forms: forms},
		Next: &Next{
			intake: s.Intake, named: s.Named, network: s.Network, pages: s.Pages, uploads: uploads,
		},
	}
}
