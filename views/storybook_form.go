package views

import (
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/web/videoapi"
)

func buttonStories() []story {
	return []story{
		{"What the page is for", storyButton("btn primary", "Make the first video")},
		{"Pressed, and at work", storyBusy()},
		{"Plain", storyButton("btn", "Download")},
		{"Quiet", storyButton("btn quiet", "Back to the newest")},
		{"Small", storyButton("btn small", "Try again · 30 credits")},
		{"Quiet and small", storyButton("btn quiet small", "Details")},
		{"Takes something away", storyButton("btn danger small", "Delete the webhook")},
		{"As wide as its form", storyButton("btn primary wide", "Sign in")},
		{"Asks once more", confirm("Delete it", "/", "What still waits to be sent is dropped.", "Delete the webhook")},
		{"Links to start from", exampleLinks()},
	}
}

func fieldStories() []story {
	text := templ.Attributes{"type": "text"}
	wrong := Errors{"name": "Please say what we may call you.", "email": "This is not an e-mail address."}
	filled, empty, long := storyForm(videoapi.TextToVideo, "seedance-2.0"), storyForm(videoapi.TextToVideo, "seedance-2.0"), storyForm(videoapi.TextToVideo, "seedance-2.0")
	filled.Prompt = storyPrompt
	empty.Errors = Errors{"prompt": "Please say what happens."}
	long.Prompt, long.Errors = strings.Repeat(storyLong, 4), Errors{"prompt": "At most 2,000 letters, please."}
	return []story{
		{"Empty", line(nil, "name", "Your name", "", text)},
		{"With a hint", line(nil, "name", "Your name", "The team sees it beside your videos.", text)},
		{"Filled", line(nil, "name", "Your name", "", templ.Attributes{"type": "text", "value": "Mara Ellison"})},
		{"With a mistake", line(wrong, "name", "Your name", "", text)},
		{"With a hint and a mistake", line(wrong, "email", "Email", "You sign in with it. Nothing is sent there.", templ.Attributes{"type": "email", "value": "mara"})},
		{"To be copied", storyCopy()},
		{"What happens, empty", promptField(storyForm(videoapi.TextToVideo, "seedance-2.0"))},
		{"What happens, filled", promptField(filled)},
		{"What happens, missing", promptField(empty)},
		{"What happens, too long", promptField(long)},
	}
}

func chipStories() []story {
	m := storyForm(videoapi.TextToVideo, "seedance-2.0").Model
	wrong := Errors{"duration": "This model makes 4 to 15 seconds."}
	return []story{
		{"Two", chips(nil, "generate_audio", "Sound", "true", yesNo("With sound", "Silent"))},
		{"Many", chips(nil, "duration", "Length", "5", durations(m))},
		{"Shapes", chips(nil, "aspect_ratio", "Shape", "16:9", same([]string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21", "Auto"}))},
		{"None chosen", chips(nil, "resolution", "Resolution", "", same(m.Resolutions))},
		{"With a mistake", chips(wrong, "duration", "Length", "", durations(m))},
		{"Not a choice", decided("Length", "8 s, decided by the model")},
	}
}

func pictureStories() []story {
	one := func(address string) CreateForm {
		form := storyForm(videoapi.ImageToVideo, "seedance-2.0")
		form.Pictures[0] = address
		return form
	}
	lake := one(storySite + "lake.jpg")
	wrong := one("lake")
	wrong.Errors = Errors{"image_input.0": "This is not a web address. It starts with https://"}
	linksOnly := one("")
	linksOnly.Uploads = false
	again := one("")
	again.Earlier = []EarlierPicture{{storySite + "lake.jpg", "lake.jpg"}, {storySite + "bud.jpg", ""}}
	field := func(form CreateForm, removable bool) templ.Component {
		return picture(form, "image_input", "image_input.0", "Picture", form.Pictures[0], removable)
	}
	return []story{
		{"Empty", field(one(""), false)},
		{"Links only", field(linksOnly, false)},
		{"Filled, can be removed", field(lake, true)},
		{"With a mistake", field(wrong, false)},
		{"Note: it will do", storyPicture(lake, PictureNote{Text: "1920 × 1080, 412 kB.", Good: true})},
		{"Note: it will not do", storyPicture(lake, PictureNote{Text: "No picture shows up at this address.", Bad: true})},
		{"Note: slow", storyPicture(lake, PictureNote{Text: "It took 9 s to come. The service may give up on it.", Slow: true})},
		{"Pictures from before", earlier(again)},
	}
}

func modelStories() []story {
	wrong := storyForm(videoapi.TextToVideo, "seedance-2.0")
	wrong.Model, wrong.Errors = videoapi.Model{}, Errors{"model": "Please choose a model."}
	return []story{
		{"Scenes", tabs(storyForm(videoapi.FramesToVideo, "seedance-2.0"))},
		{"Models", models(storyForm(videoapi.TextToVideo, "veo3"))},
		{"Models, none chosen", models(wrong)},
	}
}

func priceStories() []story {
	at := func(modelID string, p Price, notes ...string) templ.Component {
		form := storyForm(videoapi.TextToVideo, modelID)
		form.Price, form.Notes = p, notes
		return CreateOptions(form)
	}
	return []story{
		{"Stated by the service", at("seedance-2.0", Price{Credits: db.CreditsOf(30), Stated: true})},
		{"As the last time", at("veo3", Price{Credits: db.CreditsOf(60)})},
		{"Not known, and an option was changed", at("bytedance/v1-lite-text-to-video", Price{}, "The length is 5 s now, because this model makes 5 or 10 s.")},
	}
}
