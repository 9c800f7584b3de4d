package ordering_test

import (
	"testing"

	"dailies/db/ordering"
)

func TestWordsBecomeABlankAndComeBack(t *testing.T) {
	for name, tt := range map[string]struct {
		prompt string
		edit   ordering.BlankEdit
		want   string
		found  bool
	}{
		"new":                {"A cup in a harbour café, slow", ordering.BlankEdit{Name: "place", Words: "a harbour café"}, "A cup in {{place: a harbour café}}, slow", true},
		"words elsewhere":    {"A cup", ordering.BlankEdit{Name: "place", Words: "a harbour"}, "A cup", false},
		"words in a blank":   {"A {{cup: red cup}} beside a red cup", ordering.BlankEdit{Name: "other", Words: "red cup"}, "A {{cup: red cup}} beside a {{other: red cup}}", true},
		"no name":            {"A cup", ordering.BlankEdit{Words: "cup"}, "A cup", false},
		"renamed everywhere": {"{{Who}} and {{who: Anna}}", ordering.BlankEdit{Was: "who", Name: "person", Words: "Anna"}, "{{person: Anna}} and {{person: Anna}}", true},
		"no valid new name":  {"{{who}} sings", ordering.BlankEdit{Was: "who", Name: "a}b", Words: "Anna"}, "{{who: Anna}} sings", true},
		"removed":            {"In {{place: a harbour café}}, slow", ordering.BlankEdit{Was: "place", Words: "a harbour café"}, "In a harbour café, slow", true},
		"removed, no words":  {"In {{place}}, slow", ordering.BlankEdit{Was: "place"}, "In place, slow", true},
		"gone already":       {"In a café", ordering.BlankEdit{Was: "place", Name: "place", Words: "x"}, "In a café", false},
		"braces in words":    {"{{who}}", ordering.BlankEdit{Was: "who", Name: "who", Words: "a {b}\nc"}, "{{who: a  b c}}", true},
	} {
		if got, found := tt.edit.Edit(tt.prompt); got != tt.want || found != tt.found {
			t.Errorf("%s: %q, found %t", name, got, found)
		}
	}
	blanks := ordering.Recipe{Prompt: "In {{place:  a harbour café }}, {{who}} and {{Place}}"}.Blanks()
	if len(blanks) != 2 || blanks[0] != (ordering.Blank{Name: "place", Example: "a harbour café"}) || blanks[1].Example != "" {
		t.Errorf("the blanks are %v", blanks)
	}
	prompt, _ := ordering.Recipe{Prompt: "In {{place: a harbour café}}"}.Fill(map[string]string{"place": "a park"})
	if prompt != "In a park" {
		t.Errorf("filled in: %q", prompt)
	}
}
