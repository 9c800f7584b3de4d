package storybook_test

import (
	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

func recipe(change ...func(*ordering.Recipe)) ordering.Recipe {
	r := ordering.Recipe{
		ID: 7, Name: "Product on a table", Note: "For the shop", Request: db.Request{Scene: "frames-to-video", Model: "seedance-2.0",
			Prompt:   "A {{product}} <b> on a {{ place }} table, {{Product}}",
			Pictures: []string{"{{start picture}}", "https://images.example.com/end.jpg"},
			Options:  db.Options{Duration: 5, AspectRatio: "16:9"}}, Ceiling: db.CreditsOf(40),
		CreatedBy: 2, MakerName: "Kim Doe", CreatedAt: ago(9 * 24 * 3600e9), ChangedAt: ago(9 * 24 * 3600e9), Uses: 2, UsedAt: ago(3600e9),
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func recipeCard(r ordering.Recipe) create.RecipeCard {
	return create.RecipeCard{Recipe: r, ModelName: "Seedance 2.0", Change: true, Now: now}
}

// recipePage returns the page of a recipe with its blanks filled in.
func recipePage(r ordering.Recipe, price db.Credits, values ...string) create.RecipePage {
	p := create.RecipePage{Card: recipeCard(r), Form: emptyForm(videoapi.Scene(r.Scene), "seedance-2.0")}
	p.Form.Price, p.Form.Uploads = part.Price{Credits: price, Stated: true}, true
	for i, b := range r.Blanks() {
		p.Fields = append(p.Fields, create.RecipeField{Blank: b, Value: append(values, "", "", "")[i]})
	}
	return p
}

func addRecipes(all map[string]templ.Component) {
	r, gone := recipe(), recipe(func(r *ordering.Recipe) { r.ID, r.Name, r.DeletedAt = 8, "Old one", now })
	all["recipes"] = shown("Recipes", "/recipes", create.ShowRecipes([]create.RecipeCard{recipeCard(r)}, &gone))
	all["recipes-empty"] = shown("Recipes", "/recipes", create.ShowRecipes(nil, nil))
	all["recipe"] = practising("Recipe", "/recipes/7", create.ShowRecipe(recipePage(r, db.CreditsOf(30)), latest()))
	over := recipePage(r, db.CreditsOf(50), "cup <i>", "oak", "https://images.example.com/a.jpg")
	over.Form.Errors = input.Errors{"": "Too dear.", "blank.0": "Please fill in “product”.", "blank.2": "This is not a web address."}
	all["recipe-over"] = shown("Recipe", "/recipes/7", create.ShowRecipe(over, latest()))
	unsure := recipePage(r, db.Credits{})
	unsure.Form.Errors = input.Errors{"anyway": "Please check this box."}
	all["recipe-unsure"] = shown("Recipe", "/recipes/7", create.ShowRecipe(unsure, create.Latest{}))

	form := emptyForm(videoapi.FramesToVideo, "seedance-2.0")
	form.Blanks, form.Uploads, form.Prompt, form.Pictures = true, true, r.Prompt+" {{", []string{"{{a.b}}", "https://images.example.com/end.jpg"}
	form.Paths = create.FormPaths{Look: "/recipes/new", Options: "/recipes/options?scene=frames-to-video", Upload: "/recipes"}
	all["recipe-new"] = shown("New recipe", "/recipes/new", create.EditRecipe(create.RecipeEdit{
		Fields: create.NewRecipeFields(ordering.Recipe{}), Form: form,
	}))
	form.Errors = input.Errors{
		"asked.image_input.0": "Please name it with letters.", "name": "Please give it a name.",
		"image_input.1": "This is not a web address.",
	}
	fields := create.NewRecipeFields(ordering.Recipe{})
	form.Errors.Mark(fields.Inputs()...)
	all["recipe-edit"] = shown("Recipe", "/recipes/7/edit", create.EditRecipe(create.RecipeEdit{Recipe: r, Fields: fields, Form: form}))

	all["batch"] = shown("Make in bulk", "/recipes/7/batch", create.ShowBatch(create.BatchPage{
		Card: recipeCard(r), Text: "x\ty", Errors: input.Errors{"table": "Too large."},
	}))
	all["batch-rows"] = shown("Make in bulk", "/recipes/7/batch", create.ShowBatch(batchPage(r, db.CreditsOf(30))))
	all["batch-unsure"] = shown("Make in bulk", "/recipes/7/batch", create.ShowBatch(batchPage(r, db.Credits{})))
	made := create.Made{Batch: "b1", Recipe: &r, Cards: []part.Card{card(kept(51)), card(task(52, db.Processing)), failed(53)}}
	all["batch-made"] = shown("Batch", "/batches/b1", create.ShowMade(made))
}

func batchPage(r ordering.Recipe, price db.Credits) create.BatchPage {
	return create.BatchPage{
		Card: recipeCard(r), Notes: []string{"The first row names the columns."}, Videos: 2,
		Price: part.Price{Credits: price, Stated: true},
		Rows: []create.BatchRow{
			{Values: []string{"cup <i>", "oak", "https://images.example.com/a.jpg"}, Hints: []string{"The same as row 3."}},
			{Values: []string{"", "", ""}, Errors: input.Errors{"": "It does not work.", "blank.0": "Please fill in “product”."}},
			{Values: []string{"", "oak", ""}, Errors: input.Errors{"blank.0": "Please fill in “product”."}, Skip: true},
		},
	}
}
