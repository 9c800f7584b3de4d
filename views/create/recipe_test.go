package create_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/web/htmltest"
)

func TestTheTotalIsShownBeforeTheButton(t *testing.T) {
	const button = "button[name=do][value=make]"
	good := create.BatchRow{Values: []string{"cup", "oak", "noon", "https://images.example.com/a.jpg"}}
	wrong := create.BatchRow{Values: []string{"", "", "", ""}, Errors: input.Errors{"blank.0": "Please fill in “product”."}}
	draw := func(credits float64, rows ...create.BatchRow) string {
		page := htmltest.Draw(t, part.Framed(part.Frame{}, create.Sheet(create.BatchPage{
			Card: storybook.RecipeCard(), Videos: 12, Price: part.Price{Credits: db.CreditsOf(credits), Stated: true}, Rows: rows,
		})))
		if total := htmltest.Text(htmltest.First(t, page, ".total b")); credits == 30 && total != "12 videos, 360 credits" {
			t.Errorf("the total is %q", total)
		}
		return strings.Join(htmltest.Texts(page, button), "|")
	}
	if got := draw(30, good); got != "Make 12 videos" {
		t.Errorf("the button says %q", got)
	}
	if got := draw(30, good, wrong); got != "" {
		t.Errorf("with a wrong row there is the button %q", got)
	}
	if got := draw(41, good); got != "" {
		t.Errorf("above the ceiling there is the button %q", got)
	}
}

func TestUseOfARecipeIsToldInWords(t *testing.T) {
	for uses, want := range map[int]string{0: "Not used yet", 1: "Used once, last 1 h ago", 2: "Used twice, last 1 h ago", 1200: "Used 1,200 times, last 1 h ago"} {
		card := storybook.RecipeCard(func(r *ordering.Recipe) { r.Uses = uses })
		hints := htmltest.Texts(htmltest.Draw(t, create.ShowRecipeCard(card)), ".hint")
		if got := hints[len(hints)-1]; got != "By Jon Okafor · "+want {
			t.Errorf("%d uses: %q", uses, got)
		}
	}
}
