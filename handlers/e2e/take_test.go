package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// A note of a guest becomes the next take, which appears on the link and is approved: once
// with script and once without.
func TestANoteBecomesATakeThatIsApproved(t *testing.T) {
	t.Parallel()
	for _, scripted := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripted %v", scripted), func(t *testing.T) {
			t.Parallel()
			who := sharedServer(t).member(t)
			first := who.make(t, "A paper boat in the fog")
			who.finish(t, first)
			p, guest := newTabOf(t, who), newTab(t, who.base)
			guest.size(390, 844)
			if !scripted {
				p.withoutScript()
				guest.withoutScript()
			}
			link := p.shareTakes(first, "Our boat", scripted)
			send := func(do func()) {
				if scripted {
					do()
				} else {
					guest.leave(do)
				}
			}

			guest.open(link)
			if scripted {
				guest.await("the player is there", `document.querySelector("[data-player]")?.bar && document.querySelector("[data-player] video").duration > 0.5`)
			}
			guest.expect("422") // the name that is missing at first
			send(func() { guest.clickText("#verdict button", "Changes wanted") })
			guest.await("Approve is not on the page", `![...document.querySelectorAll("button, a")].some(b => b.textContent.includes("Approve") && b.checkVisibility())`)
			guest.fill("#note-body", "Could it be red?")
			send(func() { guest.clickText(".composer button", "Send") })
			guest.awaitText("#note-name-error", "Add your name, so that Kim")
			guest.await("the focus is where the name is missing", `document.activeElement.id === "note-name" && document.querySelector("#note-body").value === "Could it be red?"`)
			guest.press("Mara")
			send(func() { guest.press(kb.Enter) })
			guest.awaitText("#verdict", "You asked for changes")
			guest.awaitText(".remark .body", "Could it be red?")
			guest.awaitText(".remark .pill", "Changes wanted")

			p.open(first + "/notes")
			p.await("the guest's answer is ticked", `document.querySelector(".remark .pick-note").checked`)
			p.leave(func() { p.clickText("#next-take button", "Make take 2") })
			p.awaitText("#origin", "Take 2 of")
			p.await("the prompt is filled in", `document.querySelector("#prompt").value === "A paper boat in the fog"`)
			if scripted {
				p.clickText(".ask [data-insert]", "Add to the prompt")
				p.awaitText(".ask.put [data-insert]", "In the prompt")
				p.clickText(".ask [data-use-frame]", "Start from this frame")
				p.awaitFor(30*time.Second, "the frame is the start", `document.querySelector("[data-scenes] [aria-current]").textContent.trim() === "Picture" && document.querySelector("[data-picture] input[type=url]").value.includes("/p/")`)
				p.await("the notes stay", `document.querySelector(".ask q").textContent === "Could it be red?" && document.querySelector("#prompt").value.endsWith("Could it be red?")`)
				p.clickText("[data-picture] [data-remove]", "")
				p.awaitText("[data-scenes] [aria-current]", "Words")
			} else {
				p.leave(func() { p.clickText(".ask button[name=insert]", "Add to the prompt") })
				p.awaitText(".ask", "In the prompt")
			}
			p.await("the words are in the prompt", `document.querySelector("#prompt").value === "A paper boat in the fog\nCould it be red?"`)
			p.leave(func() { p.clickText("button.make", "Make the video") })
			made := get[string](p, `location.search`)
			id := strings.TrimPrefix(strings.SplitN(made, "&", 2)[0], "?from=")
			who.finish(t, "/tasks/"+id)

			if scripted {
				guest.awaitFor(45*time.Second, "the open page says so", `!document.querySelector("[data-when=changed]").hidden`)
				guest.leave(func() { guest.clickText("[data-when=changed] a", "Show it") })
			} else {
				guest.open(link)
			}
			guest.awaitText("#takes [aria-current]", "Take 2")
			guest.fits(390)
			guest.leave(func() { guest.clickText("#takes .btn", "Compare") })
			if scripted {
				guest.await("both play in step", `document.querySelectorAll(".together video").length === 2 && document.querySelector("[data-player]").bar`)
			} else {
				guest.await("both have controls", `document.querySelectorAll(".together video[controls]").length === 2`)
			}
			guest.fits(390)
			guest.leave(func() { guest.clickText("#verdict button", "Approve") }) // that page has no script for it
			guest.awaitText("#verdict", "You approved this")
			guest.leave(func() { guest.clickText("#takes a", "Take 1") })
			guest.awaitText(".answered", "Answered by take 2")

			p.open("/tasks/" + id)
			p.awaitText(".side .pill", "Approved by Mara")
			p.await("the take row marks it", `document.querySelectorAll("#takes nav a").length === 2 && document.querySelector("#takes [aria-current] .good")`)
			p.open(first + "/notes")
			p.awaitText(".answered", "Answered by take 2")
			p.open("/gallery")
			if scripted {
				p.click(".takes-no")
				p.await("the stack opens", `document.querySelector(".fan:popover-open")?.querySelectorAll("li").length === 2`)
				p.click(".fan li a")
				p.await("a take opens from it", `document.querySelector("dialog.cinema[open] #takes [aria-current]")`)
			} else {
				p.leave(func() { p.click("a.takes-no") })
				p.await("the page of the video lists them", `document.querySelectorAll("#takes nav a").length === 2`)
			}
		})
	}
}

// takeInSight is true if the take (video) on the stage is visible in the filmstrip,
// which has scrolled to it, while the page itself has not scrolled and nothing has the
// focus.
const takeInSight = `(() => {
	const take = document.querySelector(".take:has([aria-current])").getBoundingClientRect();
	return take.left >= 0 && take.right <= innerWidth && scrollY === 0 && document.activeElement === document.body;
})()`

// whereTakeIs says what takeInSight looks at.
const whereTakeIs = `JSON.stringify({
	take: document.querySelector(".take:has([aria-current])")?.getBoundingClientRect(),
	strip: document.querySelector(".takes")?.scrollLeft,
	page: [innerWidth, scrollY],
	focus: document.activeElement?.outerHTML.slice(0, 80),
})`

func TestTheTakeOnTheStageIsInSight(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	var oldest string
	for i := range 8 {
		path := who.make(t, fmt.Sprintf("Take %d goes wrong #fail", i))
		if oldest == "" {
			oldest = path[len("/tasks/"):]
		}
	}
	p := newTabOf(t, who)
	p.size(360, 640)
	p.open("/create/text-to-video?take=" + oldest)
	p.await("the strip begins at the oldest take", takeInSight+` && document.querySelector(".takes").scrollLeft > 100`)
	get[bool](p, `(document.querySelector("[data-take]").click(), true)`)
	p.await("the strip is back at the newest", takeInSight+` && !document.querySelector(".takes").scrollLeft`)
	for _, window := range [][2]int64{{360, 640}, {1280, 1100}} {
		p.size(window[0], window[1])
		p.withoutScript()
		p.open("/create/text-to-video?take=" + oldest)
		// A browser scrolls to the take when it first draws the strip, which on a busy
		// machine can be before all of it has arrived.
		for range 3 {
			if get[bool](p, takeInSight) {
				break
			}
			t.Log("the take is out of sight:", get[string](p, whereTakeIs))
			p.open("/create/text-to-video?take=" + oldest)
		}
		p.await("so it does without script", takeInSight)
	}
}
