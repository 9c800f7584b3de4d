package storybook_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dailies/views/create"
	"dailies/views/part"
	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// fields are the names of the form's inputs, and the values that would be sent.
func fields(root *html.Node) map[string][]string {
	sent := map[string][]string{}
	for n := range elements(root) {
		name := attribute(n, "name")
		switch {
		case name == "" || n.Data == "meta":
		case n.Data == "textarea":
			sent[name] = append(sent[name], words(n))
		case n.Data == "input" && (attribute(n, "type") != "radio" || has(n, "checked")):
			sent[name] = append(sent[name], attribute(n, "value"))
		}
	}
	return sent
}

func TestTheFormOffersOnlyWhatTheModelTakes(t *testing.T) {
	catalog := videoapi.DefaultCatalog()
	for _, scene := range videoapi.Scenes() {
		for _, m := range catalog.For(scene) {
			form := emptyForm(scene, m.ID)
			if len(m.Durations) > 0 {
				form.Duration = part.Number(float64(m.Durations[0]))
			}
			sent := fields(parse(t, create.CreateOptions(form)))
			for field, want := range map[string]bool{
				"duration": len(m.Durations) > 0 && !m.FixedDuration, "resolution": len(m.Resolutions) > 0, "aspect_ratio": len(m.Ratios) > 0,
				"generate_audio": m.Sound.Optional(), "camera_fixed": m.Camera != option.MovingCamera, "seed": m.Seed != nil,
				"enable_safety_checker": m.Safety, "end_image_url": form.HasEndPicture(), "provider": true,
			} {
				if got := len(sent[field]) == 1; got != want {
					t.Errorf("%s, %s: offers %s is %v, want %v", scene, m.ID, field, got, want)
				}
			}
		}
	}
}

func TestEverySceneAsksForItsPictures(t *testing.T) {
	for scene, want := range map[videoapi.Scene][]string{
		videoapi.TextToVideo:      nil,
		videoapi.ImageToVideo:     {"Picture"},
		videoapi.FramesToVideo:    {"Start frame", "End frame"},
		videoapi.ReferenceToVideo: {"Picture 1", "Picture 2", "Picture 3"},
	} {
		root := parse(t, create.Create(frame("Create", "/create/"+string(scene)), emptyForm(scene, "seedance-2.0"), create.Latest{}))
		var labels []string
		for n := range elements(root) {
			if n.Data == "label" && strings.HasPrefix(attribute(n, "for"), "image_input") {
				labels = append(labels, words(n))
			}
		}
		if !slices.Equal(labels, want) || len(fields(root)["image_input"]) != len(want) {
			t.Errorf("%s asks for %q, want %q", scene, labels, want)
		}
	}
}

func TestTheFormSendsWhatWasChosen(t *testing.T) {
	form := filled(emptyForm(videoapi.FramesToVideo, "seedance-2.0"))
	form.Pictures = []string{"https://example.com/a.jpg", "https://example.com/b.jpg"}
	root := parse(t, create.Create(frame("Create", "/create/frames-to-video"), form, create.Latest{}))
	sent := fields(root)
	for field, want := range map[string][]string{
		"token": {"ONETIMETOKEN"}, "prompt": {tram}, "model": {"seedance-2.0"}, "options_of": {"seedance-2.0"}, "image_input": form.Pictures,
		"duration": {"5"}, "resolution": {"720p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}, "provider": {""},
	} {
		if !slices.Equal(sent[field], want) {
			t.Errorf("%s is %q, want %q", field, sent[field], want)
		}
	}
	made := first(t, root, "form", "id", "make")
	if attribute(made, "action") != "/create/frames-to-video" || attribute(made, "method") != "post" {
		t.Errorf("the form goes to %q", attribute(made, "action"))
	}
	for n := range elements(made) {
		if n.Data == "button" && attribute(n, "type") != "button" {
			if words(n) != "Make the video" || has(n, "formaction") {
				t.Errorf("Enter presses %q", words(n))
			}
			break
		}
	}
}

func TestMessagesStandBesideTheirFields(t *testing.T) {
	form := emptyForm(videoapi.ImageToVideo, "bytedance/v1-lite-image-to-video")
	form.Errors = part.Errors{"prompt": "P", "image_input.0": "I", "end_image_url": "E", "seed": "S", "duration": "D", "strange": "X"}
	root := parse(t, create.Create(frame("Create", "/create/image-to-video"), form, create.Latest{}))
	for field, message := range map[string]string{"prompt": "P", "image_input-0": "I", "end_image_url": "E", "seed": "S"} {
		for n := range elements(root) {
			if attribute(n, "id") != field {
				continue
			}
			if attribute(n, "aria-invalid") != "true" || !slices.Contains(strings.Fields(attribute(n, "aria-describedby")), field+"-error") {
				t.Errorf("%s is not marked: %v", field, n.Attr)
			}
		}
		if got := words(first(t, root, "p", "id", field+"-error")); got != message {
			t.Errorf("beside %s it says %q", field, got)
		}
	}
	if !has(first(t, root, "details", "id", "more"), "open") {
		t.Error("the message about the seed is folded away")
	}
	var order []string
	for n := range elements(first(t, root, "div", "id", "summary")) {
		if n.Data == "li" {
			order = append(order, words(n))
		}
	}
	if !slices.Equal(order, []string{"P", "I", "E", "D", "S", "X"}) {
		t.Errorf("the summary lists %v", order)
	}
}

func TestThePriceIsSaidBeforeTheButton(t *testing.T) {
	form := emptyForm(videoapi.TextToVideo, "seedance-2.0")
	for want, price := range map[string]part.Price{
		"30 credits the price that the service states":                      form.Price,
		"About 30 credits this cost 30 credits last time":                   {Credits: form.Price.Credits},
		"Price not known yet the service says it once the video is started": {},
	} {
		form.Price = price
		if text := words(parse(t, create.CreateOptions(form))); !strings.Contains(text, want+" Make the video") {
			t.Errorf("it does not say %q", want)
		}
	}
}
