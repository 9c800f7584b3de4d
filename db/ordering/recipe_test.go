package ordering_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/web/costtest"
)

// asked returns the names of the recipe's blanks, with a star after those for
// pictures.
func asked(r ordering.Recipe) string {
	var names []string
	for _, b := range r.Blanks() {
		if b.Picture {
			b.Name += "*"
		}
		names = append(names, b.Name)
	}
	return strings.Join(names, "|")
}

func TestBlanksAreFoundInAnyScript(t *testing.T) {
	for prompt, want := range map[string]string{
		"":                                "",
		"no blanks":                       "",
		"{{product}} on a {{place}}":      "product|place",
		"{{ product }} and {{Product}}":   "product",
		"{{brand  name}}, {{brand name}}": "brand name",
		"{{製品}} と {{место съёмки}}":    "製品|место съёмки",
		"{{हिन्दी}} {{می\u200cخواهم}}": "हिन्दी|می\u200cخواهم",
		"{{shot_2-b}}":                         "shot_2-b",
		"{{{x}}}":                              "x",
		"{{a}}{{b}}":                           "a|b",
		"{{a {{b}} c}}":                        "b",
		"{{}} {{ }} {{--}} {{a.b}} {{a\nb}}":   "",
		"{{open and } }":                       "",
		"{{" + strings.Repeat("é", 40) + "}}":  strings.Repeat("é", 40),
		"{{" + strings.Repeat("é", 41) + "}}":  "",
		"{{<script>}} {{a&b}} {{\u200d}}":      "",
		"{{1}} {{२}}":                          "1|२",
		strings.Repeat("{{a}}", 5) + "{{ A }}": "a",
	} {
		if got := asked(ordering.Recipe{Request: db.Request{Prompt: prompt}}); got != want {
			t.Errorf("%q asks for %q, want %q", prompt, got, want)
		}
	}
}

func TestPictureBlanksAreAskedForAfterTheWords(t *testing.T) {
	r := ordering.Recipe{
		Request: db.Request{
			Prompt:   "{{who}} waves",
			Pictures: []string{"{{start picture}}", "https://example.com/end.png", " {{Start Picture}} "},
		},
	}
	if got := asked(r); got != "who|start picture*" {
		t.Errorf("it asks for %q", got)
	}
	if r.Clash() != "" {
		t.Errorf("%q clashes with nothing", r.Clash())
	}
	r.Pictures[0] = "{{WHO}}"
	if r.Clash() != "WHO" {
		t.Errorf("one name for words and a picture: the clash is %q", r.Clash())
	}
	for _, picture := range []string{"", "https://example.com/{{x}}.png", "{{a}}{{b}}", "{{}}"} {
		if name, ok := ordering.PictureBlank(picture); ok {
			t.Errorf("%q is taken for the blank %q", picture, name)
		}
	}
}

func TestStrayBracesAreNoticed(t *testing.T) {
	for prompt, want := range map[string]bool{
		"{{a}} {b}": false, "{{a}": true, "a}} b": true, "{{a.b}}": true, "plain": false, "{{{a}}}": false,
	} {
		if got := ordering.StrayBraces(prompt); got != want {
			t.Errorf("%q: %v", prompt, got)
		}
	}
}

func TestFilledValuesAreNeverReadAgain(t *testing.T) {
	r := ordering.Recipe{
		ID: 7, Request: db.Request{Scene: "frames-to-video", Model: "veo3", Provider: "p", Options: db.Options{Duration: 8},
			Prompt: "{{a}} meets {{ B }} and {{A}}", Pictures: []string{"{{one}}", "https://example.com/2.png"}},
	}
	task := r.Task(map[string]string{"a": "{{b}}", "b": "{{a}} $1 %s", "one": "https://example.com/{{a}}.png"})
	if want := "{{b}} meets {{a}} $1 %s and {{b}}"; task.Prompt != want {
		t.Errorf("filled it is %q, want %q", task.Prompt, want)
	}
	if want := []string{"https://example.com/{{a}}.png", "https://example.com/2.png"}; !slices.Equal(task.Pictures, want) {
		t.Errorf("its pictures are %q", task.Pictures)
	}
	if task.RecipeID != 7 || task.Scene != r.Scene || task.Model != r.Model || task.Provider != "p" || task.Options.Duration != 8 {
		t.Errorf("the setup did not come along: %+v", task)
	}
}

func TestCeilingHoldsWhereThePriceIsKnown(t *testing.T) {
	for _, tt := range []struct {
		ceiling, price db.Credits
		over, unsure   bool
	}{
		{db.Credits{}, db.CreditsOf(1000), false, false},
		{db.Credits{}, db.Credits{}, false, false},
		{db.CreditsOf(30), db.CreditsOf(30), false, false},
		{db.CreditsOf(30), db.CreditsOf(30.5), true, false},
		{db.CreditsOf(0), db.CreditsOf(1), true, false},
		{db.CreditsOf(30), db.Credits{}, false, true},
	} {
		r := ordering.Recipe{Ceiling: tt.ceiling}
		if r.Over(tt.price) != tt.over || r.Unsure(tt.price) != tt.unsure {
			t.Errorf("%+v: over %v, unsure %v", tt, r.Over(tt.price), r.Unsure(tt.price))
		}
	}
}

