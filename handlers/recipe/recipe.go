// Package recipe serves saved forms with blanks, and the tables that fill them in.
package recipe

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/form"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// Handlers holds the handlers of recipes and of the tables that fill them in.
type Handlers struct {
	Recipes      *Recipes
	RecipeEditor *RecipeEditor
	RecipeSaving *RecipeSaving
	RecipeUse    *RecipeUse
	Batches      *Batches
	BatchForm    *BatchForm
}

// New returns the handlers.
func New(s *site.Site, cards *site.Cards, m *form.Making) *Handlers {
	recipes := &Recipes{casting: m.Casting, catalog: s.Catalog, pages: s.Pages, prices: m.Prices, recipes: s.Store.Recipes}
	editor := &recipePage{catalog: s.Catalog, fields: m.Fields, pages: s.Pages, views: m.Views}
	return &Handlers{
		Recipes:      recipes,
		RecipeEditor: &RecipeEditor{page: editor, recipes: recipes, tasks: s.Store.Tasks, typing: s.Typing},
		RecipeSaving: &RecipeSaving{
			check: &recipeCheck{catalog: s.Catalog, fields: m.Fields, pictures: m.Pictures, tasks: s.Store.Tasks},
			page:  editor, receiver: m.Receiver, recipes: recipes, typing: s.Typing,
		},
		RecipeUse: &RecipeUse{
			drafts: m.Drafts, press: m.Press, receiver: m.Receiver, recipes: recipes,
			page: &fillingPage{fields: m.Fields, keys: s.Keys, latest: m.Latest, recipes: recipes, desk: s.Desk},
		},
		Batches: &Batches{cards: cards, lineage: s.Store.Lineage, named: s.Named, pages: s.Pages},
		BatchForm: &BatchForm{
			check:  &batchCheck{catalog: s.Catalog, pictures: m.Pictures, recipes: recipes},
			intake: s.Intake, typing: s.Typing,
			orders: &batchOrders{keys: s.Keys, lineage: s.Store.Lineage, press: m.Press},
			page:   &batchPage{keys: s.Keys, pages: s.Pages, recipes: recipes},
		},
	}
}

// Recipes lists the team's recipes, deletes them and brings them back.
type Recipes struct {
	casting *press.Casting
	catalog *videoapi.Catalog
	pages   *site.Pages
	prices  press.Prices
	recipes *video.Recipes
}

// maxRecipes is the maximum number of recipes in the list.
const maxRecipes = 300

// List shows the team's recipes, and a button to restore a recipe that was just
// deleted.
func (h *Recipes) List(w http.ResponseWriter, r *http.Request) error {
	recipes, err := h.recipes.Latest(r.Context(), site.Me(r).ID, maxRecipes)
	if err != nil {
		return err
	}
	list := createview.RecipeList{}
	for _, rec := range recipes {
		list.Cards = append(list.Cards, h.card(r, rec))
	}
	if list.Deleted, err = h.deletedRecipe(r); err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Recipes", func(f part.Frame) templ.Component { return createview.ShowRecipes(f, list) })
}

// deletedRecipe returns the recipe named in the URL (?deleted=7) if it is deleted and
// the viewer may restore it, and otherwise nil.
func (h *Recipes) deletedRecipe(r *http.Request) (*ordering.Recipe, error) {
	id, err := strconv.ParseInt(r.URL.Query().Get("deleted"), 10, 64)
	if err != nil {
		return nil, nil
	}
	rec, err := h.recipes.Recipe(r.Context(), id)
	if errors.Is(err, db.ErrNotFound) || err == nil && (rec.DeletedAt.IsZero() || !rec.ChangeableBy(site.Me(r))) {
		return nil, nil
	}
	return &rec, err
}

// recipe returns the recipe in the path unless it is deleted.
func (h *Recipes) recipe(r *http.Request) (ordering.Recipe, error) {
	return h.named(r, func(rec ordering.Recipe) bool { return rec.DeletedAt.IsZero() })
}

// changeableRecipe returns the recipe in the path, even a deleted one, if the viewer
// may change it.
func (h *Recipes) changeableRecipe(r *http.Request) (ordering.Recipe, error) {
	return h.named(r, func(rec ordering.Recipe) bool { return rec.ChangeableBy(site.Me(r)) })
}

// editableRecipe is like changeableRecipe for a recipe that is not deleted.
func (h *Recipes) editableRecipe(r *http.Request) (ordering.Recipe, error) {
	return h.named(r, func(rec ordering.Recipe) bool { return rec.ChangeableBy(site.Me(r)) && rec.DeletedAt.IsZero() })
}

// named returns the recipe in the path if it is permitted, and otherwise a 404 error.
func (h *Recipes) named(r *http.Request, permitted func(ordering.Recipe) bool) (ordering.Recipe, error) {
	id, err := site.ID(r)
	if err != nil {
		return ordering.Recipe{}, err
	}
	rec, err := h.recipes.Recipe(r.Context(), id)
	if err == nil && !permitted(rec) {
		err = web.NotFound()
	}
	return rec, err
}

func (h *Recipes) card(r *http.Request, rec ordering.Recipe) createview.RecipeCard {
	return createview.RecipeCard{
		Recipe: rec, ModelName: h.catalog.Name(rec.Model), Mine: rec.CreatedBy == site.Me(r).ID,
		Change: rec.ChangeableBy(site.Me(r)), Now: db.Now(),
	}
}

// Delete deletes a recipe, and offers to undo that.
func (h *Recipes) Delete(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.changeableRecipe(r)
	if err != nil {
		return err
	}
	if _, err := h.recipes.UpdateRecipe(r.Context(), rec.ID, func(rec *ordering.Recipe) error { return rec.Delete(db.Now()) }); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/recipes?deleted="+strconv.FormatInt(rec.ID, 10))
}

// Restore restores a deleted recipe.
func (h *Recipes) Restore(w http.ResponseWriter, r *http.Request) error {
	rec, err := h.changeableRecipe(r)
	if err != nil {
		return err
	}
	_, err = h.recipes.UpdateRecipe(r.Context(), rec.ID, func(rec *ordering.Recipe) error { return rec.Restore() })
	if errors.Is(err, db.ErrFull) {
		return &web.Error{Status: http.StatusUnprocessableEntity, Message: createview.RecipesFull}
	}
	if err != nil {
		return err
	}
	return h.pages.SeeOther(w, r, "/recipes", recipeRestored)
}

// price returns the price of one video of the recipe, which does not depend on the
// blanks.
func (h *Recipes) price(r *http.Request, rec ordering.Recipe) part.Price {
	return h.prices.Of(r.Context(), rec.Setup())
}
