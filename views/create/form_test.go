package create_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"dailies/db"
	"dailies/db/option"
	"dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/web/htmltest"
	"dailies/web/videoapi"
)

// emptyForm returns the form as it is first shown if pictures cannot be uploaded.
func emptyForm(t *testing.T, scene videoapi.Scene, modelID string) create.CreateForm {
	t.Helper()
	form := storybook.Form(scene, modelID)
	if form.Model.ID == "" {
		t.Fatal("no model " + modelID)
	}
	form.Token, form.Uploads = "ONETIMETOKEN", false
	return form
}

// fields returns the values that the form would send, by the names of all its inputs.
func fields(root *html.Node) map[string][]string {
	sent := map[string][]string{}
	for _, n := range htmltest.All(root, "*") {
		name := htmltest.Attr(n, "name")
		switch {
		case name == "" || n.Data == "meta":
		case n.Data == "textarea":
			sent[name] = append(sent[name], htmltest.Text(n))
		case n.Data == "input" && (htmltest.Attr(n, "type") != "radio" || htmltest.HasAttr(n, "checked")):
			sent[name] = append(sent[name], htmltest.Attr(n, "value"))
		}
	}
	return sent
}

func TestTheFormOffersOnlyWhatTheModelTakes(t *testing.T) {
	catalog := videoapi.DefaultCatalog()
	for _, scene := range videoapi.Scenes() {
		for _, m := range catalog.For(scene) {
			form := emptyForm(t, scene, m.ID)
			form.Options = form.Model.Complete(option.Values{}).Text()
			sent := fields(htmltest.Draw(t, create.CreateOptions(form)))
			for field, want := range map[string]bool{
				"duration": len(m.Durations) > 0 && !m.FixedDuration, "resolution": len(m.Resolutions) > 0,
				"aspect_ratio":   len(m.Ratios) > 0,
				"generate_audio": m.Sound.Optional(), "camera_fixed": m.Camera != option.MovingCamera, "seed": m.Seed != nil,
				"enable_safety_checker": m.Safety, "end_image_url": form.HasEndPicture(), "provider": false,
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
		videoapi.ImageToVideo:     {"Start"},
		videoapi.FramesToVideo:    {"Start", "End"},
		videoapi.ReferenceToVideo: {"Picture 1", "Picture 2", "Picture 3"},
	} {
		root := htmltest.Draw(t, part.Framed(
			part.Frame{Title: "Create", Path: "/create/" + string(scene), Viewer: &db.User{ID: 1}, Now: storybook.Now},
			create.Create(emptyForm(t, scene, "seedance-2.0"), create.Latest{}),
		))
		var labels []string
		for i := range want {
			labels = append(labels, htmltest.Texts(root, fmt.Sprintf("label[for=image_input-%d]", i))...)
		}
		if !slices.Equal(labels, want) || len(fields(root)["image_input"]) != len(want) {
			t.Errorf("%s asks for %q, want %q", scene, labels, want)
		}
	}
}

func TestTheFormSendsWhatWasChosen(t *testing.T) {
	form := emptyForm(t, videoapi.FramesToVideo, "seedance-2.0")
	form.Prompt = storybook.Prompt
	form.Pictures = []string{"https://example.com/a.jpg", "https://example.com/b.jpg"}
	form.Provider = "kie" // of a video that is made again; pages do not show it
	root := htmltest.Draw(t, part.Framed(
		part.Frame{Title: "Create", Path: "/create/frames-to-video", Viewer: &db.User{ID: 1}, Now: storybook.Now},
		create.Create(form, create.Latest{}),
	))
	sent := fields(root)
	for field, want := range map[string][]string{
		"token": {"ONETIMETOKEN"}, "prompt": {storybook.Prompt}, "model": {"seedance-2.0"}, "options_of": {"seedance-2.0"},
		"image_input": form.Pictures,
		"duration":    {"5"}, "resolution": {"720p"}, "aspect_ratio": {"16:9"}, "generate_audio": {"true"}, "provider": {"kie"},
	} {
		if !slices.Equal(sent[field], want) {
			t.Errorf("%s is %q, want %q", field, sent[field], want)
		}
	}
	made := htmltest.First(t, root, "form#make")
	if htmltest.Attr(made, "action") != "/create/frames-to-video" || htmltest.Attr(made, "method") != "post" {
		t.Errorf("the form goes to %q", htmltest.Attr(made, "action"))
	}
	// Enter activates the first submit button, which must send the form normally. Only
	// one button may have the label that users, and external programs, look for.
	submits, named := htmltest.All(made, "*"), 0
	submits = slices.DeleteFunc(submits, func(n *html.Node) bool {
		return !(n.Data == "button" && htmltest.Attr(n, "type") != "button" || n.Data == "input" && htmltest.Attr(n, "type") == "submit")
	})
	if first := submits[0]; htmltest.HasAttr(first, "formaction") || htmltest.HasAttr(first, "name") {
		t.Errorf("Enter presses %v", first.Attr)
	}
	for _, n := range submits {
		if strings.HasPrefix(htmltest.Text(n)+htmltest.Attr(n, "value"), "Make the video") {
			named++
		}
	}
	if named != 1 {
		t.Errorf("%d buttons make the video", named)
	}
}

func TestMessagesStandBesideTheirFields(t *testing.T) {
	form := emptyForm(t, videoapi.ImageToVideo, "bytedance/v1-lite-image-to-video")
	form.Errors = input.Errors{"prompt": "P", "image_input.0": "I", "end_image_url": "E", "seed": "S", "duration": "D", "strange": "X"}
	root := htmltest.Draw(t, part.Framed(
		part.Frame{Title: "Create", Path: "/create/image-to-video", Viewer: &db.User{ID: 1}, Now: storybook.Now},
		create.Create(form, create.Latest{}),
	))
	for field, message := range map[string]string{"prompt": "P", "image_input-0": "I", "end_image_url": "E", "seed": "S"} {
		n := htmltest.First(t, root, "[id="+field+"]")
		if htmltest.Attr(n, "aria-invalid") != "true" ||
			!slices.Contains(strings.Fields(htmltest.Attr(n, "aria-describedby")), field+"-error") {
			t.Errorf("%s is not marked: %v", field, n.Attr)
		}
		if got := htmltest.Text(htmltest.First(t, root, "p#"+field+"-error")); got != message {
			t.Errorf("beside %s it says %q", field, got)
		}
	}
	if !htmltest.HasAttr(htmltest.First(t, root, "button#open-generate_audio"), "data-bad") {
		t.Error("nothing tells that there is a message about the seed in the choices")
	}
	order := htmltest.Texts(root, "div#summary li")
	if !slices.Equal(order, []string{"P", "I", "E", "D", "S", "X"}) {
		t.Errorf("the summary lists %v", order)
	}
}
