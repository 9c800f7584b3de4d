package library_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
)

// marks returns the dates on the tiles of the page, in order.
func marks(p *handlerstest.Answer) (texts []string) {
	for _, n := range htmltest.All(p.Root(), ".daymark") {
		texts = append(texts, htmltest.Text(n))
	}
	return texts
}

// The wall is one list. The first video of each day says how many there are on that day,
// also if the page ends before the day does.
func TestDaysShareOneWallWithTheirDatesBetweenThem(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	day := db.Now().AddDate(0, 0, -40)
	day = time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, time.UTC)
	add := func(at time.Time, n int) {
		for range n {
			h.Film(t, 1, func(t *db.Task) { t.Prompt, t.CreatedAt = "a paper boat", at })
		}
	}
	add(day, 27)
	add(day.AddDate(0, 0, 1), 1)
	add(day.AddDate(0, 0, 3), 2)
	title := func(after int) string {
		at := day.AddDate(0, 0, after)
		if at.Year() == db.Now().Year() {
			return at.Format("Mon 2 Jan")
		}
		return at.Format("Mon 2 Jan 2006")
	}
	first := kim.Get("/gallery").Is(200)
	if got, want := marks(first), []string{title(3) + " · 2", title(1) + " · 1", title(0) + " · 27"}; !slices.Equal(got, want) {
		t.Errorf("the marks are %q, want %q", got, want)
	}
	if lists := len(htmltest.All(first.Root(), "#cards .rows")); lists != 1 {
		t.Errorf("there are %d lists", lists)
	}
	first.Reads("[data-month-line]", day.AddDate(0, 0, 3).Format("January 2006"))
	next := regexp.MustCompile(`rel="next" href="(/gallery\?before=\d+)"`).FindStringSubmatch(first.Text)[1]
	if got, want := marks(kim.Get(next, "HX-Request-Type", "partial").Is(200)), []string{title(0) + " · 27"}; !slices.Equal(got, want) {
		t.Errorf("a page that begins within a day has the marks %q, want %q", got, want)
	}
	kim.Get("/gallery?q=boat").Is(200).Lacks(".daymark", "[data-month-line]").Reads("#found", "30 videos for “boat”")
}

// A video that is being made is on the wall of the person who made it, where it will be
// once it is ready. It does not count.
func TestUnfinishedVideosAreOnTheirMakersWall(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	boat := func(t *db.Task) { t.Prompt = "a boat" }
	h.Film(t, 1, boat)
	running, failed := h.AddTask(t, 1, db.Processing), h.AddTask(t, 1, db.Failed)
	h.Film(t, 1, boat)
	old := db.Task{UserID: 1, FormToken: "old", Scene: "text-to-video", Model: "veo3", Prompt: "a boat", State: db.Queued, CreatedAt: db.Now().AddDate(0, 0, -8)}
	handlerstest.Queue(t, h.Store, &old)
	h.Bring(t, old.ID, db.Failed)
	page := kim.Get("/gallery").Is(200)
	if got, want := marks(page), []string{"Today · 2"}; !slices.Equal(got, want) {
		t.Errorf("the marks are %q, want %q", got, want)
	}
	order := regexp.MustCompile(`<li class="[^"]*" id="task-(\d+)"`).FindAllStringSubmatch(page.Text, -1)
	var ids []string
	for _, id := range order {
		ids = append(ids, id[1])
	}
	if want := []string{"4", "3", "2", "1"}; !slices.Equal(ids, want) {
		t.Errorf("the wall shows %q, want %q", ids, want)
	}
	page.Has(fmt.Sprintf("#task-%d.run", running.ID), fmt.Sprintf("#task-%d.failed", failed.ID)).Reads("#found", "2 videos")
	ada.Get("/gallery").Is(200).Lacks(".cell.run", ".cell.failed")
	for _, filter := range []string{"?who=me", "?q=boat", "?date=today"} {
		kim.Get("/gallery"+filter).Is(200).Lacks(".cell.run", ".cell.failed")
	}
	h.Change(t, failed.ID, func(t *db.Task) error { t.DecidedAt = db.Now(); return nil })
	kim.Get("/gallery").Is(200).Lacks(".cell.failed")
}

// The first video of a day keeps its date when it is shown anew.
func TestATileKeepsTheMarkOfItsDay(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	h.Film(t, 1, func(t *db.Task) { t.Prompt = "a boat" })
	task := h.AddTask(t, 1, db.Processing)
	address := regexp.MustCompile(`hx-get="(/gallery/tile[^"]+)"`).FindStringSubmatch(kim.Get("/gallery").Is(200).Text)[1]
	address = strings.ReplaceAll(address, "&amp;", "&")
	kim.Get(address).Is(204)
	kim.Get(strings.Split(address, "&seen")[0]).Is(200).Reads(".daymark", "Today · 1")
	kim.Get(fmt.Sprintf("/gallery/tile?id=%d", task.ID)).Is(200).Lacks(".daymark")
}

func TestWordsNameThePeopleAndTagsThatFit(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	hers := h.AddTask(t, 2, db.Success)
	_, err := h.Store.Tags.TagTasks(t.Context(), db.User{ID: 2}, []int64{hers.ID}, []string{"Adagio"}, nil, db.Now())
	must(t, err)
	kim.Get("/gallery?q=AD").Is(200).Reads("#found", "1 video for “AD”").Has(`.also a[href="/gallery?who=2"]`, `.also a[href="/gallery?tag=Adagio"]`)
	kim.Get("/gallery?q=boat").Is(200).Lacks(".also")
	kim.Get("/gallery?q=ada+elephant").Is(200).Shows("Nothing for “ada elephant”", "ada has 1 video, but not with “elephant”.").Has(`.nothing a[href="/gallery?who=2"]`)
	_, err = h.Store.Tasks.PrivateTasks(t.Context(), db.User{ID: 2}, []int64{hers.ID}, true)
	must(t, err)
	kim.Get("/gallery?q=ada").Is(200).Shows("Nothing for “ada”").Lacks(".also", `.nothing a[href="/gallery?who=2"]`).Hides("Adagio")
	ada.Get("/gallery?q=ada").Is(200).Reads("#found", "1 video for “ada”")
}
