package e2e

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// shareReel makes a collection of two videos and a link to it, and returns the link.
func shareReel(t *testing.T, who *person) string {
	t.Helper()
	var ids []string
	for _, words := range []string{"A zebra crosses the road", "The harbour at night"} {
		path := who.make(t, words)
		who.finish(t, path)
		ids = append(ids, strings.TrimPrefix(path, "/tasks/"))
	}
	page, err := who.post("/collections", url.Values{"name": {"Autumn of " + who.name}})
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`/collections/\d+`).FindString(page)
	if _, err := who.post("/collections/add", url.Values{"id": ids, "collection": {strings.TrimPrefix(at, "/collections/")}}); err != nil {
		t.Fatal(err)
	}
	page, err = who.post(at+"/share", url.Values{"days": {"7"}, "download": {"on"}})
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`/share/[A-Z0-9]+`).FindString(page)
}

const (
	playsSecond = `document.querySelector(".playlist a:nth-child(2)").ariaCurrent === "true" && document.querySelector(".film video").currentTime > 0.1`
	nextIsUp    = `!document.querySelector("[data-next-up]").hidden`
)

func TestAReelContinuesByItself(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	link := shareReel(t, who)
	p := newTab(t, who.base)
	p.open(link)
	p.awaitText("h1", "Autumn of "+who.name)
	p.plays(".film video")
	p.await("the next one is offered when it has ended", nextIsUp)
	p.awaitText("[data-next-count]", "Starts in")
	p.awaitText("[data-next-name]", "Video 2 of 2")
	p.await("the second one plays by itself", playsSecond)
	p.await("the page says so", `document.querySelector(".facts-line").innerText.includes("Video 2 of 2") && document.querySelector("[data-reel-download]").pathname === new URL(document.querySelector(".film video").src).pathname`)
	p.await("then there is no more", `!document.querySelector("[data-reel-end]").hidden`)
	p.clickText("[data-reel-end] button", "Watch again")
	p.await("it begins again", `document.querySelector(".playlist a").ariaCurrent === "true" && document.querySelector(".film video").currentTime > 0.1`)
	p.await("the next one is offered", nextIsUp)
	p.clickText("[data-next-up] button", "Stay here")
	p.await("the focus is at the player", focused("[data-do=play]"))
	p.press(" ")
	p.await("it is offered again without a countdown", nextIsUp+` && document.querySelector("[data-next-count]").textContent === ""`)
	p.clickText("[data-next-up] button", "Play now")
	p.await("the second one plays", playsSecond)
	for _, width := range []int64{320, 390, 768, 1440, 2560} {
		p.size(width, 800)
		p.fits(width)
	}
}

func TestAReelCountsNothingDownUnderReducedMotion(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	link := shareReel(t, who)
	p := newTab(t, who.base)
	p.media([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}})
	p.open(link)
	p.plays(".film video")
	p.await("the next one waits for a press", nextIsUp+` && document.querySelector("[data-next-count]").textContent === ""`)
	p.clickText("[data-next-up] button", "Play now")
	p.await("the second one plays", playsSecond)
}

func TestAReelWithoutScriptHasAPageForEachVideo(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	link := shareReel(t, who)
	p := newTab(t, who.base)
	p.withoutScript()
	p.open(link)
	first := get[string](p, `document.querySelector(".film video[controls]").src`)
	p.leave(func() { p.click(".playlist a:nth-child(2)") })
	p.awaitText(".facts-line", "Video 2 of 2")
	if second := get[string](p, `document.querySelector(".film video[controls]").src`); second == first {
		t.Error("it shows the same video")
	}
}

func TestAGuestWatchesAStorylineAsOneFilm(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	page := twoScenes(t, who)
	answer, err := who.post(page+"/share", url.Values{"title": {"Morning tea"}})
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`/share/[A-Z0-9]+`).FindString(answer)
	p := newTab(t, who.base)
	p.open(link)
	p.awaitText("h1", "Morning tea")
	p.await("it is as long as both scenes", `Math.abs(document.querySelector("[data-time]").max - 2) < 0.05`)
	p.await("the cut is marked", `document.querySelectorAll(".cuts-on i").length === 1`)
	p.plays(".film video[data-on]")
	p.await("it plays to its end", playerTime+` > 1.9 && !document.querySelector("[data-running]")`)
	if get[bool](p, `document.querySelector(".playlist").getClientRects().length > 0`) {
		t.Error("the scenes are listed")
	}
	q := newTab(t, who.base)
	q.withoutScript()
	q.open(link)
	q.leave(func() { q.click(".playlist a:nth-child(2)") })
	q.await("the second scene can be played", `document.querySelector(".playlist a:nth-child(2)").ariaCurrent === "true" && document.querySelector(".film video[controls]")`)
}

// A long reel comes in parts: the next videos take the place of the link to them when it comes
// near, also when the last one before them has ended.
func TestALongReelGoesOnBelowItsFirstPart(t *testing.T) {
	s, who, _ := ownServer(t)
	link := shareReel(t, who)
	raw, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "dailies.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	for _, statement := range []string{
		`WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 160)
			INSERT INTO tasks (id, user_id, form_token, scene, model, prompt, options, pictures, state, keeping, provider, created_at, done_at, day)
			SELECT i, user_id, 'copy ' || i, scene, model, prompt, options, '[]', state, keeping, '', created_at, done_at, day FROM n, tasks WHERE id = 1`,
		`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at)
			SELECT t.id, m.kind, m.position, m.hash, m.type, m.size, '', m.created_at FROM tasks t, media m WHERE m.task_id = 1 AND m.kind = 'video' AND t.id >= 100`,
		`INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at) SELECT 1, id, id, 1, 0 FROM tasks WHERE id >= 100`,
	} {
		if _, err := raw.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	p := newTab(t, who.base)
	p.withoutScript()
	p.open(link)
	p.leave(func() { p.clickText(".playlist a[rel=next]", "More videos") })
	p.awaitText(".facts-line", "Video 49 of 63")
	p.leave(func() { p.clickText(".playlist a", "Back to the first") })
	p.awaitText(".facts-line", "Video 1 of 63")

	q := newTab(t, who.base)
	const items = `document.querySelectorAll("[data-reel-item]").length`
	q.open(link)
	if n := get[int](q, items); n != 48 {
		t.Errorf("it begins with %d videos", n)
	}
	get[bool](q, `document.querySelector(".playlist [data-reel-item]:nth-child(48)").click(), true`)
	q.awaitText(".facts-line", "Video 48 of 63")
	q.await("the others come", items+` === 63`)
	q.plays(".film video")
	q.await("the next one is offered when it has ended", nextIsUp)
	q.awaitText("[data-next-name]", "Video 49 of 63")
	q.await("the next one plays by itself", `document.querySelector("[data-reel-item]:nth-child(49)").ariaCurrent === "true" && document.querySelector(".film video").currentTime > 0.1`)
	for _, width := range []int64{320, 390, 1440} {
		q.size(width, 800)
		q.fits(width)
	}
}
