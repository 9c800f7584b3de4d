package handlers

import (
	"errors"
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
)

// maxRecipes is how many recipes the page lists.
const maxRecipes = 300

// showRecipes is the team's recipes, and how to get the one back that was just
// deleted.
func (a *App) showRecipes(w http.ResponseWriter, r *http.Request) error {
	recipes, err := a.Store.Recipes(r.Context(), site.Me(r).ID, maxRecipes)
	if err != nil {
		return err
	}
	list := createview.RecipeList{}
	for _, rec := range recipes {
		list.Cards = append(list.Cards, a.recipeCard(r, rec))
	}
	if list.Deleted, err = a.deletedRecipe(r); err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Recipes")
	if err != nil {
		return err
	}
	page := createview.ShowRecipes(f, list)
	return web.Page(w, r, page, page)
}

// deletedRecipe is the one that the address names (?deleted=7), if it is
// deleted and the viewer may bring it back.
func (a *App) deletedRecipe(r *http.Request) (*db.Recipe, error) {
	id, err := strconv.ParseInt(r.URL.Query().Get("deleted"), 10, 64)
	if err != nil {
		return nil, nil
	}
	rec, err := a.Store.Recipe(r.Context(), id)
	if errors.Is(err, db.ErrNotFound) || err == nil && (rec.DeletedAt.IsZero() || !rec.ChangeableBy(site.Me(r))) {
		return nil, nil
	}
	return &rec, err
}

// recipe is the recipe in the address, if it can be used.
func (a *App) recipe(r *http.Request) (db.Recipe, error) {
	id, err := site.ID(r)
	if err != nil {
		return db.Recipe{}, err
	}
	rec, err := a.Store.Recipe(r.Context(), id)
	if err == nil && !rec.DeletedAt.IsZero() {
		err = web.NotFound()
	}
	return rec, err
}

// changeableRecipe is the recipe in the address, deleted or not, if the viewer
// may change it.
func (a *App) changeableRecipe(r *http.Request) (db.Recipe, error) {
	id, err := site.ID(r)
	if err != nil {
		return db.Recipe{}, err
	}
	rec, err := a.Store.Recipe(r.Context(), id)
	if err == nil && !rec.ChangeableBy(site.Me(r)) {
		err = web.NotFound()
	}
	return rec, err
}

func (a *App) recipeCard(r *http.Request, rec db.Recipe) createview.RecipeCard {
	return createview.RecipeCard{
		Recipe: rec, ModelName: a.Catalog.Name(rec.Model), Mine: rec.CreatedBy == site.Me(r).ID,
		Change: rec.ChangeableBy(site.Me(r)), Now: db.Now(),
	}
}

// recipePrice is what one video of the recipe costs, whatever fills it.
func (a *App) recipePrice(r *http.Request, rec db.Recipe) part.Price {
	return a.price(r.Context(), formOf(rec.Setup(), a.Catalog).task(site.Me(r)))
}

// deleteRecipe takes a recipe out of use, and offers to undo it.
func (a *App) deleteRecipe(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.changeableRecipe(r)
	if err != nil {
		return err
	}
	if _, err := a.Store.UpdateRecipe(r.Context(), rec.ID, func(rec *db.Recipe) error { return rec.Delete(db.Now()) }); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/recipes?deleted="+strconv.FormatInt(rec.ID, 10))
}

// restoreRecipe undoes that.
func (a *App) restoreRecipe(w http.ResponseWriter, r *http.Request) error {
	rec, err := a.changeableRecipe(r)
	if err != nil {
		return err
	}
	if _, err := a.Store.UpdateRecipe(r.Context(), rec.ID, func(rec *db.Recipe) error { return rec.Restore() }); err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "flash", "The recipe is back."); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/recipes")
}
