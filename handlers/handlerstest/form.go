package handlerstest

import (
	"fmt"
	"net/url"

	"dailies/db"
)

// GoodForm is a form that the sandbox takes.
func GoodForm() url.Values {
	return url.Values{
		"token": {db.NewToken()}, "model": {"seedance-2.0"}, "prompt": {"a tram crosses the bridge"},
		"duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"},
	}
}

func WithField(v url.Values, name string, values ...string) url.Values {
	v[name] = values
	return v
}

// ChosenForm is a form about the tasks.
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
