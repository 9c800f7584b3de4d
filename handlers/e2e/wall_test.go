package e2e

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	_ "modernc.org/sqlite"
)

// TestWallIsSwift measures a gallery with as many videos as DAILIES_WALL says, on a CPU
// throttled to a quarter: the time from a click or a key until the response is drawn,
// the frames per second while the page scrolls, and how much the main thread worked for
// it. Only the last depends on the page alone; drawing also depends on the machine. Run
// it alone, on an idle machine.
func TestWallIsSwift(t *testing.T) {
	videos, err := strconv.Atoi(os.Getenv("DAILIES_WALL"))
	if err != nil {
		t.Skip("DAILIES_WALL does not say how many videos there are to be")
	}
	p := wallOf(t, videos)
	p.size(1440, 900)
	p.open("/gallery?through=1")
	p.await("they are all there", fmt.Sprintf("%s >= %d", cards, min(videos, 1000)))
	get[bool](p, asWithAMouse)
	tell(p, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
	tell(p, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4})
	get[bool](p, watchPresses)
	t.Logf("%d videos", get[int](p, cards))
	const tick, star, dots = "#cards .cell:nth-child(%d) .tick", "#cards .cell:nth-child(%d) [data-star]", "#cards .cell:nth-child(%d) .dots"
	of := func(selector string, tile int) func() { return func() { p.click(fmt.Sprintf(selector, tile)) } }
	key := func(name string, modifiers ...chromedp.Modifier) func() {
		return func() { p.press(name, modifiers...) }
	}
	slowest := 0.0
	for _, a := range []struct {
		name string
		act  func()
	}{
		{"to the first tile by key", key("j")}, {"to the next", key("j")}, {"select it by key", key("x")}, {"and another", func() { p.press("j"); p.press("x") }},
		{"none, by Escape", key(kb.Escape)}, {"select a tile", of(tick, 3)}, {"up to another, with Shift", func() {
			at := p.place(fmt.Sprintf(tick, 14), "")
			p.do(chromedp.MouseClickXY(at[0], at[1], chromedp.ButtonModifiers(chromedp.ModifierShift)))
		}},
		{"Done", func() { p.clickText("[data-choose-none]", "Done") }}, {"give a star", of(star, 5)}, {"open a menu", of(dots, 6)}, {"close it", key(kb.Escape)},
		{"open a video", func() {
			p.click(fmt.Sprintf("#cards .cell:nth-child(%d) > a", 7))
			p.await("it is open", cinema)
		}}, {"close it", key(kb.Escape)}, {"large", func() { p.click("label[title=Large]") }}, {"medium", func() { p.click("label[title=Medium]") }},
		{"open the filters", func() { p.click("#filters-button") }}, {"close them", key(kb.Escape)}, {"type into the search", func() { p.click("#q"); p.press("q") }},
	} {
		before := p.mainThread()
		get[bool](p, `slowest = {took: 0, waited: 0, from: performance.now()}, true`)
		a.act()
		get[bool](p, `slowest.last = performance.now(), true`)
		p.await("what follows is over", `performance.now() - slowest.last > 700`)
		took := get[float64](p, `slowest.took`)
		t.Logf("%4.0f ms  %-24s waited %3.0f ms; the page worked %s", took, a.name, get[float64](p, `slowest.waited`), p.mainThread().since(before, 1))
		slowest = max(slowest, took)
	}
	t.Logf("the slowest answer takes %.0f ms", slowest)

	p.open("/gallery?through=1")
	p.await("they are all there", fmt.Sprintf("%s >= %d", cards, min(videos, 1000)))
	get[bool](p, asWithAMouse)
	before := p.mainThread()
	get[bool](p, scrollAWhile)
	p.await("it has scrolled", `scrolled.done`)
	t.Logf("%.1f frames a second while %d pixels scroll by; for each the page worked %s", get[float64](p, `scrolled.frames`), get[int](p, `scrolled.pixels`),
		p.mainThread().since(before, get[float64](p, `scrolled.drawn`)))
}

