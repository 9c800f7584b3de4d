// Package recipe serves saved forms with blanks, and the tables that fill them in.
package recipe

import (
	"errors"
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/store/video"
	"dailies/handlers/form"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/service"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// Recipe is the room of saved forms with blanks, and of the tables that fill them in.
type Recipe struct {
	cards    *site.Cards
	catalog  *videoapi.Catalog
	registry *service.Registry
	guard    *site.Guard
	uploads  *site.UploadLimits
	keys     *site.Keys
	lineage  *video.Lineage
	making   *form.Making
	named    *site.Named
	network  *site.Network
	pages    *site.Pages
	pictures *picture.Pictures
	press    *press.Press
	recipes  *video.Recipes
	tasks    *video.Tasks
	typed    *site.TypedForms
}

// New returns the room.
func New(s *site.Site, cards *site.Cards, making *form.Making) *Recipe {
	return &Recipe{
		cards: cards, catalog: s.Catalog, registry: s.Registry, guard: s.Guard,
		uploads: s.UploadLimits, keys: s.Keys, lineage: s.Store.Lineage, making: making, named: s.Named, network: s.Network, pages: s.Pages,
		pictures: making.Pictures, press: making.Press, recipes: s.Store.Recipes, tasks: s.Store.Tasks,
		typed: s.TypedForms,
	}
}

// exampleForm is the form of a recipe with two blanks.
const exampleForm = "scene=text-to-video&name=Cups&ceiling=40&model=seedance-2.0&options_of=seedance-2.0" +
	"&prompt=A+{{product}}+in+a+{{place}}&duration=4&resolution=480p&aspect_ratio=16:9&generate_audio=false"

// Routes returns the room's rows.
func (h *Recipe) Routes() []site.Route {
	maker := h.guard.Maker
	return []site.Route{
		site.On("GET /recipes", maker, h.List, site.ForMakers).Gets(200, "?deleted=7"),
		site.On("POST /recipes", maker, web.UpTo(picture.MaxUpload, h.Add), site.ForMakers).Sends("", exampleForm),
		site.On("GET /recipes/new", maker, h.New, site.ForMakers).At("?scene=frames-to-video").Gets(200, "?scene=frames-to-video").
			OwnerGets(200, "?from={failed}"),
		site.On("GET /recipes/options", maker, h.Options, site.ForMakers).At("?scene=image-to-video&model=veo3").
			Gets(200, "?scene=image-to-video&model=veo3"),
		site.On("GET /recipes/{id}", maker, h.Show, site.ForMakers).At("{recipe}").Gets(200, "{recipe}").Gets(404, "99999", "x"),
		site.On("POST /recipes/{id}/cast", maker, h.ShowCast, site.ForMakers).Sends("{recipe}", "blank:product=@anna").
			Gets(200, "{recipe}").Gets(404, "99999"),
		site.On("POST /recipes/{id}", maker, web.UpTo(picture.MaxUpload, h.Use), site.ForMakers).
			Sends("{recipe}", "token=ATOKENOFTHETESTS&blank:product=cup&blank:place=oak&anyway=true").Gets(422, "{recipe}"),
		site.On("GET /recipes/{id}/edit", maker, h.Edit, site.ForMakers).At("{recipe}").OwnerGets(200, "{recipe}"),
		site.On("POST /recipes/{id}/edit", maker, web.UpTo(picture.MaxUpload, h.Save), site.ForMakers).
			Sends("{recipe}", exampleForm).OwnerGets(422, "{recipe}"),
		site.On("POST /recipes/{id}/delete", maker, h.Delete, site.ForMakers).At("{recipe}").Gets(404, "99999"),
		site.On("POST /recipes/{id}/restore", maker, h.Restore, site.ForMakers).At("{deleted recipe}").OwnerGets(409, "{recipe}"),
		site.On("GET /recipes/{id}/batch", maker, h.ShowTable, site.ForMakers).At("{recipe}").Gets(200, "{recipe}"),
		site.On("POST /recipes/{id}/batch", maker, h.SendTable, site.ForMakers).
			Sends("{recipe}", "do=check&anyway=true&table=cup%09oak%0Alamp%09pine").Sends("{recipe}", "do=split&table=cup%09oak").
			Sends("{recipe}", "{batch}").Gets(422, "{recipe}"),
		site.On("GET /batches", maker, h.ListBatches, site.ForMakers),
		site.On("GET /batches/{batch}", maker, h.ShowBatch, site.ForMakers).At("{batch page}").Gets(404, "nothing"),
	}
}

// maxRecipes is the maximum number of recipes in the list.
const maxRecipes = 300

// List shows the team's recipes, and a button to restore a recipe that was just
// deleted.
func (h *Recipe) List(w http.ResponseWriter, r *http.Request) error {
	recipes, err := h.recipes.Latest(r.Context(), site.Me(r).ID, maxRecipes)
	if err != nil {
		return err
	}
	var cards []createview.RecipeCard
	for _, rec := range recipes {
		cards = append(cards, h.card(r, rec))
	}
	deleted, err := h.deletedRecipe(r)
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Recipes", createview.ShowRecipes(cards, deleted))
}

// deletedRecipe returns the recipe named in the URL (?deleted=7) if it is deleted and
// the viewer may restore it, and otherwise nil.
func (h *Recipe) deletedRecipe(r *http.Request) (*ordering.Recipe, error) {
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
func (h *Recipe) recipe(r *http.Request) (ordering.Recipe, error) {
	return h.permittedRecipe(r, func(rec ordering.Recipe) bool { return rec.DeletedAt.IsZero() })
}

// changeableRecipe returns the recipe in the path, even a deleted one, if the viewer
// may change it.
func (h *Recipe) changeableRecipe(r *http.Request) (ordering.Recipe, error) {
	return h.permittedRecipe(r, func(rec ordering.Recipe) bool { return rec.ChangeableBy(site.Me(r)) })
}

// editableRecipe is like changeableRecipe for a recipe that is not deleted.
func (h *Recipe) editableRecipe(r *http.Request) (ordering.Recipe, error) {
	return h.permittedRecipe(r, func(rec ordering.Recipe) bool { return rec.ChangeableBy(site.Me(r)) && rec.DeletedAt.IsZero() })
}

// permittedRecipe returns the recipe in the path if it is permitted, and otherwise a 404 error.
func (h *Recipe) permittedRecipe(r *http.Request, permitted func(ordering.Recipe) bool) (ordering.Recipe, error) {
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

func (h *Recipe) card(r *http.Request, rec ordering.Recipe) createview.RecipeCard {
	return createview.RecipeCard{
		Recipe: rec, ModelName: h.catalog.Name(rec.Model), Mine: rec.CreatedBy == site.Me(r).ID,
		Change: rec.ChangeableBy(site.Me(r)), Now: db.Now(),
	}
}

// Delete deletes a recipe, and offers to undo that.
func (h *Recipe) Delete(w http.ResponseWriter, r *http.Request) error {
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
func (h *Recipe) Restore(w http.ResponseWriter, r *http.Request) error {
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
func (h *Recipe) price(r *http.Request, rec ordering.Recipe) part.Price {
	return h.press.Prices.Of(r.Context(), rec.Setup())
}
