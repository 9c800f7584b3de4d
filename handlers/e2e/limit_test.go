package e2e

import (
	"net/url"
	"strings"
	"testing"
)

// A user whose limit is reached loses nothing typed, asks for more credits on the same
// page, and makes the video once an admin has allowed it.
func TestALimitIsReachedAskedAboutAndRaised(t *testing.T) {
	t.Parallel()
	s, admin, boss := ownServer(t)
	if _, err := admin.post("/team/limits", url.Values{"default": {"30"}, "unpriced": {"allow"}}); err != nil {
		t.Fatal(err)
	}
	boss.expect("422")
	boss.open("/team/limits")
	boss.fill("#team", "lots")
	boss.leave(func() { boss.clickText("#limits button", "Save") })
	boss.await("what is wrong has the focus", focused("#team"))
	boss.open("/members/1")
	boss.leave(func() { boss.clickText("button", "Send link") })
	boss.await("the link has the focus", focused("#reset-link"))
	p := newTabOf(t, s.member(t))
	p.expect("422")
	p.open("/create/text-to-video?model=seedance-2.0&duration=5&resolution=720p")
	p.awaitText(".foot .price", "30 of 30 left this month")
	p.fill("#prompt", "A tram in the rain")
	p.leave(func() { p.clickText(makeButton, "Make the video") })
	p.awaitVideo()

	p.open("/create/text-to-video?model=seedance-2.0&duration=5&resolution=720p")
	p.fill("#prompt", "A tram in the snow")
	p.clickText(makeButton, "Make the video")
	p.awaitText("#wrong", "30 credits short: 0 of 30 left this month.")
	p.clickText("#ask summary", "Ask for more")
	p.fill("[name=ask_sentence]", "For the winter fair.")
	p.clickText("button[name=do]", "Ask")
	p.awaitText("#asked", "Asked for 30 more")
	p.await("the prompt is still there", `document.querySelector("#prompt").value === "A tram in the snow"`)

	boss.open("/gallery")
	boss.awaitText("body", "For the winter fair.")
	boss.leave(func() { boss.clickText(".notice a", "Answer") })
	boss.clickText("button[name=answer]", "Give 30 once")
	boss.awaitText("[data-toast]", "will see your answer")
	boss.await("no request waits", `document.querySelector("#requests").hidden && !document.querySelector("#rooms .count")`)

	if got := get[string](p, `document.querySelector("#prompt").value`); !strings.Contains(got, "snow") {
		t.Errorf("the prompt is %q", got)
	}
	p.leave(func() { p.clickText(makeButton, "Make the video") })
	p.awaitVideo()
	p.awaitText("body", "gave you 30 credits more")
}
