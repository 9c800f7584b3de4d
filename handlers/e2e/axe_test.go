package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPagesAreLightAndAxeFindsNothing opens every page: those that have a limit
// keep it, and axe-core looks at all of them, wide and narrow, light and dark.
// None of them scrolls sideways.
func TestPagesAreLightAndAxeFindsNothing(t *testing.T) {
	axe := findAxe(t)
	t.Parallel()
	walk(t, func(p *tab, name string, show func()) {
		switch limit, weighed := limits[name]; {
		case weighed:
			p.weigh(name, limit, show)
		case axe != "":
			p.wear(looks[0])
			show()
			p.await("the page is whole", `document.readyState === "complete"`)
		}
		if axe != "" {
			p.standsUpTo(axe, name)
		}
	})
}

// standsUpTo expects axe to find nothing on the page that is open, in any look.
func (p *tab) standsUpTo(axe, name string) {
	p.t.Helper()
	found := map[string][]string{} // where each fault shows
	for _, l := range looks {
		p.size(l.width, l.height)
		p.fits(l.width)
		if rules(l) == "" {
			continue
		}
		p.wear(l)
		// In a window as high as the page nothing lies on top of what axe judges.
		p.size(l.width, min(max(l.height, get[int64](p, `document.documentElement.scrollHeight`)), highest))
		for _, fault := range p.examine(axe, l) {
			if name == "storybook" && outOfPlace.MatchString(fault) {
				continue
			}
			found[fault] = append(found[fault], l.name)
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(found)) {
		p.t.Errorf("%s, %s: %s", name, strings.Join(found[fault], " and "), fault)
	}
}

// outOfPlace are rules about the place of a part in its page, which a part in the
// storybook does not have. The pages themselves are held to them.
var outOfPlace = regexp.MustCompile(`^(landmark-|target-size)`)

// findAxe returns the source of axe-core. Without it pages are only weighed, but not
// in CI, where nobody would notice.
func findAxe(t *testing.T) string {
	t.Helper()
	path := os.Getenv("DAILIES_AXE")
	if path == "" && os.Getenv("CI") == "" {
		t.Log("without axe: DAILIES_AXE does not say where axe.min.js lies; README.md says how to get it")
		return ""
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("axe.min.js, which DAILIES_AXE has to name: %v", err)
	}
	return string(source)
}

// examine lets axe look at the page as it is, and returns what it finds: the
// rule, what it asks for, and where it is broken. What the browser is told by
// its tools is not bound by the page's content security policy.
func (p *tab) examine(axe string, l look) (faults []string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, videoPatience)
	defer cancel()
	// A second copy in the same page would be one too many.
	if !get[bool](p, `"axe" in window`) {
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](axe+`; true`)); err != nil {
			p.t.Fatalf("axe does not start: %v", err)
		}
	}
	report, err := chromedp.Run(ctx, chromedp.Evaluate[struct {
		Passes     int
		Violations []string
	}](fmt.Sprintf(examination, rules(l)), chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("axe at %s: %v", p.path(), err)
	}
	if report.Passes == 0 {
		p.t.Fatalf("axe has not looked at anything at %s", p.path())
	}
	return report.Violations
}

// rules name the checks that axe makes: all that it has, best practices
// included, but for its experiments. A contrast of 7:1 is asked of body text only.
// The dark theme changes colours and nothing else, and a phone anything but
// colours, so that each is examined for that; DAILIES_LONG=1 examines everything in
// every look.
func rules(l look) string {
	const colours, every = `["color-contrast", "color-contrast-enhanced", "link-in-text-block"]`, `axe.getRules().filter(r => !r.tags.includes("experimental")).map(r => r.ruleId)`
	dark, phone := l.scheme == "dark", l.width < 640
	switch {
	case os.Getenv("DAILIES_LONG") != "" || !dark && !phone:
		return `{type: "rule", values: ` + every + `}`
	case dark && phone:
		return ""
	case dark:
		return `{type: "rule", values: ` + colours + `}`
	default:
		return `{type: "rule", values: ` + every + `.filter(id => !` + colours + `.includes(id))}`
	}
}

// examination leaves out, of the rule that asks for 7:1, what is no body text: what
// can be pressed, short words in coloured badges, and captions on pictures.
const examination = `axe.run(document, {runOnly: %s, resultTypes: ["violations"]}).then(({passes, violations}) => ({
	passes: passes.length,
	violations: violations.map(v => v.id !== "color-contrast-enhanced" ? v : {...v, nodes: v.nodes.filter(n => {
		const e = document.querySelector(n.target[0]);
		return e.closest("main :is(p, li, dt, dd, th, td, label, legend, figcaption)") && !e.closest("button, .btn, .seg, .pill, .chip, .tag, .len, .over, [aria-disabled=true]");
	})}).filter(v => v.nodes.length).map(v => v.id + ": " + v.help + v.nodes.map(n =>
		"\n\t" + n.target.join(" ") + "\n\t\t" + n.failureSummary.replace(/\s+/g, " ")).join("")),
}))`