// A work holds the browser's performance metrics of the main thread, in seconds by
// kind.
type work map[string]float64

// mainThread returns the main thread's metrics since the page was opened.
func (p *tab) mainThread() work {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	found, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	w := work{}
	for _, m := range found.Metrics {
		w[m.Name] = m.Value
	}
	return w
}

// since describes the difference from before, divided by n, in milliseconds.
func (w work) since(before work, n float64) string {
	ms := func(kind string) float64 { return (w[kind+"Duration"] - before[kind+"Duration"]) * 1000 / n }
	return fmt.Sprintf("%.1f ms: scripts %.1f, styles %.1f, layout %.1f", ms("Task"), ms("Script"), ms("RecalcStyle"), ms("Layout"))
}

// asWithAMouse applies the styles for devices with a mouse, because headless Chromium
// reports that it has none.
const asWithAMouse = `(() => {
	const walk = rules => { for (const rule of rules) {
		if (rule.media?.mediaText.includes("hover: none")) rule.media.mediaText = rule.media.mediaText.replaceAll("(hover: none)", "(max-width: 1px)");
		if (rule.cssRules) walk(rule.cssRules);
	} };
	for (const sheet of document.styleSheets) walk(sheet.cssRules);
	return true;
})()`

// shiftsWhileScrolling scrolls to the end, and adds up how much what is seen moves meanwhile
// by itself: the layout shifts, of which a page should have less than 0.1.
const shiftsWhileScrolling = `(() => {
	window.shifted = {sum: 0};
	new PerformanceObserver(list => { for (const e of list.getEntries()) shifted.sum += e.value; }).observe({type: "layout-shift"});
	let y = 0;
	const step = () => {
		scrollTo({top: y += 300, behavior: "instant"});
		if (y < document.documentElement.scrollHeight) requestAnimationFrame(() => setTimeout(step, 20));
		else setTimeout(() => (shifted.done = true), 300);
	};
	step();
	return true;
})()`

func TestNothingMovesWhileALongWallScrolls(t *testing.T) {
	t.Parallel()
	p := wallOf(t, 180)
	for _, window := range [][2]int64{{1440, 900}, {360, 800}} {
		p.size(window[0], window[1])
		p.open("/gallery?through=1")
		p.await("it is in bands", `document.querySelectorAll("#cards .band").length > 5`)
		get[bool](p, shiftsWhileScrolling)
		p.await("it has scrolled to the end", `shifted.done`)
		if moved := get[float64](p, `shifted.sum`); moved > 0.1 {
			t.Errorf("at %d pixels, what is seen moves by %.3f while a script scrolls", window[0], moved)
		}
	}
}

// TestLongWall checks that the gallery, which is divided into bands to draw faster, has
// the same layout as one without bands: at every tile size, in every window, and after
// videos were deleted.
func TestLongWall(t *testing.T) {
	t.Parallel()
	p := wallOf(t, 180)
	for _, window := range [][2]int64{{1440, 900}, {360, 800}} {
		p.size(window[0], window[1])
		p.open("/gallery?through=1")
		p.await("it is in bands", `document.querySelectorAll("#cards .band").length > 5`)
		p.await("pictures far below are fetched before somebody scrolls", `[...document.querySelectorAll("#cards img")].at(120)?.naturalWidth > 0`)
		lies := func(when string) {
			t.Helper()
			if wrong := get[string](p, misplaced); wrong != "" {
				t.Errorf("%s at %d pixels: %s", when, window[0], wrong)
			}
		}
		lies("at first")
		if window[0] > 640 {
			sized(p, "Large")
			lies("large")
			sized(p, "Small")
			lies("small")
			p.size(window[0]-90, window[1])
			awaitWidth(p, window[0]-90)
			lies("narrower")
			sized(p, "Medium")
			lies("medium")
			get[bool](p, shiftsWhileScrolling)
			p.await("it has scrolled to the end", `shifted.done`)
			sized(p, "Large")
			lies("large, seen from the end")
		}
	}
	// The focus and the scroll position survive when the bands are divided anew, and
	// the last tile can be reached.
	p.size(1440, 900)
	p.open("/gallery?through=1")
	p.await("it is in bands", `document.querySelectorAll("#cards .band").length > 5`)
	get[bool](p, `[...document.querySelectorAll("#cards .cell")].at(-4).querySelector("a").focus(), true`)
	was := get[string](p, `document.activeElement.getAttribute("href")`)
	sized(p, "Small")
	get[bool](p, `document.querySelector("#cards a[href='`+was+`']").focus(), true`)
	p.size(1200, 900)
	awaitWidth(p, 1200)
	if is := get[string](p, `document.activeElement.getAttribute("href") + (document.activeElement.getBoundingClientRect().top < innerHeight ? "" : " out of sight")`); is != was {
		t.Errorf("the focus is on %q, and was on %q", is, was)
	}
}

