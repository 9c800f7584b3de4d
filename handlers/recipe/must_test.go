package recipe_test

import (
	"net/url"
	"regexp"
	"strconv"
	"testing"

	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
)

// setup returns the fields of a recipe as the editor submits them.
func setup(more ...string) url.Values {
	v := handlerstest.FilledForm("scene", "text-to-video", "name", "Cups", "note", "", "ceiling", "40", "model", "seedance-2.0", "options_of", "seedance-2.0",
		"prompt", "A {{product}} in a {{place}}", "duration", "4", "resolution", "480p", "aspect_ratio", "16:9", "generate_audio", "false")
	for name, values := range handlerstest.FilledForm(more...) {
		v[name] = values
	}
	return v
}

// saved returns the path of the saved recipe that the response redirects to.
func saved(t *testing.T, a *handlerstest.Answer) string {
	t.Helper()
	path := a.Is(303).Header.Get("Location")
	if !regexp.MustCompile(`^/recipes/\d+$`).MatchString(path) {
		t.Fatalf("%s leads to %q", a.What, path)
	}
	return path
}

// filled returns the ID of the video named in the response to a recipe's form.
func filled(t *testing.T, a *handlerstest.Answer) int64 {
	t.Helper()
	to, err := url.Parse(a.Is(303).Header.Get("Location"))
	must(t, err)
	id, err := strconv.ParseInt(to.Query().Get("made"), 10, 64)
	must(t, err)
	return id
}

// listOf returns a form whose prompt is a list: one video for each line.
func listOf(count, prompt string) url.Values {
	form := priced(count)
	form.Set("prompt", prompt)
	form.Set("lines", "true")
	return form
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// priced returns a form whose price the service states.
func priced(count string) url.Values {
	return url.Values{
		"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {"a tram crosses the bridge"},
		"duration": {"5"}, "resolution": {"720p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}, "count": {count},
	}
}
