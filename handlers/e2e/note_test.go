package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// A note takes its moment from the player, and may have a drawing on the picture.
func TestTheTeamWritesNotesBesideTheVideo(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A red boat in the fog")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open(path + "/notes")
	p.mark()
	p.awaitText("[role=tab][aria-selected=true]", "Notes")
	const video = `document.querySelector("[data-player] video")`
	p.await("the player is there", `document.querySelector("[data-player]")?.bar && `+video+`.duration > 0.5`)
	get[bool](p, `(document.querySelector("[data-player]").bar.reel.stop(), document.querySelector("[data-player]").bar.reel.seek(0.5), true)`)
	p.awaitText("[data-here]", "0:00.5")
	p.fill("#note-body", "Larger, please")
	p.await("it is paused", video+`.paused`)
	p.click("[data-tool=rect]")
	get[bool](p, `(film => {
		const { left, top, width, height } = film.getBoundingClientRect();
		const at = (type, x, y) => film.querySelector(".marks").dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: left + x * width, clientY: top + y * height }));
		at("pointerdown", 0.25, 0.25);
		at("pointermove", 0.5, 0.75);
		at("pointerup", 0.5, 0.75);
		return true;
	})(document.querySelector("[data-player] .film"))`)
	p.await("the drawing is shown", `document.querySelector(".marks rect")?.getAttribute("width") === "250"`)
	p.click("#note-body")
	p.press(kb.Enter, ctrl)
	p.awaitText(".remark .body", "Larger, please")
	p.awaitText(".remark .stamp", "0:00.5")
	p.await("the focus stays in the field, which is empty", `document.activeElement.id === "note-body" && document.activeElement.value === ""`)
	p.await("a point is on the timeline", `document.querySelectorAll(".points button").length === 1`)
	p.awaitText("[role=tab][aria-selected=true]", "Notes 1")

	get[bool](p, `(document.querySelector("[data-player]").bar.reel.seek(0.1), true)`)
	p.await("the drawing is gone elsewhere", `!document.querySelector(".marks rect") && !document.querySelector(".remark[aria-current]")`)
	p.click(".points button")
	p.await("the point leads to the moment, where the drawing is", `Math.abs(`+video+`.currentTime - 0.5) < 0.05 && document.querySelector(".marks rect") && document.querySelector(".remark[aria-current]")`)

	p.clickText(".remark .acts a", "Reply")
	p.awaitText(".composer", "Reply to")
	p.fill("#note-body", "Done soon")
	p.clickText(".composer button", "Send")
	p.awaitText(".reply .body", "Done soon")
	colleague := sharedServer(t).member(t)
	p.click("#note-body")
	p.press("For @" + colleague.name)
	p.awaitText("#at [aria-selected=true]", colleague.name)
	p.press(kb.Tab)
	p.await("the name is filled in", `document.querySelector("#note-body").value === "For @`+colleague.name+` "`)
	p.press("to see")
	p.press(kb.Enter, ctrl)
	p.awaitText(".remark .body .at", "@"+colleague.name)
	p.clickText(".remark > div > .acts button", "Done")
	p.awaitText(".older summary", "1 note done")
	p.stayed()
	if bell, err := colleague.get("/notes"); err != nil || !strings.Contains(bell, "to see") {
		t.Errorf("the colleague is not told: %v", err)
	}
}

func TestNotesWorkWithoutScript(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A green boat in the fog")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.withoutScript()
	p.open(path + "/notes")
	p.fill("#note-at", "9:00")
	p.fill("#note-body", "Slower")
	p.expect("422")
	p.leave(func() { p.clickText(".composer button", "Send") })
	p.awaitText("#note-error", "The video ends at")
	p.await("what was typed is there", `document.querySelector("#note-body").value === "Slower" && document.querySelector("#note-at").value === "9:00"`)
	p.fill("#note-at", "0:00.4")
	p.leave(func() { p.clickText(".composer button", "Send") })
	p.awaitText(".remark .body", "Slower")
	p.leave(func() { p.clickText(".remark .acts a", "Reply") })
	p.fill("#note-body", "How much?")
	p.leave(func() { p.clickText(".composer button", "Send") })
	p.awaitText(".reply .body", "How much?")
}

