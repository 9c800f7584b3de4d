package handlerstest

import (
	"net/url"
	"regexp"
	"strconv"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
)

// AddRecipe stores a recipe of the user with two blanks, that is, placeholders in the
// prompt.
func (h *Server) AddRecipe(t *testing.T, userID int64, change ...func(*ordering.Recipe)) ordering.Recipe {
	t.Helper()
	sound := true
	r := ordering.Recipe{
		Name: "Product on a table", Note: "for the shop", Request: db.Request{Scene: "text-to-video", Model: "seedance-2.0",
			Prompt:  "A {{product}} stands on a {{ Place }} table",
			Options: db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", Audio: &sound}},
		Ceiling:   db.CreditsOf(40),
		CreatedBy: userID, CreatedAt: db.Now(), ChangedAt: db.Now(),
	}
	for _, c := range change {
		c(&r)
	}
	must(t, h.Store.Recipes.AddRecipe(t.Context(), &r))
	return r
}

// FilledForm returns a form with the fields, given as alternating names and values.
func FilledForm(values ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		v.Set(values[i], values[i+1])
	}
	return v
}

// Tasks returns all tasks that the first user can see, newest first.
func (h *Server) Tasks(t *testing.T) []db.Task {
	t.Helper()
	tasks, err := h.Store.Search.Tasks(t.Context(), gallery.Filter{Viewer: 1, States: []db.State{gallery.AnyState}, Limit: 500})
	must(t, err)
	return tasks
}

// RecipeForm returns the fields of a recipe as the editor submits them.
func RecipeForm(more ...string) url.Values {
	v := FilledForm("scene", "text-to-video", "name", "Cups", "note", "", "ceiling", "40", "model", "seedance-2.0", "options_of",
		"seedance-2.0",
		"prompt", "A {{product}} in a {{place}}", "duration", "4", "resolution", "480p", "aspect_ratio", "16:9", "generate_audio", "false")
	for name, values := range FilledForm(more...) {
		v[name] = values
	}
	return v
}

var recipePath = regexp.MustCompile(`^/recipes/\d+$`)

// SavedRecipe returns the path of the saved recipe that the response redirects to.
func SavedRecipe(t *testing.T, a *Answer) string {
	t.Helper()
	path := a.Is(303).Header.Get("Location")
	if !recipePath.MatchString(path) {
		t.Fatalf("%s leads to %q", a.What, path)
	}
	return path
}

// FilledRecipe returns the ID of the video named in the response to a recipe's form.
func FilledRecipe(t *testing.T, a *Answer) int64 {
	t.Helper()
	to, err := url.Parse(a.Is(303).Header.Get("Location"))
	must(t, err)
	id, err := strconv.ParseInt(to.Query().Get("made"), 10, 64)
	must(t, err)
	return id
}
