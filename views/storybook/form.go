package storybook

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/views/account"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

func buttonStories() []story {
	return []story{
		{"What the page is for", element("button", "btn primary", "Make the first video")},
		{"Pressed, and at work", storyBusy()},
		{"Plain", element("button", "btn", "Download")},
		{"Quiet", element("button", "btn quiet", "Back to the newest")},
		{"Takes something away", element("button", "btn bad", "Delete the webhook")},
		{"Asks once more", part.Confirm("Delete it", "/", "What still waits to be sent is dropped.", "Delete the webhook")},
		{"Links to start from", create.ExampleLinks()},
	}
}

func fieldStories() []story {
	name, hinted := account.NewName("", ""), account.NewName("", "The team sees it beside your videos.")
	filled, empty, long := Form(videoapi.TextToVideo, "seedance-2.0"), Form(videoapi.TextToVideo, "seedance-2.0"), Form(videoapi.TextToVideo, "seedance-2.0")
	filled.Prompt = Prompt
	empty.Errors = input.Errors{"prompt": "Write what should happen."}
	long.Prompt, long.Errors = strings.Repeat(storyLong, 4), input.Errors{"prompt": "104 characters too long"}
	return []story{
		{"Empty", name.Show()},
		{"With a hint", hinted.Show()},
		{"Filled", typed(name, "Mara Ellison", "")},
		{"With a mistake", typed(name, "", "Enter your name.")},
		{"With a hint and a mistake", typed(account.NewSignUpForm().Email, "mara", "Enter an address, such as kim@example.com.")},
		{"To be copied", part.ShownOnce(
			"new-link", "The new link, shown this once", "https://dailies.example.com/join/ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		)},
		{"Prompt, empty", create.PromptField(Form(videoapi.TextToVideo, "seedance-2.0"))},
		{"Prompt, filled", create.PromptField(filled)},
		{"Prompt, missing", create.PromptField(empty)},
		{"Prompt, too long", create.PromptField(long)},
	}
}

// listStories shows what becomes of a list or a table in the prompt.
func listStories() []story {
	sheet := option.Text{"aspect_ratio": "16:9", "duration": "5", "resolution": "720p"}
	good := create.ListRow{Prompt: "A cat walks in.\nIt sits down.", Options: sheet, Price: "30 credits"}
	list := func(l create.List, price part.Price) templ.Component {
		form := Form(videoapi.TextToVideo, "seedance-2.0")
		form.List, form.Listing, form.Price = true, &l, price
		for i := range l.Rows {
			l.Rows[i].At = i
			if l.Rows[i].Faults == nil {
				form.Lines++
			}
		}
		return create.ListPart(form)
	}
	wrong := func(f ordering.Fault) create.ListRow {
		return create.ListRow{Prompt: "A dog runs", Options: sheet, Faults: []string{create.CellFault(f)}}
	}
	two := part.Price{Credits: db.CreditsOf(30), Stated: true, Count: 2}
	twice := wrong(ordering.Fault{Kind: ordering.Twice, Cell: "9:16", Other: "16:9"})
	return []story{
		{"The question after a paste", storyAsked(
			"Make 1 video?", "You pasted 2 rows. Each can be a video: 30 credits in all.",
			"1 row needs a look, and isn’t made.", good, twice,
		)},
		{"A table", list(
			create.List{
				Table: true,
				Rows: []create.ListRow{good, {
					Prompt: storyLong, Options: option.Text{"aspect_ratio": "9:16", "duration": "10"}, Price: "30 credits",
				}},
			},
			two,
		)},
		{"Lines", list(create.List{Rows: []create.ListRow{{Prompt: "A boat in the fog"}, {Prompt: "A tram at night"}}}, two)},
		{"Columns that aren’t sent", list(
			create.List{Table: true, Rows: []create.ListRow{good, good}, Ignored: []string{"Notes", "Client"}}, two,
		)},
		{"Rows that need a look", list(create.List{Table: true, Rows: []create.ListRow{
			good, wrong(ordering.Fault{Kind: ordering.NotShape, Cell: "tall"}), wrong(ordering.Fault{Kind: ordering.NoUnit, Cell: "5"}),
			twice, wrong(ordering.Fault{Kind: ordering.NotInTables, Column: "Model"}),
		}}, part.Price{Credits: db.CreditsOf(30), Stated: true})},
		{"No column is the prompt", list(
			create.List{Table: true, Rows: []create.ListRow{wrong(ordering.Fault{Kind: ordering.NoPromptNamed})}}, part.Price{},
		)},
		{"A table that is too long", list(create.List{Err: ordering.ErrTableRows}, part.Price{})},
	}
}

func chipStories() []story {
	m := Form(videoapi.TextToVideo, "seedance-2.0").Model
	wrong := input.Errors{"duration": "This model makes 4 to 15 seconds."}
	return []story{
		{"Two", choices(nil, "Sound", "true", "true", "false")},
		{"Many", choices(nil, "Length", "5", "5", "10")},
		{"Shapes", choices(nil, "Shape", "16:9", "16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21", "Auto")},
		{"None chosen", choices(nil, "Resolution", "", m.Resolutions...)},
		{"With a mistake", choices(wrong, "Length", "", "5", "10")},
		{"Not a choice", create.Decided("Length", "8 s, decided by the model")},
	}
}

func pictureStories() []story {
	one := func(address string) create.CreateForm {
		form := Form(videoapi.ImageToVideo, "seedance-2.0")
		form.Pictures[0] = address
		return form
	}
	lake := one(storySite + "lake.jpg")
	wrong := one("lake")
	wrong.Errors = input.Errors{"image_input.0": "A link starts with https://"}
	linksOnly := one("")
	linksOnly.Uploads = false
	again := one("")
	again.Earlier = []create.EarlierPicture{{Address: storySite + "lake.jpg", Name: "lake.jpg"}, {Address: storySite + "bud.jpg"}}
	field := func(form create.CreateForm) templ.Component {
		return create.PictureField(form, "image_input", "image_input.0", "Picture", form.Pictures[0])
	}
	return []story{
		{"Empty", field(one(""))},
		{"Links only", field(linksOnly)},
		{"Filled", field(lake)},
		{"With a mistake", field(wrong)},
		{"Note: it will do", storyPicture(lake, create.PictureNote{
			Name: "lake.jpg", Facts: "1920 × 1080 · 412 kB", Width: 1920, Height: 1080, Good: true,
		})},
		{"Note: it’s wrong", storyPicture(lake, create.PictureNote{Text: "No picture at this link", Bad: true})},
		{"Note: slow", storyPicture(lake, create.PictureNote{Text: "It took 9 s to come. The service may give up on it.", Slow: true})},
		{"Pictures from before", create.EarlierPictures(again)},
	}
}

func modelStories() []story {
	wrong := Form(videoapi.TextToVideo, "seedance-2.0")
	wrong.Model, wrong.Errors = videoapi.Model{}, input.Errors{"model": "Choose a model."}
	return []story{
		{"Scenes", create.Tabs(Form(videoapi.FramesToVideo, "seedance-2.0"))},
		{"Models", create.Models(Form(videoapi.TextToVideo, "veo3"))},
		{"Models, none chosen", create.Models(wrong)},
	}
}

func priceStories() []story {
	at := func(modelID string, p part.Price, notes ...string) templ.Component {
		form := Form(videoapi.TextToVideo, modelID)
		form.Price, form.Notes = p, notes
		return create.CreateOptions(form)
	}
	return []story{
		{"Stated by the service", at("seedance-2.0", part.Price{Credits: db.CreditsOf(30), Stated: true})},
		{"As the last time", at("veo3", part.Price{Credits: db.CreditsOf(60)})},
		{"As the last times", at("veo3", part.Estimated(ordering.Estimate{Typical: db.CreditsOf(24), Low: 22, High: 26, Count: 5}))},
		{"As with other options", at("veo3", part.Estimated(ordering.Estimate{
			Typical: db.CreditsOf(24), Low: 8, High: 60, Count: 9, Loose: true,
		}))},
		{"Not known, and an option was changed", at(
			"bytedance/v1-lite-text-to-video", part.Price{}, "The length is 5 s now, because this model makes 5 or 10 s.",
		)},
	}
}

// choices returns the radio buttons of the option with the label.
func choices(errs input.Errors, label, chosen string, values ...string) templ.Component {
	i := slices.IndexFunc(part.Options, func(o part.Option) bool { return o.Label == label })
	form := create.CreateForm{Errors: errs, Options: option.Text{part.Options[i].Name: chosen}}
	return create.Choices(form, part.Options[i], values)
}