// A guest without an account pauses, types, draws nothing, and approves, on a phone.
func TestAGuestWritesAndApproves(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A blue boat in the fog")
	who.finish(t, path)
	if _, err := who.post(path+"/share", url.Values{"title": {"Our boat"}, "days": {"7"}, "may": {"decide"}}); err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, who)
	p.open(path + "/share")
	link := get[string](p, linkField+".value")

	guest := newTab(t, who.base)
	guest.size(390, 844)
	guest.open(link)
	guest.mark()
	guest.await("the player is there", `document.querySelector("[data-player]")?.bar && document.querySelector("[data-player] video").duration > 0.5`)
	guest.fits(390)
	guest.fill("#note-body", "Larger, please")
	guest.fill("#note-name", "Mara")
	guest.clickText(".composer button", "Send")
	guest.awaitText(".remark .body", "Larger, please")
	guest.awaitText(".me", "Mara")
	guest.stayed()
	guest.clickText("#verdict button", "Approve")
	guest.awaitText("#verdict", "You approved this")

	p.open(path)
	p.awaitText(".remark", "(name typed by a guest)")
	p.awaitText(".side .pill", "Approved by Mara")
	p.fill("#note-body", "Thank you!")
	p.clickText(".composer button", "Send")
	p.awaitText(".remark .body", "Thank you!")
	guest.awaitFor(30*time.Second, "the guest's open page shows the note", `document.querySelector("#talk-list").textContent.includes("Thank you!")`)
}

// Points of notes that would cover each other are one, by the pixels between them; the keys reach
// each note, and come back.
func TestPointsMergeByPixelsAndKeysReachEveryNote(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A row of lanterns")
	who.finish(t, path)
	moments := []int{100, 200, 300, 400, 417, 800} // two on consecutive frames
	for _, at := range moments {
		if _, err := who.post(path+"/notes", url.Values{"at": {fmt.Sprint(at)}, "body": {fmt.Sprintf("Note at %d", at)}}); err != nil {
			t.Fatal(err)
		}
	}
	p := newTabOf(t, who)
	const points = `[...document.querySelectorAll(".points button")]`
	counts := map[int64]int{}
	for _, width := range []int64{1440, 390} {
		p.size(width, 844)
		p.open(path + "/notes")
		p.await("the player is there", `document.querySelector("[data-player]")?.bar && document.querySelector("[data-player] video").duration > 0.5`)
		p.await("the points are there", points+`.length > 0`)
		p.await("no two points overlap", `(([first, ...rest]) => rest.reduce((before, now) => before && now.left - before.left >= 23.5 && now, first))(`+points+`.map(b => b.getBoundingClientRect()))`)
		p.await("each note is in one point", fmt.Sprintf(`%s.map(b => +(b.title.match(/^(\d+) notes: /)?.[1] ?? 1)).reduce((a, b) => a + b) === %d`, points, len(moments)))
		counts[width] = get[int](p, points+`.length`)

		const time = `Math.round(document.querySelector("[data-player] video").currentTime * 1000)`
		get[bool](p, `(document.querySelector("[data-player]").bar.reel.stop(), document.querySelector("[data-player]").bar.reel.seek(0), document.activeElement.blur(), true)`)
		p.await("it is at the start", `!document.querySelector("[data-player] video").seeking && `+time+` === 0`)
		step := func(key string, at int) {
			t.Helper()
			p.press(key)
			p.await(fmt.Sprintf("%s leads to %d", key, at), fmt.Sprintf(`!document.querySelector("[data-player] video").seeking && Math.abs(%s - %d) <= 2`, time, at))
		}
		for _, at := range moments {
			step("n", at)
		}
		step("n", moments[len(moments)-1])
		for _, at := range slices.Backward(moments[:len(moments)-1]) {
			step("p", at)
		}
	}
	if counts[390] >= counts[1440] || counts[390] < 2 {
		t.Errorf("%d points at 390 pixels, %d at 1440", counts[390], counts[1440])
	}
}
