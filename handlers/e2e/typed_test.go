package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// typedNote is the message that what was typed has been restored.
const typedNote = "[data-typed-note] .typed"

// typeAll fills in a form: another model, one of its options, and the prompt.
func (p *tab) typeAll(prompt string) {
	p.t.Helper()
	p.pick("model", "Seedance 2.0")
	p.await("its lengths are offered", `document.querySelector("input[name=duration][value='7']")`)
	p.pick("duration", "7 s")
	p.await("the length is chosen", `document.querySelector("input[name=duration]:checked")?.value === "7"`)
	p.fill(promptField, prompt)
}

// awaitTyped waits until the form contains everything that typeAll has filled in.
func (p *tab) awaitTyped(prompt string) {
	p.t.Helper()
	p.await("everything is in the form", `[...document.querySelectorAll("[name=prompt], [name=model]:checked, [name=duration]:checked")]
		.map(field => field.value).sort().join("|") === ["7", "seedance-2.0", `+"`"+prompt+"`"+`].sort().join("|")`)
}

func TestNothingTypedIsLostWhileTheServerIsDown(t *testing.T) {
	t.Parallel()
	s, who, p := ownServer(t)
	p.open("/create/text-to-video")
	p.typeAll("Kept through thick and thin")
	if err := s.end(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.mark()
	p.clickText(makeButton, makeWords)
	p.awaitText(".foot [role=alert]", "We can’t reach")
	p.stayed()
	p.awaitTyped("Kept through thick and thin")
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	p.open("/create/text-to-video")
	p.awaitText(typedNote, "Picked up where you left off")
	p.awaitTyped("Kept through thick and thin")
	for _, width := range []int64{390, 1280} {
		p.size(width, 844)
		p.await("the note is one quiet line", `document.querySelector("`+typedNote+`").offsetHeight < 40`)
	}
	p.click(promptField)
	p.press("!")
	p.await("the note is gone with the first key", `!document.querySelector("`+typedNote+`")`)

	p.press(kb.Backspace)
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.clickText(makeButton, makeWords)
	p.awaitText(".foot [role=alert]", "We can’t reach")
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitText("#latest .under", "Kept through")
	p.open("/create/text-to-video")
	p.await("the form is empty", `document.querySelector("textarea[name=prompt]").value === "" && !document.querySelector("`+typedNote+`")`)
	page, err := who.get("/gallery?who=me&status=all")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page, `href="/tasks/`); n != 1 {
		t.Errorf("one wish became %d videos", n)
	}
}

func TestWhatWasTypedWaitsForItsPersonAlone(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	kim, ada := s.member(t), s.member(t)
	p := newTab(t, s.base)
	enter := func(who *person) {
		p.open("/login")
		p.fill("input[name=email]", who.email)
		p.fill("input[name=password]", who.password)
		p.leave(func() { p.clickText("main button", "Sign in") })
	}
	out := func() {
		p.click("header .avatar")
		p.leave(func() { p.clickText("header button", "Sign out") })
	}
	enter(kim)
	p.open("/create/text-to-video")
	p.typeAll("Kim alone sees this")
	out()
	enter(ada)
	p.open("/create/text-to-video")
	p.await("nothing is in Ada's form", `document.readyState === "complete" && document.querySelector("textarea[name=prompt]").value === ""`)
	out()
	enter(kim)
	p.open("/create/text-to-video")
	p.awaitText(typedNote, "Picked up where you left off")
	p.awaitTyped("Kim alone sees this")

	p.leave(func() { p.clickText(typedNote+" button", "Start fresh") })
	p.await("the form is empty", `document.querySelector("textarea[name=prompt]").value === ""`)
	p.open("/create/text-to-video")
	p.await("it stays empty", `document.readyState === "complete" && document.querySelector("textarea[name=prompt]").value === ""`)
}

func TestWhatWasTypedOutlastsTheSession(t *testing.T) {
	for name, script := range map[string]bool{"with script": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who := sharedServer(t).member(t)
			p := newTabOf(t, who)
			if !script {
				p.withoutScript()
			}
			p.open("/create/text-to-video")
			p.fill(promptField, "Still here after signing in")
			if _, err := who.post("/logout", nil); err != nil { // in another window
				t.Fatal(err)
			}
			p.leave(func() { p.clickText(makeButton, makeWords) })
			p.awaitPath("/login")
			p.fill("input[name=email]", who.email)
			p.fill("input[name=password]", who.password)
			p.leave(func() { p.clickText("main button", "Sign in") })
			p.awaitPath("/create/text-to-video")
			p.awaitText(typedNote, "Picked up where you left off")
			p.await("the prompt is there", `document.querySelector("textarea[name=prompt]").value === "Still here after signing in"`)
			p.leave(func() { p.clickText(makeButton, makeWords) })
			p.awaitText("#latest .under", "Still here")
		})
	}
}

func TestATableAndARecipeComeBack(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/recipes/new")
	p.fill("#name", "A bench")
	p.fill(promptField, "A {{thing}} on a {{place}}")
	p.fill("#ceiling", "30")
	p.open("/recipes/new")
	p.awaitText(typedNote, "Picked up where you left off")
	p.leave(func() { p.clickText(makeButton, "Save recipe") })
	p.awaitPath("/recipes/")
	recipe := p.path()
	p.open("/recipes/new")
	p.await("the saved one does not come back", `document.readyState === "complete" && document.querySelector("#name").value === ""`)

	p.open(recipe)
	p.fill("[data-blank=thing]", "a teapot")
	p.open(recipe)
	p.awaitText(".filled", "a teapot")
	p.awaitText(typedNote, "Picked up where you left off")

	p.open(recipe + "/batch")
	p.click("#paste summary")
	get[bool](p, `(() => {
		const table = document.querySelector("#table");
		table.value = "cup\toak\nlamp\tpine";
		return table.dispatchEvent(new Event("input", {bubbles: true}));
	})()`)
	p.leave(func() { p.clickText(makeButton, "Check table") })
	p.fill("[name='cell.0.0']", "mug")
	p.open(recipe + "/batch")
	p.awaitText(typedNote, "Picked up where you left off")
	p.await("the table is as it was edited", cellValues+` === "mug,oak,lamp,pine,,"`)
	p.awaitText(".total", "2 videos")
	p.awaitText(typedNote, "Picked up where you left off")
}
