package video_test

import (
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestATitleIsSharedByTheTeam(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := h.KeptFilm(t, 1, "zebra secretly crossing")
	page := handlerstest.TaskPage(film)
	kim.Get(page).Is(200).Has("#video-title[placeholder]").Shows("<title>zebra secretly crossing · Dailies")
	ada.Post(page+"/title", url.Values{"title": {" The  harbour\n<b>fair</b> "}, "next": {page + "?starred=1"}}).Is(303).LeadsTo(page + "?starred=1")
	ada.Get(page).Is(200).Shows("Saved.")
	kim.Get(page).Is(200).Shows("<title>The harbour &lt;b&gt;fair&lt;/b&gt; · Dailies")
	for _, found := range []string{"harbour", "zebra", "harb zeb"} {
		kim.Get("/gallery?q=" + url.QueryEscape(found)).Is(200).Shows("The harbour")
	}
	if name := kim.Get(page + "/recipe").Is(200).Header.Get("Content-Disposition"); !strings.Contains(name, "The harbour") {
		t.Errorf("the file is called %s", name)
	}
	h.Stranger(t).Get(kim.Share(page, "")).Is(200).Hides("harbour", "zebra")

	long := strings.Repeat("é", db.MaxTitle+1)
	kim.Post(page+"/title", url.Values{"title": {long}}).Is(422).Has("#video-title[aria-invalid=true]").Shows("A title has 120 letters at most. This one has 121.", long)
	kim.Post(page+"/title", url.Values{"title": {long[:2*db.MaxTitle]}}, "HX-Request-Type", "partial").Is(200).Has("#title-form").Hides("<html")
	kim.Post(page+"/title", url.Values{"title": {" "}}).Is(303)
	kim.Get(page).Is(200).Shows("<title>zebra secretly crossing · Dailies")
	kim.Get("/gallery?q=harbour").Is(200).Hides("zebra")

	kim.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{film}, "on", "true")).Is(303)
	ada.Post(page+"/title", url.Values{"title": {"Seen"}}).Is(404)
}
