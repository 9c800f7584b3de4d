package handlers_test

import (
	"fmt"
	"regexp"
	"testing"

	"dailies/db"
)

func TestGalleryShowsTheTeamsFinishedVideos(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	mine := h.addTask(t, 1, db.Success)
	failed := h.addTask(t, 1, db.Failed)
	hers := h.addTask(t, 2, db.Success)
	link := func(t db.Task) string { return fmt.Sprintf(`"/tasks/%d"`, t.ID) }
	kim.get("/gallery").is(200).shows(link(mine), link(hers)).hides(link(failed))
	kim.get("/gallery?who=me").is(200).shows(link(mine)).hides(link(hers))
	kim.get("/gallery?status=all").is(200).shows(link(mine), link(hers), link(failed))
	ada.get("/gallery?status=all").is(200).shows(link(mine), link(hers)).hides(link(failed))
	ada.get("/gallery?status=failed").is(200).hides(link(failed))
	kim.get("/gallery?model=veo3&scene=text-to-video&q=PAPER+bo").is(200).shows(link(mine))
	kim.get("/gallery?model=veo3_fast").is(200).hides(link(mine))
	kim.get("/gallery?q=%22%20OR%20NEAR(&status=nonsense&scene=x&before=-3&who=you").is(200)
}

func TestGalleryIsPagedByKey(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	for range 30 {
		h.addTask(t, 1, db.Success)
	}
	older := regexp.MustCompile(`/gallery\?before=\d+`)
	first := p.get("/gallery").is(200)
	next := older.FindString(first.body)
	if next == "" {
		t.Fatal("no link to older videos")
	}
	h.addTask(t, 1, db.Success) // what is new moves no page
	second := p.get(next).is(200).shows(`"/tasks/6"`, `"/tasks/1"`).hides(`"/tasks/7"`)
	if older.MatchString(second.body) {
		t.Error("a link to older videos behind the oldest one")
	}
	if part := p.get(next, "HX-Request-Type", "partial").is(200); regexp.MustCompile(`<html`).MatchString(part.body) {
		t.Error("a part brings the whole page")
	}
}
