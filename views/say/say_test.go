package say_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"dailies/views/say"
)

func TestASentenceShowsItsPlacesInOrder(t *testing.T) {
	name := say.Text("name", "Ann <b>")
	for sentence, want := range map[string]string{
		"Nothing & nobody":                      "Nothing &amp; nobody",
		"{name} joined":                         "Ann &lt;b&gt; joined",
		"Save<more> the role of {name}</more>.": `Save<span class="offscreen"> the role of Ann &lt;b&gt;</span>.`,
		"{name} and {name}":                     "Ann &lt;b&gt; and Ann &lt;b&gt;",
	} {
		var places []say.Place
		if strings.Contains(sentence, "{name}") {
			places = append(places, name)
		}
		if strings.Contains(sentence, "<more>") {
			places = append(places, say.Offscreen("more"))
		}
		got, err := shown(t, say.Sentence(sentence, places...))
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", sentence, got, err, want)
		}
	}
}

func TestAValueIsNotReadAsASentence(t *testing.T) {
	got, err := shown(t, say.Sentence("By <b>{name}</b>", say.Bold("b"), say.Text("name", "{other} <b>")))
	if want := "By <b>{other} &lt;b&gt;</b>"; err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestNoValueOfASentenceIsLost(t *testing.T) {
	name, more := say.Text("name", "Ann"), say.Offscreen("more")
	for sentence, places := range map[string][]say.Place{
		"{name} joined":                {},
		"Somebody joined":              {name},
		"{name} joined {when}":         {name},
		"<name>joined</name>":          {name},
		"{more} joined":                {more},
		"Save<more> {name}":            {name, more},
		"Save<more> the role</more>":   {name, more},
		"Save the role of {name":       {name},
		"Save the role of {name}}":     {name},
		"Save the role</more>":         {},
		"Save <more>{name}</more> now": {name, say.Around("more", templ.NopComponent)},
	} {
		if got, err := shown(t, say.Sentence(sentence, places...)); err == nil {
			t.Errorf("%s: got %s, want an error", sentence, got)
		}
	}
}

func shown(t *testing.T, c templ.Component) (string, error) {
	t.Helper()
	var b strings.Builder
	err := c.Render(t.Context(), &b)
	return b.String(), err
}
