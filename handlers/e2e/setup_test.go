package e2e

import "testing"

func TestFirstRunLeadsToAFormThatWorks(t *testing.T) {
	t.Parallel()
	p := newTab(t, newServer(t).base)
	for _, path := range []string{"/", "/login", "/gallery", "/create/text-to-video", "/settings", "/members", "/usage", "/tasks/1", "/join/none"} {
		p.open(path)
		if got := p.path(); got != "/setup" {
			t.Errorf("%s leads to %s, not to /setup", path, got)
		}
	}
	p.awaitText("main", "/setup?token=")
	p.open("/setup?token=wrong")
	p.awaitText("main", "/setup?token=")

	p.expect("422")
	p.open("/setup?token=" + setupToken)
	p.fill("input[name=name]", "Ada")
	p.fill("input[name=email]", "not an address")
	p.fill("input[name=password]", "short")
	p.leave(func() { p.clickText("button", "Start") })
	p.awaitText("#email ~ .error", "such as kim@example.com")
	p.awaitText("#password ~ .error", "at least 10")
	if got := get[string](p, `document.querySelector("[name=name]").value + "|" + document.querySelector("[name=email]").value`); got != "Ada|not an address" {
		t.Errorf("the form kept %q", got)
	}
	p.fill("input[name=email]", "ada@example.com")
	p.fill("input[name=password]", password)
	p.leave(func() { p.clickText("button", "Start") })
	p.awaitPath("/create/text-to-video")

	p.fill(promptField, "The very first video")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitVideo()
	p.play("#latest video", 2)
	p.open("/setup?token=" + setupToken)
	p.awaitPath("/")
}
