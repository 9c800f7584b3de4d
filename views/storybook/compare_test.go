package storybook_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dailies/db"
	"dailies/views/library"
)

// marked are the words that the page marks in each prompt.
func marked(t *testing.T, prompts ...string) (all []string) {
	t.Helper()
	var page library.Compare
	for i, prompt := range prompts {
		page.Cards = append(page.Cards, card(with(kept(int64(50+i)), func(t *db.Task) { t.Prompt = prompt })))
	}
	for n := range elements(parse(t, library.ShowCompare(frame("Compare", "/compare"), page))) {
		if n.Data != "td" || attribute(n, "class") != "words-apart" {
			continue
		}
		var own []string
		for m := range n.Descendants() {
			if m.Type == html.TextNode && inside(m, "mark") {
				own = append(own, m.Data)
			}
		}
		all = append(all, strings.Join(own, " "))
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
