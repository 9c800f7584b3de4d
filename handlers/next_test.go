package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers"
)

func TestAPickedFrameBeginsTheNextScene(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	first := h.film(t, 1, saying("a paper boat"))
	path := fmt.Sprintf("/tasks/%d", first.ID)
	kim.get(path).is(200).shows(`id="next"`, `action="`+path+`/next"`, `enctype="multipart/form-data"`, `type="file"`)
	for _, p := range []*person{kim, ada} { // the team's videos are there to be continued
		a := p.upload(path+"/next", url.Values{"at": {"4.958"}}, []file{{"frame", "scene.jpg", photo(t, 854, 480)}}).is(303)
		to, err := url.Parse(a.Header.Get("Location"))
		must(t, err)
		q := to.Query()
		if to.Path != "/create/image-to-video" || q.Get("from") != fmt.Sprint(first.ID) || q.Get("use") != "next" {
			t.Fatalf("it leads to %s", to)
		}
		token := db.PictureToken(q.Get("image_input"))
		kim.get("/p/" + token).is(200).hides(position)
		p.get(to.String()).is(200).shows("The frame at 4.96 seconds begins the next scene", token, "></textarea>", "next scene", "a paper boat")
	}
}

func TestWhatIsNoFrameIsToldOnTheVideosPage(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	ada := h.joiner(t, p, "ada")
	first := h.film(t, 1, saying("a paper boat"))
	path := fmt.Sprintf("/tasks/%d/next", first.ID)
	frame := []file{{"frame", "scene.jpg", photo(t, 854, 480)}}
	p.upload(path, nil, []file{{"frame", "notes.txt", []byte("hello")}}).is(422).shows("This file holds no picture", "<details open", "a paper boat", "Share with a link")
	p.upload(path, nil, []file{{"frame", "", nil}}).is(422).shows("Please choose a picture first")
	p.upload(path, nil, []file{{"other", "scene.jpg", photo(t, 854, 480)}}).is(422).shows("Please choose a picture first")
	p.post(path, url.Values{"at": {"1"}}).is(422).shows("Please choose a picture first")
	p.post(path, url.Values{"at": {strings.Repeat("1", 2<<20)}}).is(413)
	for at, says := range map[string]string{"": "Your picture begins", "NaN": "Your picture begins", "-1": "Your picture begins", "1e9": "Your picture begins", "0": "0.00 seconds"} {
		a := p.upload(path, url.Values{"at": {at}}, frame).is(303)
		p.get(a.Header.Get("Location")).is(200).shows(says)
	}

	private := h.film(t, 1, func(t *db.Task) { t.Private = true })
	binned := h.film(t, 1, func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), 1 })
	ada.upload(fmt.Sprintf("/tasks/%d/next", private.ID), nil, frame).is(404)
	ada.upload("/tasks/x/next", nil, frame).is(404)
	p.upload(fmt.Sprintf("/tasks/%d/next", binned.ID), nil, frame).is(409)
	p.get(fmt.Sprintf("/tasks/%d", binned.ID)).is(200).hides(`id="next"`, "#next")
	p.upload(fmt.Sprintf("/tasks/%d/next", h.addTask(t, 1, db.Failed).ID), nil, frame).is(409)
}

func TestWithARealServiceTheNextSceneNeedsAnOpenAddress(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	first := h.film(t, 1, saying("a paper boat"))
	path, frame := fmt.Sprintf("/tasks/%d", first.ID), []file{{"frame", "scene.jpg", photo(t, 854, 480)}}
	h.elsewhere(t, func(c *handlers.Config) { c.Sandbox = nil })
	p.get(path).is(200).shows(`id="next"`, "-public-url").hides(`action="` + path + `/next"`)
	p.upload(path+"/next", nil, frame).is(422).shows("-public-url")
	h.elsewhere(t, func(c *handlers.Config) { c.PublicURL = "https://dailies.example.com" })
	p.get(path).is(200).shows(`action="` + path + `/next"`)
	a := p.upload(path+"/next", nil, frame).is(303)
	if !strings.Contains(a.Header.Get("Location"), url.QueryEscape("https://dailies.example.com/p/")) {
		t.Errorf("it leads to %s", a.Header.Get("Location"))
	}
}
