package storybook

import (
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Recipe returns a recipe that asks for words and for a picture, with the changes
// applied.
func Recipe(changes ...func(*ordering.Recipe)) ordering.Recipe {
	r := ordering.Recipe{
		ID: 7, Name: "Product on a table", Note: "For the shop. Name the product as it stands on the box.",
		Request: db.Request{Scene: "frames-to-video", Model: "seedance-2.0",
			Prompt:   "A {{product}} on a {{place}} table, the camera goes around it, {{product}} in the light of {{time of day}}",
			Pictures: []string{"{{first picture}}", storySite + "table.jpg"},
			Options:  db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p"}}, Ceiling: db.CreditsOf(40),
		CreatedBy: 2, MakerName: "Jon Okafor", ChangedAt: Now.Add(-9 * 24 * time.Hour), Uses: 12, UsedAt: Now.Add(-time.Hour),
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

// RecipeCard returns the card of Recipe, with the changes applied.
func RecipeCard(changes ...func(*ordering.Recipe)) create.RecipeCard {
	r := Recipe(changes...)
	return create.RecipeCard{Recipe: r, ModelName: "Seedance 2.0", Mine: r.CreatedBy == 1, Change: r.CreatedBy == 1, Now: Now}
}

func ownRecipe(r *ordering.Recipe) { r.CreatedBy = 1 }

func recipeStories() []story {
	show := func(caption string, changes ...func(*ordering.Recipe)) story {
		return story{caption, create.ShowRecipeCard(RecipeCard(changes...))}
	}
	return []story{
		show("Another person’s"),
		show("Your own", ownRecipe),
		show(
			"Not used yet, without a note and a limit", ownRecipe,
			func(r *ordering.Recipe) { r.Note, r.Ceiling, r.Uses = "", db.Credits{}, 0 },
		),
		show("Asks for nothing", func(r *ordering.Recipe) { r.Prompt, r.Pictures, r.Scene = Prompt, nil, "text-to-video" }),
		show("Long words", ownRecipe, func(r *ordering.Recipe) { r.Name, r.Note = storyLong[:80], storyLong }),
	}
}

func recipeFormStories() []story {
	show := func(caption string, price part.Price, errors input.Errors, values ...string) story {
		p := create.RecipePage{Card: RecipeCard(), Form: Form(videoapi.FramesToVideo, "seedance-2.0")}
		p.Form.Price, p.Form.Errors = price, errors
		for i, b := range p.Card.Recipe.Blanks() {
			p.Fields = append(p.Fields, create.RecipeField{Blank: b, Value: append(values, "", "", "", "")[i]})
		}
		return story{caption, storyFill(p)}
	}
	stated := func(credits float64) part.Price { return part.Price{Credits: db.CreditsOf(credits), Stated: true} }
	return []story{
		show("Empty", stated(30), nil),
		show("Filled, within the limit", stated(30), nil, "cup", "oak", "dawn", storySite+"cup.jpg"),
		show(
			"Something is missing", stated(30),
			input.Errors{"blank.1": "Fill in “place”.", "blank.3": "A link starts with https://"}, "cup", "", "dawn", "cup",
		),
		show("Over the limit", stated(50), nil, "cup", "oak", "dawn", storySite+"cup.jpg"),
		show(
			"Nobody knows the price", part.Price{}, input.Errors{"anyway": "Tick “Make anyway” to go on."}, "cup", "oak",
			"dawn", storySite+"cup.jpg",
		),
	}
}

func recipeEditStories() []story {
	help := func(prompt string) templ.Component {
		form := Form(videoapi.TextToVideo, "seedance-2.0")
		form.Prompt = prompt
		return create.BlankHelp(create.RecipeEdit{Form: form})
	}
	field := func(address string, errors input.Errors) templ.Component {
		form := Form(videoapi.ImageToVideo, "seedance-2.0")
		form.Blanks, form.Errors = true, errors
		return create.PictureOrBlank(form, "image_input", "image_input.0", "Picture", address)
	}
	return []story{
		{"No blank yet", help(Prompt)},
		{"Blanks", help("A {{product}} on a {{place}} table")},
		{"Braces that make no blank", help("A {{product}} on a {{place table")},
		{"A picture that stays", field(storySite+"lake.jpg", nil)},
		{"A picture that is asked for", field("{{first picture}}", nil)},
		{"A picture with a bad name", field("{{a.b}}", input.Errors{"asked.image_input.0": "Name it with letters."})},
	}
}

func batchStories() []story {
	page := func(change func(*create.BatchPage)) create.BatchPage {
		p := create.BatchPage{Card: RecipeCard(), Price: part.Price{Credits: db.CreditsOf(30), Stated: true}}
		change(&p)
		return p
	}
	good := create.BatchRow{Values: []string{"cup", "oak", "dawn", storySite + "cup.jpg"}}
	again := create.BatchRow{Values: good.Values, Hints: []string{"The same as row 1."}}
	bad := create.BatchRow{
		Values: []string{"", "oak", "noon", "cup"},
		Errors: input.Errors{"blank.0": "Fill in “product”.", "blank.3": "A link starts with https://"},
	}
	left := create.BatchRow{Values: bad.Values, Errors: bad.Errors, Skip: true}
	own := good
	own.Own, own.Price = option.Text{"aspect_ratio": "9:16", "duration": "10"}, part.Price{Credits: db.CreditsOf(40), Stated: true}
	misread := own
	misread.Own = option.Text{"aspect_ratio": "16:9, 9:16", "duration": "long"}
	misread.Errors = input.Errors{
		"aspect_ratio": create.CellFault(ordering.Misread("aspect_ratio", "16:9, 9:16")),
		"duration":     create.CellFault(ordering.Misread("duration", "long")),
	}
	beyond := good
	beyond.More, beyond.Errors = "garden", input.Errors{create.MoreCells: create.CellFault(ordering.Fault{Kind: ordering.NoColumn, Cell: "garden"})}
	return []story{
		{"Where the table comes in", part.Framed(part.Frame{Now: Now}, create.Sheet(page(func(*create.BatchPage) {})))},
		{"A table we can’t read", part.Framed(part.Frame{Now: Now}, create.Sheet(page(func(p *create.BatchPage) {
			p.Text, p.Errors = "cup\toak\tdawn\n\"cup", input.Errors{"table": "Row 2 has a quotation mark that isn’t closed."}
		})))},
		{"Rows that will do, one twice", part.Framed(part.Frame{Now: Now}, create.Sheet(page(func(p *create.BatchPage) {
			p.Rows, p.Videos, p.Notes = []create.BatchRow{good, again}, 2, []string{"The first row was read as the headings."}
		})))},
		{"Rows with problems, one left out", part.Framed(part.Frame{Now: Now}, create.Sheet(page(
			func(p *create.BatchPage) { p.Rows, p.Videos = []create.BatchRow{good, bad, left}, 2 },
		)))},
		{"Rows with a length and a shape of their own", part.Framed(part.Frame{Now: Now}, create.Sheet(page(func(p *create.BatchPage) {
			p.Rows, p.Own, p.Videos = []create.BatchRow{own, good, misread}, []string{"duration", "aspect_ratio"}, 3
			p.Total = part.Mix(own.Price, p.Price, misread.Price)
		})))},
		{"A cell that belongs to no column", part.Framed(part.Frame{Now: Now}, create.Sheet(page(
			func(p *create.BatchPage) { p.Rows, p.Videos = []create.BatchRow{good, beyond}, 2 },
		)))},
		{"Over the limit", part.Framed(part.Frame{Now: Now}, create.Sheet(page(func(p *create.BatchPage) {
			p.Rows, p.Videos, p.Price = []create.BatchRow{good}, 1, part.Price{Credits: db.CreditsOf(50)}
		})))},
		{"A picture not checked yet", part.Framed(part.Frame{Now: Now}, create.Sheet(page(func(p *create.BatchPage) {
			waits := good
			waits.Checking = true
			p.Rows, p.Videos = []create.BatchRow{good, waits}, 2
		})))},
		{"Nobody knows the price", part.Framed(part.Frame{Now: Now}, create.Sheet(page(
			func(p *create.BatchPage) { p.Rows, p.Videos, p.Price = []create.BatchRow{good}, 1, part.Price{} },
		)))},
		{"Being made", create.MadePart(create.Made{Batch: "b", Cards: []part.Card{
			Card(Kept(1)), Card(Task(2, db.Failed), failedBy(db.RequestError, "content was blocked by the safety filter")),
			Usual(Card(Task(3, db.Processing))), Card(Task(4, db.Queued), wordy),
		}})},
		{"All made", create.MadePart(create.Made{Batch: "b", Cards: []part.Card{Card(Kept(1)), Card(Kept(2), withoutCover)}})},
	}
}
