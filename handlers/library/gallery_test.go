package library_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/store/sampletest"
	"dailies/handlers/handlerstest"
)

func TestGalleryShowsTheTeamsFinishedVideos(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	mine := h.AddTask(t, 1, db.Success)
	failed := h.AddTask(t, 1, db.Failed)
	hers := h.AddTask(t, 2, db.Success)
	link := func(t db.Task) string { return fmt.Sprintf(`id="task-%d"`, t.ID) }
	kim.Get("/gallery").Is(200).Shows(link(mine), link(hers), link(failed)) // among the others, for whoever made it
	ada.Get("/gallery").Is(200).Shows(link(mine), link(hers)).Hides(link(failed))
	kim.Get("/gallery?who=me").Is(200).Shows(link(mine)).Hides(link(hers))
	kim.Get("/gallery?status=all").Is(200).Shows(link(mine), link(hers), link(failed))
	ada.Get("/gallery?status=all").Is(200).Shows(link(mine), link(hers)).Hides(link(failed))
	ada.Get("/gallery?status=failed").Is(200).Hides(link(failed))
	kim.Get("/gallery?model=veo3&scene=text-to-video&q=PAPER+bo").Is(200).Shows(link(mine))
	kim.Get("/gallery?model=veo3_fast").Is(200).Hides(link(mine))
}

func TestInvalidFilterValuesAreIgnored(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	for _, query := range []string{
		"status=nonsense", "scene=x", "before=-3", "who=you", "who=-1", "starred=yes", "through=x", "through=-1", "date=tomorrow",
		"from=2026-13-01", "until=yesterday", "collection=99", "collection=x", "tag=%00%01", "from=0001-01-01",
		"model=%ff", "who=99999999999999999999", "status=", "scene=&model=&ratio=&who=&q=&tag=&date=&from=&until=",
	} {
		for _, part := range []string{"full", "partial"} {
			kim.Get("/gallery?"+query, "HX-Request-Type", part).Is(200).Shows(`id="task-1"`)
		}
	}
}

func TestGalleryIsFilteredByEverything(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "ada")
	starred, tagged, hers := h.AddTask(t, 1, db.Success), h.AddTask(t, 1, db.Success), h.AddTask(t, 2, db.Success)
	user := db.User{ID: 1}
	_, err := h.Store.Tasks.StarTasks(t.Context(), user, []int64{starred.ID}, true)
	must(t, err)
	_, err = h.Store.Tags.TagTasks(t.Context(), user, []int64{tagged.ID}, []string{"Night, harbour"}, nil, db.Now())
	must(t, err)
	today, tomorrow := db.Now().Format(time.DateOnly), db.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	all := []int64{starred.ID, tagged.ID, hers.ID}
	for query, want := range map[string][]int64{
		"starred=1": {starred.ID}, "tag=night%2C+HARBOUR": {tagged.ID}, "who=2": {hers.ID}, "who=me": {starred.ID, tagged.ID},
		"date=today": all, "date=week": all, "date=year": all, "from=" + today: all, "from=" + tomorrow: nil, "until=" + today: all,
		"until=2020-01-01": nil, "from=" + today + "&until=" + today: all, "ratio=21:9": nil,
		"model=x&model=veo3": all, "who=me&who=2": all, "who=2&who=x": {hers.ID}, "tag=none&tag=night%2C+HARBOUR": {tagged.ID},
		"status=failed": nil, "status=failed&status=success": all, "status=failed&status=all": all, "status=all&status=failed": all, "status=x&status=failed": nil,
		"scene=image-to-video": nil, "scene=image-to-video&scene=text-to-video": all,
		"who=me&starred=1&date=month&q=paper": {starred.ID},
	} {
		page := kim.Get("/gallery?" + query).Is(200)
		for _, id := range all {
			if shown := strings.Contains(page.Text, fmt.Sprintf(`id="task-%d"`, id)); shown != slices.Contains(want, id) {
				t.Errorf("%s: video %d shows: %v", query, id, shown)
			}
		}
	}
}

