package press

import (
	"slices"
	"unicode/utf8"

	"dailies/db"
	"dailies/handlers/picture"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// Limits of form fields. The service and its models state none.
const MaxPrompt = 8000 // characters, as typed and as sent

// Check checks the task against the scene and the catalogue, and returns a problem
// for each invalid field. It makes no network calls.
func Check(c *videoapi.Catalog, t db.Task) site.Problems {
	var problems site.Problems
	say := func(field, sentence string) {
		problems = append(problems, site.Problem{Field: field, Text: sentence})
	}
	scene := videoapi.Scene(t.Scene)
	switch n := utf8.RuneCountInString(sentPrompt(t)); {
	case n > MaxPrompt && t.SentPrompt != "":
		say("prompt", createview.TooLongSent(n, MaxPrompt))
	case n > MaxPrompt, utf8.RuneCountInString(t.Prompt) > MaxPrompt:
		say("prompt", createview.TooLong(MaxPrompt))
	case n == 0 && scene == videoapi.TextToVideo:
		say("prompt", createview.PromptMissing)
	}
	for i, address := range t.Pictures {
		if sentence := picture.AddressSentence(address); sentence != "" {
			say(site.PictureField(i), sentence)
		}
	}
	m, known := ModelFor(c, t.Model, scene)
	if !known {
		say("model", createview.ModelUnknown)
	}
	checkPictures(scene, m.ImagesFor(scene), t.Pictures, say)
	if known {
		for field, sentence := range m.CheckValues(m.Name, t.Options) {
			say(field, sentence)
		}
	}
	if !videoapi.ProviderFits(t.Provider) {
		say("provider", createview.ProviderOdd(videoapi.MaxProvider))
	}
	return problems
}

// ModelFor returns the model with the ID, as it is in the scene, if it offers that.
func ModelFor(c *videoapi.Catalog, id string, s videoapi.Scene) (videoapi.Model, bool) {
	m, known := c.Model(id)
	if !known || !slices.Contains(m.Scenes, s) {
		return videoapi.Model{}, false
	}
	return m.In(s), true
}

// checkPictures reports too many pictures, and missing ones.
func checkPictures(scene videoapi.Scene, want videoapi.Images, pictures []string, say func(field, sentence string)) {
	missing := func(i int) bool { return i >= len(pictures) || pictures[i] == "" }
	have := len(picture.WithoutGaps(pictures))
	switch {
	case want.Max == 0 && have > 0:
		say("image_input", createview.PicturesUnused)
	case have > want.Max:
		say("image_input", createview.RoomForPictures(want.Max, have-want.Max))
	case scene == videoapi.FramesToVideo && want.Min == 2:
		if missing(0) {
			say(site.PictureField(0), createview.StartMissing)
		}
		if missing(1) {
			say(site.PictureField(1), createview.EndMissing)
		}
	case have < want.Min, scene == videoapi.ImageToVideo && have > 0 && missing(0):
		say(site.PictureField(0), createview.PictureMissing)
	}
}
