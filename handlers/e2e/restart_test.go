package e2e

import (
	"strings"
	"syscall"
	"testing"
)

func TestVideoSurvivesTheEndOfTheServer(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "asked to stop": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endInTheMiddle(t, signal)
		})
	}
}

func endInTheMiddle(t *testing.T, signal syscall.Signal) {
	s, who, p := ownServer(t)
	p.open("/create/text-to-video")
	p.fill(promptField, "Nothing gets lost")
	p.pick("duration", "10 s")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.mark()
	p.awaitText("#latest .making", "In progress")

	if err := s.end(signal); err != nil {
		t.Fatal(err)
	}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	p.awaitFor(videoPatience, "the video is ready", `document.querySelector("#latest video")`)
	p.stayed()
	p.play("#latest video", 10)
	page, err := who.get("/gallery?who=me&status=all")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page, `href="/tasks/`); n != 1 {
		t.Errorf("one wish became %d videos", n)
	}
	if left := who.credits(t); left != "998" {
		t.Errorf("%s credits are left, want 998", left)
	}
}
