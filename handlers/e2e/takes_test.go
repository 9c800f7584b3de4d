package e2e

import (
	"fmt"
	"testing"
)

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
