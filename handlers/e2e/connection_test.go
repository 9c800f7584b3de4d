package e2e

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestALostConnectionIsToldUntilItIsBack(t *testing.T) {
	t.Parallel()
	s, who, p := ownServer(t)
	who.make(t, "It takes its time #slow")
	p.open("/create/text-to-video")
	p.awaitText("#latest", "It takes its time")
	if err := s.end(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.awaitText("#connection[role=status]", "Reconnecting… Nothing is lost.")
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	p.await("it is back", `document.querySelector("#connection").textContent === ""`)
	get[bool](p, `document.querySelector("#latest").old = true`)
	p.await("the page asks again", `performance.getEntriesByType("resource").at(-1).name.includes("/tasks/latest")`)
}

func TestTimesAreThoseOfWhoeverLooks(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "Seen from Kathmandu")
	p := newTabOf(t, who)
	zone := emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kathmandu"}
	tell(p, emulation.SetTimezoneOverride, zone)
	p.open(path)
	const local = `[...document.querySelectorAll("time")].map(time => time.textContent + "|" + time.title).join("; ")`
	p.await("no time is in UTC", `document.querySelectorAll("time").length > 2 && !`+local+`.includes("UTC")`)
	const same = `(() => {
		const time = document.querySelector(".steps time"), at = new Date(Date.parse(time.dateTime) + 345 * 60000);
		return time.textContent === at.toISOString().slice(11, 19);
	})()`
	p.await("the hour is that of Kathmandu", same)
	// Times in fragments that htmx inserts are shown in the same zone.
	who.finish(t, path)
	p.await("the part that is new is too", `document.querySelector("video") && !`+local+`.includes("UTC")`)
}

func TestPlayersLoadNothingBeforeTheyAreWanted(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "Quiet until it is wanted")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.await("the card is there", `document.readyState === "complete" && document.querySelector("#latest video")`)
	const asked = `performance.getEntriesByType("resource").filter(entry => entry.initiatorType === "video" && entry.name === document.querySelector("#latest video").src).length`
	p.await("its picture is there", `document.querySelector("#latest video").poster && performance.now() > 1500`)
	if n := get[int64](p, asked); n != 0 {
		t.Errorf("%d requests for a video that nobody plays", n)
	}
	if state := get[int64](p, `document.querySelector("#latest video").readyState`); state != 0 {
		t.Errorf("it has loaded up to state %d", state)
	}
	at := p.place("#latest video", "")
	p.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	p.await(fmt.Sprintf("it is loaded once somebody points at it (%v)", at), `document.querySelector("#latest video").readyState > 0`)
}