func TestMakerAndAdminsChangeARecipe(t *testing.T) {
	r := ordering.Recipe{CreatedBy: 1}
	if !r.ChangeableBy(db.User{ID: 1, Role: db.Member}) || !r.ChangeableBy(db.User{ID: 2, Role: db.Admin}) ||
		r.ChangeableBy(db.User{ID: 2, Role: db.Member}) {
		t.Error("the wrong people may change it")
	}
}

// FuzzPieces checks that the pieces of any prompt add up to the prompt, and that
// blanks within a value are not filled in.
func FuzzPieces(f *testing.F) {
	for _, seed := range []string{"{{a}} b {{ C }}", "{{{x}}}", "{{a {{b}} c}}", "}}{{", "{{\xff}}", "{{製品}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		whole := ""
		for _, p := range ordering.Pieces(prompt) {
			whole += p.Text
			if p.Blank != "" && ordering.BlankName(p.Blank) != p.Blank {
				t.Fatalf("%q is no name", p.Blank)
			}
		}
		if whole != prompt {
			t.Fatalf("%q comes apart as %q", prompt, whole)
		}
		r, values, names := ordering.Recipe{Request: db.Request{Prompt: prompt}}, map[string]string{}, 0
		for _, b := range r.Blanks() {
			values[b.Key()] = fmt.Sprintf("<%d>{{x}}", names)
			names++
		}
		if filled, _ := r.Fill(values); names > 0 && !strings.Contains(filled, "<0>{{x}}") {
			t.Fatalf("%q filled is %q", prompt, filled)
		}
	})
}

func TestVeryManyBlanksAreFoundAtOnce(t *testing.T) {
	// Scanning the rest of the prompt again for each blank would take several minutes.
	costtest.Linear(t, "blanks", 40_000, func(many int) time.Duration {
		var prompt strings.Builder
		values := map[string]string{}
		for i := range many {
			fmt.Fprintf(&prompt, "{{b%d}} ", i)
			values[fmt.Sprint("b", i)] = "x"
		}
		r := ordering.Recipe{Request: db.Request{Prompt: prompt.String()}}
		return costtest.Of(func() {
			if n := len(r.Blanks()); n != many {
				t.Errorf("%d blanks", n)
			}
			if filled, _ := r.Fill(values); filled != strings.Repeat("x ", many) {
				t.Error("it is not filled in")
			}
		})
	})
}

func TestWordsBecomeABlankAndComeBack(t *testing.T) {
	for name, tt := range map[string]struct {
		prompt string
		edit   ordering.BlankEdit
		want   string
		found  bool
	}{
		"new": {
			"A cup in a harbour café, slow", ordering.BlankEdit{Name: "place", Words: "a harbour café"},
			"A cup in {{place: a harbour café}}, slow", true,
		},
		"words elsewhere": {"A cup", ordering.BlankEdit{Name: "place", Words: "a harbour"}, "A cup", false},
		"words in a blank": {
			"A {{cup: red cup}} beside a red cup", ordering.BlankEdit{Name: "other", Words: "red cup"},
			"A {{cup: red cup}} beside a {{other: red cup}}", true,
		},
		"no name": {"A cup", ordering.BlankEdit{Words: "cup"}, "A cup", false},
		"renamed everywhere": {
			"{{Who}} and {{who: Anna}}", ordering.BlankEdit{Was: "who", Name: "person", Words: "Anna"},
			"{{person: Anna}} and {{person: Anna}}", true,
		},
		"no valid new name": {"{{who}} sings", ordering.BlankEdit{Was: "who", Name: "a}b", Words: "Anna"}, "{{who: Anna}} sings", true},
		"removed": {
			"In {{place: a harbour café}}, slow", ordering.BlankEdit{Was: "place", Words: "a harbour café"},
			"In a harbour café, slow", true,
		},
		"removed, no words": {"In {{place}}, slow", ordering.BlankEdit{Was: "place"}, "In place, slow", true},
		"gone already":      {"In a café", ordering.BlankEdit{Was: "place", Name: "place", Words: "x"}, "In a café", false},
		"braces in words":   {"{{who}}", ordering.BlankEdit{Was: "who", Name: "who", Words: "a {b}\nc"}, "{{who: a  b c}}", true},
	} {
		if got, found := tt.edit.Edit(tt.prompt); got != tt.want || found != tt.found {
			t.Errorf("%s: %q, found %t", name, got, found)
		}
	}
	blanks := ordering.Recipe{Request: db.Request{Prompt: "In {{place:  a harbour café }}, {{who}} and {{Place}}"}}.Blanks()
	if len(blanks) != 2 || blanks[0] != (ordering.Blank{Name: "place", Example: "a harbour café"}) || blanks[1].Example != "" {
		t.Errorf("the blanks are %v", blanks)
	}
	prompt, _ := ordering.Recipe{Request: db.Request{Prompt: "In {{place: a harbour café}}"}}.Fill(map[string]string{"place": "a park"})
	if prompt != "In a park" {
		t.Errorf("filled in: %q", prompt)
	}
}
