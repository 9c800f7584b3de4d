package create

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Limits of form fields. Models do not state theirs; these are the usual limits of
// similar services.
const (
	maxPrompt  = 2000 // characters
	maxAddress = 2048 // bytes
)

const longPrompt = "%d characters at most"

// check checks the task against the scene and the catalogue, and returns a problem
// for each invalid field. It makes no network calls.
func check(c *videoapi.Catalog, t db.Task) Problems {
	var problems Problems
	say := func(field, format string, values ...any) {
		problems = append(problems, Problem{Field: field, Text: fmt.Sprintf(format, values...)})
	}
	scene := videoapi.Scene(t.Scene)
	switch n := utf8.RuneCountInString(t.Prompt); {
	case n > maxPrompt:
		say("prompt", longPrompt, maxPrompt)
	case n == 0 && scene == videoapi.TextToVideo:
		say("prompt", "Write what should happen, or add a picture.")
	}
	for i, address := range t.Pictures {
		if sentence := addressSentence(address); sentence != "" {
			say(PictureField(i), "%s", sentence)
		}
	}
	m, known := modelFor(c, t.Model, scene)
	if !known {
		say("model", "Choose one of these models.")
	}
	checkPictures(scene, m.ImagesFor(scene), t.Pictures, say)
	if known {
		for field, sentence := range m.Check(m.Name, t.Options.Text()) {
			say(field, "%s", sentence)
		}
	}
	if !videoapi.ProviderFits(t.Provider) {
		say("provider", "Provider: %d plain letters and digits at most. Press Make to go on without it.", videoapi.MaxProvider)
	}
	return problems
}

// modelFor returns the model with the ID if it offers the scene.
func modelFor(c *videoapi.Catalog, id string, s videoapi.Scene) (videoapi.Model, bool) {
	m, known := c.Model(id)
	if !known || !slices.Contains(m.Scenes, s) {
		return videoapi.Model{}, false
	}
	return m, true
}

// addressSentence returns what is wrong with the syntax of a picture's address, or ""
// if the address is valid or empty.
func addressSentence(address string) string {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return ""
	case len([]rune(address)) > maxAddress:
		return "This link is too long: 2,048 characters at most."
	case err != nil || u.Host == "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		return "This isn’t a web address. It starts with https:// or http://"
	}
	return ""
}

// checkPictures reports too many pictures, and missing ones.
func checkPictures(scene videoapi.Scene, want videoapi.Images, pictures []string, say func(field, format string, values ...any)) {
	missing := func(i int) bool { return i >= len(pictures) || pictures[i] == "" }
	have := len(withoutGaps(pictures))
	switch {
	case want.Max == 0 && have > 0:
		say("image_input", "“Words” takes no pictures. Choose Picture, Start and end, or References.")
	case have > want.Max:
		say("image_input", "%s", roomFor(want.Max, have-want.Max))
	case scene == videoapi.FramesToVideo && want.Min == 2:
		if missing(0) {
			say(PictureField(0), "Add a picture to start with.")
		}
		if missing(1) {
			say(PictureField(1), "Add a picture to end with.")
		}
	case have < want.Min, scene == videoapi.ImageToVideo && have > 0 && missing(0):
		say(PictureField(0), "Add a picture: drop it here, choose a file, or paste a link.")
	}
}

// roomFor says how many pictures there is room for, and that there are some too many.
func roomFor(most, over int) string {
	if over == 1 {
		return part.Plural(most, "Room for %s picture. Remove one.", "Room for %s pictures. Remove one.")
	}
	return part.Plural(most, "Room for %s picture. Remove %[2]d.", "Room for %s pictures. Remove %[2]d.", over)
}
