package handlers_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
}

func TestWhatMakesNoSenseInTheAddressChoosesNothing(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	h.addTask(t, 1, db.Success)
	for _, query := range []string{
		"status=nonsense", "scene=x", "before=-3", "who=you", "who=-1", "starred=yes", "through=x", "through=-1", "date=tomorrow",
		"from=2026-13-01", "until=yesterday", "collection=99", "collection=x", "tag=%00%01", "q=%22(*", "from=0001-01-01",
		"model=%ff", "who=99999999999999999999", "status=", "scene=&model=&ratio=&who=&q=&tag=&date=&from=&until=",
	} {
		for _, part := range []string{"full", "partial"} {
			kim.get("/gallery?"+query, "HX-Request-Type", part).is(200).shows(`"/tasks/1"`)
		}
	}
}

func TestGalleryIsFilteredByEverything(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	h.joiner(t, kim, "ada")
	starred, tagged, hers := h.addTask(t, 1, db.Success), h.addTask(t, 1, db.Success), h.addTask(t, 2, db.Success)
	user := db.User{ID: 1}
	_, err := h.store.StarTasks(t.Context(), user, []int64{starred.ID}, true)
	must(t, err)
	_, err = h.store.TagTasks(t.Context(), user, []int64{tagged.ID}, []string{"Night, harbour"}, nil, db.Now())
	must(t, err)
	today, tomorrow := db.Now().Format(time.DateOnly), db.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	all := []int64{starred.ID, tagged.ID, hers.ID}
	for query, want := range map[string][]int64{
		"starred=1": {starred.ID}, "tag=night%2C+HARBOUR": {tagged.ID}, "who=2": {hers.ID}, "who=me": {starred.ID, tagged.ID},
		"date=today": all, "date=week": all, "date=year": all, "from=" + today: all, "from=" + tomorrow: nil, "until=" + today: all,
		"until=2020-01-01": nil, "from=" + today + "&until=" + today: all, "ratio=21:9": nil, "who=me&starred=1&date=month&q=paper": {starred.ID},
	} {
		page := kim.get("/gallery?" + query).is(200)
		for _, id := range all {
			if shown := strings.Contains(page.body, fmt.Sprintf(`"/tasks/%d"`, id)); shown != slices.Contains(want, id) {
				t.Errorf("%s: video %d shows: %v", query, id, shown)
			}
		}
	}
}

func TestGalleryIsPagedByKey(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	for range 30 {
		h.addTask(t, 1, db.Success)
	}
	older := regexp.MustCompile(`href="(/gallery\?before=\d+)"`)
	first := older.FindStringSubmatch(p.get("/gallery").is(200).body)
	if first == nil {
		t.Fatal("no link to older videos")
	}
	next := first[1]
	h.addTask(t, 1, db.Success) // what is new moves no page
	second := p.get(next).is(200).shows(`"/tasks/6"`, `"/tasks/1"`).hides(`"/tasks/7"`)
	if older.MatchString(second.body) {
		t.Error("a link to older videos behind the oldest one")
	}
	if part := p.get(next, "HX-Request-Type", "partial").is(200); regexp.MustCompile(`<html`).MatchString(part.body) {
		t.Error("a part brings the whole page")
	}
}
