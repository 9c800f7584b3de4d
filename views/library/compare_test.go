package library_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/views/library"
	"dailies/views/storybook"
	"dailies/web/htmltest"
)

// marked returns the words that the page marks in each prompt.
func marked(t *testing.T, prompts ...string) (all []string) {
	t.Helper()
	var page library.Compare
	for i, prompt := range prompts {
		page.Cards = append(page.Cards, storybook.Card(storybook.Kept(int64(50+i)), func(t *db.Task) { t.Prompt = prompt }))
	}
	for _, cell := range htmltest.All(htmltest.Draw(t, library.Differences(page)), "td.words-apart") {
		all = append(all, strings.Join(htmltest.Texts(cell, "mark"), " "))
	}
	return all
}

func TestWordsThatDifferAreMarked(t *testing.T) {
	for _, tt := range []struct{ prompts, want []string }{
		{[]string{"a boat at dawn", "a boat at dawn"}, []string{"", ""}},
		{[]string{"a red boat at dawn", "a boat at late dawn"}, []string{"red", "late"}},
		{[]string{"a red boat", "a blue boat", "a blue ship"}, []string{"red boat", "blue", "blue ship"}},
		{[]string{"", "a boat"}, []string{"", "a boat"}},
		{[]string{"<b>a</b>", "a"}, []string{"<b>a</b>", "a"}},
		{[]string{strings.Repeat("x ", 1500), strings.Repeat("y ", 1500)}, []string{"", ""}},
	} {
		if got := marked(t, tt.prompts...); strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%.80q: marked %.80q, want %q", tt.prompts, got, tt.want)
		}
	}
}
