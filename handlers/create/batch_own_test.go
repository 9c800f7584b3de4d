package create_test

import (
	"net/url"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
)

// A row of a recipe's table may have a length, a shape and a resolution of its own; an empty
// cell means the recipe's. A cell that is none of these keeps its row from being made.
func TestRowsOfARecipeHaveTheirOwnOptions(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	path := saved(t, p.Post("/recipes", setup("scene", "text-to-video", "prompt", "A {{what}} turns", "model", "seedance-2.0", "duration", "5", "resolution", "720p", "aspect_ratio", "16:9")))
	table := "what\tshape\tLength\n\"red\ncup\"\t9:16\t\nlamp\t\t10 s\njug\ttall\t99 s\nbowl\t\t"
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {table}})
	checked.Shows("“tall” isn’t a shape, such as 16:9.", "Seedance 2.0 can make 4").Has(`[name="cell.2.aspect_ratio"][value=tall]`, `[name="cell.0.aspect_ratio"][value="9:16"]`, `[name="cell.1.duration"][value="10"]`)
	left := p.Post(path+"/batch", handlerstest.RowsOf(t, checked, "leave")).Is(200)
	p.Post(path+"/batch", handlerstest.RowsOf(t, left, "make")).Is(303)
	if got := wishes(h.Mine(t, 1)); got != "A bowl turns 5s 16:9 720p 30 / A lamp turns 10s 16:9 720p not known / A red cup turns 5s 9:16 720p 30" {
		t.Errorf("made %s", got)
	}

	// The same by values, from a CSV file.
	checked = p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"\uFEFF\"pot; old\";1:1;5 s\r\npan;4:3;5 s\r\n"}}).Is(200).Shows("2 videos, 60 credits")
	p.Post(path+"/batch", handlerstest.RowsOf(t, checked, "make")).Is(303)
	if got := wishes(h.Mine(t, 1)); !strings.Contains(got, "A pot; old turns 5s 1:1 720p 30") || !strings.Contains(got, "A pan turns 5s 4:3 720p 30") {
		t.Errorf("made %s", got)
	}
}
