package create_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

func TestAPickedFrameBeginsTheNextScene(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	first := h.Film(t, 1, handlerstest.Saying("a paper boat"))
	path := fmt.Sprintf("/tasks/%d", first.ID)
	kim.Get(path).Is(200).Has("#next", `[action="`+path+`/next"]`, `[enctype="multipart/form-data"]`, "[type=file]")
	for _, p := range []*handlerstest.Browser{kim, ada} { // a video of the team can be continued by everybody
		a := p.Upload(path+"/next", url.Values{"at": {"4.958"}}, []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}).Is(303)
		to, err := url.Parse(a.Header.Get("Location"))
		must(t, err)
		q := to.Query()
		if to.Path != "/create/image-to-video" || q.Get("from") != fmt.Sprint(first.ID) || q.Get("use") != "next" {
			t.Fatalf("it leads to %s", to)
		}
		token := ordering.PictureToken(q.Get("image_input"))
		kim.Get("/p/" + token).Is(200).Hides(handlerstest.Position)
		p.Get(to.String()).Is(200).Shows("Your next scene starts with the frame at 4.96 s", token, "></textarea>", "next scene", "a paper boat")
	}
}

func TestAnUnusableFrameIsExplainedOnTheVideosPage(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	first := h.Film(t, 1, handlerstest.Saying("a paper boat"))
	path := fmt.Sprintf("/tasks/%d/next", first.ID)
	frame := []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}
	p.Upload(path, nil, []handlerstest.File{{Field: "frame", Name: "notes.txt", Content: []byte("hello")}}).Is(422).Has("#next[data-shown]").Shows("use this file", "a paper boat")
	p.Upload(path, nil, []handlerstest.File{{Field: "frame", Name: "", Content: nil}}).Is(422).Shows("Choose a picture first")
	p.Upload(path, nil, []handlerstest.File{{Field: "other", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}).Is(422).Shows("Choose a picture first")
	p.Post(path, url.Values{"at": {"1"}}).Is(422).Shows("Choose a picture first")
	p.Post(path, url.Values{"at": {strings.Repeat("1", 2<<20)}}).Is(413)
	for at, says := range map[string]string{"": "starts with this picture", "NaN": "starts with this picture", "-1": "starts with this picture", "1e9": "starts with this picture", "0": "0.00 s"} {
		a := p.Upload(path, url.Values{"at": {at}}, frame).Is(303)
		p.Get(a.Header.Get("Location")).Is(200).Shows(says)
	}

	private := h.Film(t, 1, func(t *db.Task) { t.Private = true })
	binned := h.Film(t, 1, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
	ada.Upload(fmt.Sprintf("/tasks/%d/next", private.ID), nil, frame).Is(404)
	ada.Upload("/tasks/x/next", nil, frame).Is(404)
	p.Upload(fmt.Sprintf("/tasks/%d/next", binned.ID), nil, frame).Is(409)
	p.Get(fmt.Sprintf("/tasks/%d", binned.ID)).Is(200).Hides("#next").Lacks("#next")
	p.Upload(fmt.Sprintf("/tasks/%d/next", h.AddTask(t, 1, db.Failed).ID), nil, frame).Is(409)
}

func TestWithARealServiceTheNextSceneNeedsAnOpenAddress(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	first := h.Film(t, 1, handlerstest.Saying("a paper boat"))
	path, frame := fmt.Sprintf("/tasks/%d", first.ID), []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}
	h.Connect(t, "https://service.example.com")
	p.Get(path).Is(200).Shows("Uploads aren’t set up yet").Has("#next").Lacks(`[action="` + path + `/next"]`)
	p.Upload(path+"/next", nil, frame).Is(422).Shows("Uploads aren’t set up")
	h.Restart(t, func(c *handlers.Config) { c.PublicURL = "https://dailies.example.com" })
	p.Get(path).Is(200).Has(`[action="` + path + `/next"]`)
	a := p.Upload(path+"/next", nil, frame).Is(303)
	if !strings.Contains(a.Header.Get("Location"), url.QueryEscape("https://dailies.example.com/p/")) {
		t.Errorf("it leads to %s", a.Header.Get("Location"))
	}
}
