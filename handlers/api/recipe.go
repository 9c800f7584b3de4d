package api

import (
	"context"
	"net/http"

	"dailies/handlers/create"
	"dailies/handlers/site"
)

// Recipes makes videos of recipes.
type Recipes struct {
	*Orders
	recipes *create.Recipes
}

// A filled recipe is a request for videos that fills in its blanks.
type filled struct {
	Blanks map[string]string `json:"blanks"` // by name: words, or the address of a picture
	terms
}

// Make makes videos of the recipe in the path, like Orders.Make.
func (h *Recipes) Make(w http.ResponseWriter, r *http.Request, c Caller) error {
	var b filled
	return h.ask(w, r, c, &b, &b.terms, func(ctx context.Context) (ordered, error) {
		o, at, problems, err := h.recipes.Order(ctx, c.User, create.Filling{Recipe: site.ParseID(r.PathValue("id")), Blanks: b.Blanks, Count: b.count()})
		if problems != nil {
			return ordered{}, problemIn(problems)
		}
		return ordered{o, at}, err
	})
}
