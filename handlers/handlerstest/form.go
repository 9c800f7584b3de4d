package handlerstest

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/db/secrets"
)

// GoodForm returns a form that the sandbox accepts.
func GoodForm() url.Values {
	return url.Values{
		"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {"a tram crosses the bridge"},
		"duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"},
	}
}

// WithField sets the field in the form and returns the form.
func WithField(v url.Values, name string, values ...string) url.Values {
	v[name] = values
	return v
}

// ChosenForm returns a form with the tasks' IDs, and with further fields given as
// alternating names and values.
func ChosenForm(tasks []db.Task, more ...string) url.Values {
	form := url.Values{}
	for _, t := range tasks {
		form.Add("id", fmt.Sprint(t.ID))
	}
	for i := 0; i+1 < len(more); i += 2 {
		form.Add(more[i], more[i+1])
	}
	return form
}

// Made returns the ID of the video that the answer to the form redirects to.
func Made(t *testing.T, a *Answer) int64 {
	t.Helper()
	to, err := url.Parse(a.Header.Get("Location"))
	var id int64
	if err == nil {
		_, err = fmt.Sscan(to.Query().Get("from"), &id)
	}
	if err != nil || a.StatusCode != 303 {
		t.Errorf("%s: %d leads to %q\n%.2000s", a.What, a.StatusCode, to, a.Text)
	}
	return id
}

// Priced returns a form whose price the service states.
func Priced(count string) url.Values {
	return url.Values{
		"token": {secrets.NewToken()}, "model": {"seedance-2.0"}, "prompt": {"a tram crosses the bridge"},
		"duration": {"5"}, "resolution": {"720p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}, "count": {count},
	}
}

// ListOf returns a form whose prompt is a list: one video for each line.
func ListOf(count, prompt string) url.Values {
	form := Priced(count)
	form.Set("prompt", prompt)
	form.Set("lines", "true")
	return form
}

// CannotWrite is a part of the sentence for a press while the database takes no writes.
const CannotWrite = "Nothing was sent or charged"