func TestGalleryIsPagedByKey(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range 30 {
		h.AddTask(t, 1, db.Success)
	}
	older := regexp.MustCompile(`rel="next" href="(/gallery\?before=\d+)"`)
	first := older.FindStringSubmatch(p.Get("/gallery").Is(200).Text)
	if first == nil {
		t.Fatal("no link to older videos")
	}
	next := first[1]
	h.AddTask(t, 1, db.Success) // a new video does not shift the pages
	second := p.Get(next).Is(200).Shows(`id="task-6"`, `id="task-1"`).Hides(`id="task-7"`)
	if older.MatchString(second.Text) {
		t.Error("a link to older videos behind the oldest one")
	}
	if part := p.Get(next, "HX-Request-Type", "partial").Is(200); regexp.MustCompile(`<html`).MatchString(part.Text) {
		t.Error("a part brings the whole page")
	}
}

func TestLongFiltersMakeNoLargePage(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	for range 24 {
		h.AddTask(t, 1, db.Success)
	}
	filter := url.Values{}
	for i := range 50 {
		for _, name := range []string{"model", "ratio", "tag"} {
			filter.Add(name, strings.Repeat(string(rune('一'+i)), 66))
		}
	}
	page := kim.Get("/gallery?" + filter.Encode()).Is(200)
	if len(page.Text) > 2<<20 {
		t.Errorf("an address of %d bytes makes a page of %d", len(filter.Encode()), len(page.Text))
	}
	short := url.Values{}
	for i := range 60 {
		short.Add("model", fmt.Sprintf("model-%d", i))
	}
	kim.Get("/gallery?" + short.Encode()).Is(200).Has(`input[name="model"][value="model-49"]`).Lacks(`input[name="model"][value="model-50"]`)
}

// The page of a large team has only the names of chosen people. Its menu has those with
// videos once it is opened, and a link to everybody.
func TestLargeTeamIsNotNamedOnEveryPage(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Joiner(t, kim, "ada")
	h.AddTask(t, 2, db.Success)
	kim.Get("/gallery").Is(200).Shows("ada, ada@example.com").Hides("Show everybody")
	for i := range 60 {
		must(t, sampletest.AddUser(t, h.Store, &db.User{Name: fmt.Sprintf("Member %d", i), Email: fmt.Sprintf("m%d@example.com", i), Password: "x", Role: db.Member, CreatedAt: db.Now()}))
	}
	kim.Get("/gallery").Is(200).Shows("Show everybody", `href="/gallery?people=all"`).Hides("ada, ada@example.com", "Member 7,")
	kim.Get("/gallery?who=2").Is(200).Shows("ada, ada@example.com", `href="/gallery?people=all&amp;who=2"`).Hides("Member 7,")
	kim.Get("/gallery/counts?menu=who", "HX-Request-Type", "partial").Is(200).Shows("ada, ada@example.com", "Show everybody").Hides("Member 7,")
	kim.Get("/gallery?people=all&who=2").Is(200).Shows("ada, ada@example.com", "Member 7, m7@example.com").Hides("Show everybody")
}

// The menu of a small cast lists it; that of a large one has those with videos once they are
// counted.
func TestTheMenuOfALargeCastStaysShort(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.AddTask(t, 1, db.Success)
	var first cast.Member
	for i := range 60 {
		m := handlerstest.AddMember(t, h, 1, fmt.Sprintf("m%d", i))
		if i == 0 {
			first = m
		}
	}
	task := db.Task{UserID: 1, FormToken: "with m0", Scene: "text-to-video", Model: "veo3", Prompt: "@m0", CreatedAt: db.Now(), Cast: []cast.Appearance{cast.AppearanceOf(first)}}
	_, err := h.Store.AddTasks(t.Context(), []db.Task{task})
	must(t, err)
	_, err = h.Store.Tasks.UpdateTask(t.Context(), 2, func(t *db.Task) error { t.State = db.Success; return nil })
	must(t, err)
	p.Get("/gallery").Is(200).Has("[name=cast][value='1']", "[name=cast][value='60']").Hides("Show everybody")
	handlerstest.AddMember(t, h, 1, "another")
	p.Get("/gallery").Is(200).Lacks("[name=cast]").Shows("Show everybody")
	p.Get("/gallery?cast=7").Is(200).Has("[name=cast][value='7'][checked]").Lacks("[name=cast][value='1']")
	p.Get("/gallery?people=all").Is(200).Has("[name=cast][value='1']", "[name=cast][value='61']")
	p.Get("/gallery/counts?menu=cast", "HX-Request-Type", "partial").Is(200).Has("[name=cast][value='1']").Lacks("[name=cast][value='2']")
}