// sized chooses the size of the tiles, and waits until the page has it.
func sized(p *tab, size string) {
	p.t.Helper()
	p.click("label[title=" + size + "]")
	p.await("the videos are "+size, `document.querySelector("label[title=`+size+`] input[checked]")`)
	divided(p)
}

// awaitWidth waits until the page has been laid out for its new width.
func awaitWidth(p *tab, width int64) {
	p.t.Helper()
	p.await("it is narrower", fmt.Sprintf("innerWidth === %d", width))
	settled(p)
	divided(p)
}

// divided waits until all bands of the wall are as they should be.
func divided(p *tab) {
	p.t.Helper()
	p.await("the wall is divided", `!document.querySelector("#cards[aria-busy]")`)
}

// settled waits until all changes are drawn.
func settled(p *tab) {
	p.t.Helper()
	get[bool](p, `window.drawn = false, requestAnimationFrame(() => requestAnimationFrame(() => (drawn = true))), true`)
	p.await("it is drawn", `drawn`)
}

// misplaced returns which tile of the gallery has another place than in a copy without
// bands, and by how many pixels, empty if there is none.
const misplaced = `(() => {
	const wall = document.querySelector("#cards"), copy = wall.cloneNode(true);
	copy.removeAttribute("id");
	Object.assign(copy.style, {position: "absolute", left: 0, top: 0, width: wall.getBoundingClientRect().width + "px"});
	const [first, ...others] = copy.querySelectorAll(".rows");
	first.classList.remove("band");
	for (const list of others) first.append(...list.children), list.remove();
	wall.parentNode.append(copy);
	const boxes = (root, list) => list.map(e => {
		const a = e.getBoundingClientRect(), b = root.getBoundingClientRect();
		return [a.x - b.x, a.y - b.y, a.width, a.height];
	});
	const bands = [...wall.querySelectorAll(".band")], cells = root => [...root.querySelectorAll(".cell")];
	const high = boxes(wall, bands), total = wall.offsetHeight; // heights while most bands are not rendered
	bands.forEach(band => { band.style.contentVisibility = "visible"; });
	const drawn = boxes(wall, bands), are = boxes(wall, cells(wall)), should = boxes(copy, cells(copy)), slack = innerWidth > 640 ? 1 : 120; // in a narrow window, rows at the end of a band may differ
	bands.forEach(band => { band.style.contentVisibility = ""; });
	const height = copy.offsetHeight;
	copy.remove();
	const differs = (what, some, others, by) => {
		const i = some.findIndex((box, i) => box.some((n, j) => Math.abs(n - others[i][j]) > by));
		return i < 0 ? "" : what + " " + i + " of " + some.length + " lies at " + some[i].map(Math.round) + " and not at " + others[i].map(Math.round) + "; ";
	};
	return differs("band", high, drawn, innerWidth > 640 ? 1 : 12) + differs("tile", are, should, slack) + (Math.abs(total - height) > slack ? total + " pixels high, and not " + height : "");
})()`

