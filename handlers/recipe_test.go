package handlers_test

import (
	"testing"

	"dailies/db"
)

// addRecipe keeps a recipe of the person's with two blanks.
func (h *house) addRecipe(t *testing.T, userID int64, change ...func(*db.Recipe)) db.Recipe {
	t.Helper()
	sound := true
	r := db.Recipe{
		Name: "Product on a table", Note: "for the shop", Scene: "text-to-video", Model: "seedance-2.0",
		Prompt:    "A {{product}} stands on a {{ Place }} table",
		Options:   db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", Audio: &sound},
		Ceiling:   db.CreditsOf(40),
		CreatedBy: userID, CreatedAt: db.Now(), ChangedAt: db.Now(),
	}
	for _, c := range change {
		c(&r)
	}
	must(t, h.store.AddRecipe(t.Context(), &r))
	return r
}
