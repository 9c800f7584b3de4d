package e2e

import (
	"regexp"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestThreeVariationsAreMadeAndCompared(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.fill(promptField, "One of three")
	p.mark()
	p.clickText("#count label", "3")
	p.awaitText("#options .price", "3 × 2 = 6 credits")
	p.stayed()
	p.leave(func() { p.clickText(makeButton, "Make 3 videos") })
	p.awaitFor(videoPatience, "all three are ready", p.elementWith("#latest .shot", "3 takes, 3 ready"))
	p.click("#more-button")
	if left := who.credits(t); left != "994" {
		t.Errorf("%s credits are left, want 994", left)
	}
	p.await("the next press makes one", `document.querySelector("#count-1").checked`)
	p.leave(func() { p.clickText("#latest a", "Compare these 3") })
	p.await("they stand side by side", `document.querySelectorAll("main video").length === 3`)
}

func TestAMenuClosesAsUsersExpect(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	who.finish(t, who.make(t, "The first of two"))
	who.finish(t, who.make(t, "The second of two"))
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	const open = `document.querySelector("#more").matches(":popover-open")`
	p.click("#more-button")
	p.await("it is open", open)
	p.press(kb.Escape)
	p.await("it is closed and keeps the focus", `!`+open+` && `+focused("#more-button"))
	p.click("#more-button")
	p.await("it is open", open)
	p.click("label[for=prompt]")
	p.await("it is closed", `!`+open)
	p.click("#more-button")
	p.press(kb.Tab)
	p.await("the focus is in it", focused("#more a")+` && `+open)
	p.leave(func() { p.clickText("#more a", "Use prompt") })
	p.awaitText("#origin", "only the prompt")
	p.click("[data-drop]")
	p.await("it is made from nothing", `!document.querySelector("[name=from]") && document.querySelector("textarea").value === "The second of two"`)
	p.open("/gallery?who=me")
	p.click(".cell .dots")
	p.leave(func() { p.clickText("#tile-menu a", "Make again with the same settings") })
	p.awaitText("#origin", "The second of two")
}

func TestWhatItIsMadeFromGoesAlongToAnotherScene(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "The words to keep")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open("/create/text-to-video?use=prompt&from=" + regexp.MustCompile(`\d+`).FindString(path))
	p.fill(promptField, "Other words")
	p.leave(func() { p.clickText("nav a", "References") })
	p.awaitText("#origin", "The words to keep")
	p.await("the new words came along", `document.querySelector("textarea").value === "Other words"`)
}

func TestADraftBecomesAFinalWithoutScript(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.withoutScript()
	p.open("/create/text-to-video")
	p.fill(promptField, "First quick, then full")
	p.clickText("#choose-model label", "Full")
	p.leave(func() { p.clickText("button", "Show this model") })
	p.awaitText(".price", "5 credits")
	p.await("the words are still there", `document.querySelector("textarea").value === "First quick, then full"`)
	p.clickText("label", "Draft first")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitText(".price", "With Quick, 3 credits less")
	draft := "/tasks/" + regexp.MustCompile(`from=(\d+)`).FindStringSubmatch(p.path())[1]
	who.finish(t, draft)

	p.open(draft)
	p.clickText(".vacts button", "Make again")
	p.leave(func() { p.clickText(".vacts .menu a", "Make the real one with Full") })
	p.awaitText("#origin", "final of the draft")
	p.awaitText(".price", "3 credits more than the draft")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.open("/tasks/" + regexp.MustCompile(`from=(\d+)`).FindStringSubmatch(p.path())[1])
	p.awaitText("#lineage a[href='"+draft+"']", "final of the draft")
	if left := who.credits(t); left != "993" {
		t.Errorf("%s credits are left, want 993", left)
	}
}

func TestThePriceIsTrueWithoutScript(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.expect("422")
	p.withoutScript()
	p.open("/create/text-to-video")
	p.fill(promptField, "Two, please")
	p.clickText("#count label", "2")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitText("form [role=alert]", "2 × 2 = 4 credits")
	p.leave(func() { p.clickText(makeButton, "Make 2 videos") })
	if left := who.credits(t); left != "996" {
		t.Errorf("%s credits are left, want 996", left)
	}
}
