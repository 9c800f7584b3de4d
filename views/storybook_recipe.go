package views

import (
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/web/videoapi"
)

// storyRecipe is a recipe with blanks of words and of a picture.
func storyRecipe(changes ...func(*db.Recipe)) db.Recipe {
	r := db.Recipe{
		ID: 7, Name: "Product on a table", Note: "For the shop. Name the product as it stands on the box.", Scene: "frames-to-video", Model: "seedance-2.0",
		Prompt:   "A {{product}} on a {{place}} table, the camera goes around it, {{product}} in the light of {{time of day}}",
		Pictures: []string{"{{first picture}}", storySite + "table.jpg"},
		Options:  db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p"}, Ceiling: db.CreditsOf(40),
		CreatedBy: 2, MakerName: "Jon Okafor", ChangedAt: storyNow.Add(-9 * 24 * time.Hour), Uses: 12, UsedAt: storyNow.Add(-time.Hour),
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func storyRecipeCard(changes ...func(*db.Recipe)) RecipeCard {
	r := storyRecipe(changes...)
	return RecipeCard{Recipe: r, ModelName: "Seedance 2.0", Mine: r.CreatedBy == 1, Change: r.CreatedBy == 1, Now: storyNow}
}

func ownRecipe(r *db.Recipe) { r.CreatedBy = 1 }

func recipeStories() []story {
	show := func(caption string, changes ...func(*db.Recipe)) story {
		return story{caption, recipeCard(storyRecipeCard(changes...))}
	}
	return []story{
		show("Of somebody else"),
		show("One's own", ownRecipe),
		show("Not used yet, without a note and a ceiling", ownRecipe, func(r *db.Recipe) { r.Note, r.Ceiling, r.Uses = "", db.Credits{}, 0 }),
		show("Asks for nothing", func(r *db.Recipe) { r.Prompt, r.Pictures, r.Scene = storyPrompt, nil, "text-to-video" }),
		show("Long words", ownRecipe, func(r *db.Recipe) { r.Name, r.Note = storyLong[:80], storyLong }),
	}
}

func recipeFormStories() []story {
	show := func(caption string, price Price, errors Errors, values ...string) story {
		p := RecipePage{Card: storyRecipeCard(), Form: storyForm(videoapi.FramesToVideo, "seedance-2.0")}
		p.Form.Price, p.Form.Errors = price, errors
		for i, b := range p.Card.Recipe.Blanks() {
			p.Fields = append(p.Fields, RecipeField{b, append(values, "", "", "", "")[i]})
		}
		return story{caption, storyFill(p)}
	}
	stated := func(credits float64) Price { return Price{Credits: db.CreditsOf(credits), Stated: true} }
	return []story{
		show("Empty", stated(30), nil),
		show("Filled, within the ceiling", stated(30), nil, "cup", "oak", "dawn", storySite+"cup.jpg"),
		show("Something is missing", stated(30), Errors{"blank.1": "Please fill in “place”.", "blank.3": "This is not a web address. It starts with https://"}, "cup", "", "dawn", "cup"),
		show("More than the ceiling", stated(50), nil, "cup", "oak", "dawn", storySite+"cup.jpg"),
		show("Nobody knows the price", Price{}, Errors{"anyway": "Please say whether to make it anyway."}, "cup", "oak", "dawn", storySite+"cup.jpg"),
	}
}

func recipeEditStories() []story {
	help := func(prompt string) templ.Component {
		form := storyForm(videoapi.TextToVideo, "seedance-2.0")
		form.Prompt = prompt
		return blankHelp(RecipeEdit{Form: form})
	}
	field := func(address string, errors Errors) templ.Component {
		form := storyForm(videoapi.ImageToVideo, "seedance-2.0")
		form.Blanks, form.Errors = true, errors
		return askable(form, "image_input", "image_input.0", "Picture", address)
	}
	return []story{
		{"No blank yet", help(storyPrompt)},
		{"Blanks", help("A {{product}} on a {{place}} table")},
		{"Braces that make no blank", help("A {{product}} on a {{place table")},
		{"A picture that stays", field(storySite+"lake.jpg", nil)},
		{"A picture that is asked for", field("{{first picture}}", nil)},
		{"A picture with a bad name", field("{{a.b}}", Errors{"asked.image_input.0": "Please name it with letters."})},
	}
}

func batchStories() []story {
	page := func(change func(*BatchPage)) BatchPage {
		p := BatchPage{Card: storyRecipeCard(), HasKey: true, Price: Price{Credits: db.CreditsOf(30), Stated: true}}
		change(&p)
		return p
	}
	good := BatchRow{Values: []string{"cup", "oak", "dawn", storySite + "cup.jpg"}}
	again := BatchRow{Values: good.Values, Hints: []string{"The same as row 1."}}
	bad := BatchRow{Values: []string{"", "oak", "noon", "cup"}, Errors: Errors{"blank.0": "Please fill in “product”.", "blank.3": "This is not a web address. It starts with https://"}}
	left := BatchRow{Values: bad.Values, Errors: bad.Errors, Skip: true}
	return []story{
		{"Where the table comes in", pasteTable(Frame{Now: storyNow}, page(func(*BatchPage) {}))},
		{"A table that cannot be read", pasteTable(Frame{Now: storyNow}, page(func(p *BatchPage) {
			p.Text, p.Errors = "cup\toak\tdawn\n\"cup", Errors{"table": "Row 2 has a quotation mark that is not closed."}
		}))},
		{"Rows that will do, one twice", batchRows(Frame{Now: storyNow}, page(func(p *BatchPage) {
			p.Rows, p.Videos, p.Notes = []BatchRow{good, again}, 2, []string{"The first row was read as the headings."}
		}))},
		{"Rows with problems, one left out", batchRows(Frame{Now: storyNow}, page(func(p *BatchPage) { p.Rows, p.Videos = []BatchRow{good, bad, left}, 2 }))},
		{"More than the ceiling", batchRows(Frame{Now: storyNow}, page(func(p *BatchPage) { p.Rows, p.Videos, p.Price = []BatchRow{good}, 1, Price{Credits: db.CreditsOf(50)} }))},
		{"Nobody knows the price", batchRows(Frame{Now: storyNow}, page(func(p *BatchPage) { p.Rows, p.Videos, p.Price = []BatchRow{good}, 1, Price{} }))},
		{"Being made", MadePart(Made{Batch: "b", Cards: []Card{
			storyCard(storyKept(1)), storyCard(storyTask(2, db.Failed), blamed(db.BlameRequest, "content was blocked by the safety filter")),
			usually(storyCard(storyTask(3, db.Processing))), storyCard(storyTask(4, db.Queued), wordy),
		}})},
		{"All made", MadePart(Made{Batch: "b", Cards: []Card{storyCard(storyKept(1)), storyCard(storyKept(2), withoutCover)}})},
	}
}
