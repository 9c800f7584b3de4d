package e2e

import (
	"fmt"
	"testing"
)

// While nothing about a running video changes, the server sends nothing, and its clock
// runs all the same.
func TestClocksRunWhileTheServerSaysNothing(t *testing.T) {
	s := sharedServer(t)
	who := s.member(t)
	who.make(t, "It runs and runs #slow")
	p := newTabOf(t, who)
	for _, on := range [][2]string{{"/create/text-to-video", "/tasks/latest"}, {"/gallery?who=me&status=all", "/gallery/tile"}} {
		page, polled := on[0], on[1]
		p.open(page)
		p.await("the clock is there", `document.querySelector("[data-tick]")`)
		get[bool](p, `(document.querySelector("[data-tick]").old = true)`)
		p.await("an empty response", fmt.Sprintf(`performance.getEntriesByType("resource").some(entry => entry.name.includes("%s?") && entry.responseStatus === 204)`, polled))
		const clock = `document.querySelector("[data-tick]").textContent`
		now := get[string](p, clock)
		p.await("the clock runs on from "+now, fmt.Sprintf(`%s > %q`, clock, now))
	}
	task := get[string](p, `document.querySelector("[data-card] a[data-view]").pathname`)
	p.open(task)
	now := get[string](p, `document.querySelector("#status [data-tick]").textContent`)
	p.await("an empty response", `performance.getEntriesByType("resource").some(entry => entry.name.includes("/status?") && entry.responseStatus === 204)`)
	p.await("the clock runs on from "+now, fmt.Sprintf(`document.querySelector("#status [data-tick]").textContent > %q`, now))
}