// wallOf opens the gallery of a new server with the given number of videos.
func wallOf(t *testing.T, videos int) *tab {
	t.Helper()
	s, who, p := ownServer(t)
	for i, ratio := range []string{"16:9", "1:1", "16:9"} {
		form := map[string][]string{"model": {"quick"}, "prompt": {fmt.Sprintf("Waves on a black beach, take %d", i)}, "duration": {"1"}, "aspect_ratio": {ratio}}
		who.finish(t, who.makeOf(t, "text-to-video", form))
	}
	copyVideos(t, filepath.Join(s.dir, "dailies.db"), videos)
	p.expect("404") // a cover that has meanwhile been replaced by its thumbnail
	return p
}

// watchPresses records the slowest response to a click or a key, and how much of that
// time passed before the page began to handle it. It measures each response twice and
// takes the shorter time: Chromium's own Event Timing, and the time until the second
// frame after the event begins. A Chromium without a window sometimes loses the report
// that a frame was shown, and then Event Timing counts until some later frame.
const watchPresses = `(() => {
	window.slowest = {took: 0, waited: 0, last: performance.now()};
	const events = new Map(); // by event time: shown is Event Timing's duration, second the time until the second frame
	const note = (at, kind, took, waited) => {
		slowest.last = performance.now();
		if (at < slowest.from) return;
		const e = events.get(at) ?? {waited: 0};
		events.set(at, Object.assign(e, {[kind]: took, waited: Math.max(e.waited, waited)}));
		slowest.took = 0;
		for (const [at, {shown = Infinity, second = Infinity, waited}] of events) {
			const took = Math.min(shown, second);
			if (at >= slowest.from && took !== Infinity && took > slowest.took) Object.assign(slowest, {took, waited});
		}
	};
	new PerformanceObserver(list => {
		for (const e of list.getEntries()) if (e.interactionId) note(e.startTime, "shown", e.duration, e.processingStart - e.startTime);
	}).observe({type: "event", durationThreshold: 16, buffered: false});
	for (const kind of ["pointerdown", "pointerup", "click", "keydown", "keyup"]) addEventListener(kind, e => {
		const at = e.timeStamp, waited = performance.now() - at;
		requestAnimationFrame(() => requestAnimationFrame(() => note(at, "second", performance.now() - at, waited)));
	}, true);
	return true;
})()`

// scrollAWhile scrolls down for four seconds, as fast as a mouse wheel.
const scrollAWhile = `(() => {
	window.scrolled = {frames: 0, pixels: 0, done: false};
	scrollTo(0, 0);
	const begun = performance.now();
	let frames = 0;
	requestAnimationFrame(function step(now) {
		frames++;
		scrollBy({top: 40, behavior: "instant"});
		if (now - begun < 4000) return requestAnimationFrame(step);
		scrolled = {frames: frames * 1000 / (now - begun), drawn: frames, pixels: scrollY, done: true};
	});
	return true;
})()`

// copyVideos copies the videos in the database until there are as many as given.
func copyVideos(t *testing.T, path string, videos int) {
	t.Helper()
	data, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	columns := func(table, but string) string {
		rows, err := data.Query(`SELECT name FROM pragma_table_info(?) WHERE name NOT IN (`+but+`)`, table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var names []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return strings.Join(names, ", ")
	}
	of := columns("tasks", `'id', 'form_token', 'created_at', 'remote_id'`)
	files := columns("media", `'id', 'task_id', 'thumb_due'`)
	for _, statement := range []string{
		`CREATE TEMP TABLE made AS SELECT id, prompt FROM tasks WHERE state = 'success'`,
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO tasks (%s, form_token, created_at, remote_id)
			SELECT %s, hex(randomblob(16)), created_at - i * 300000, hex(randomblob(16)) FROM n JOIN tasks ON tasks.id IN (SELECT id FROM made) ORDER BY i`,
			videos/3+1, of, of),
		fmt.Sprintf(`INSERT INTO media (%s, task_id) SELECT %s, copy.id FROM tasks copy JOIN made USING (prompt) JOIN media m ON m.task_id = made.id
			WHERE copy.id NOT IN (SELECT id FROM made)`, files, "m."+strings.ReplaceAll(files, ", ", ", m.")),
	} {
		if _, err := data.Exec(statement); err != nil {
			t.Fatalf("%v: %s", err, statement)
		}
	}
}
