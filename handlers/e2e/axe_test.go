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

	"dailies/web/scopetest"
)

// TestPagesAreLightAndAxeFindsNothing opens every page. Pages with a size limit must
// keep it, axe-core must find no fault in any of them, wide and narrow, light and dark,
// and none may scroll sideways.
func TestPagesAreLightAndAxeFindsNothing(t *testing.T) {
	axe := findAxe(t)
	t.Parallel()
	walk(t, func(p *tab, name string, show func()) {
		switch limit, weighed := limits[name]; {
		case weighed:
			p.weigh(name, limit, show)
		case axe != "":
			p.setLook(looks[0])
			show()
			p.await("the page is whole", `document.readyState === "complete"`)
		}
		if axe != "" {
			p.checkWithAxe(axe, name)
		}
	})
}

// checkWithAxe fails the test if axe finds faults on the open page, in any look.
func (p *tab) checkWithAxe(axe, name string) {
	p.t.Helper()
	found := map[string][]string{} // by fault, the looks in which it was found
	for _, l := range looks {
		p.size(l.width, l.height)
		p.fits(l.width)
		if rules(l) == "" {
			continue
		}
		p.setLook(l)
		// In a window as high as the page, sticky bars cover nothing that axe examines.
		p.size(l.width, min(max(l.height, get[int64](p, `document.documentElement.scrollHeight`)), maxHeight))
		for _, fault := range p.examine(axe, l) {
			if name == "dev-storybook" && outOfPlace.MatchString(fault) {
				continue
			}
			found[fault] = append(found[fault], l.name)
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(found)) {
		p.t.Errorf("%s, %s: %s", name, strings.Join(found[fault], " and "), fault)
	}
}

// outOfPlace matches axe rules about a component's place in its page, which the
// storybook's components do not have. They still apply to the real pages.
var outOfPlace = regexp.MustCompile(`^(landmark-|target-size)`)

// findAxe returns the source of axe-core. If it is not installed, the tests only check
// the size of pages; where everything should run, the test fails.
func findAxe(t *testing.T) string {
	t.Helper()
	path := scopetest.Installed("DAILIES_AXE", "node_modules/axe-core/axe.min.js")
	if path == "" && !scopetest.All() {
		t.Log("without axe-core: .ci/tools install")
		return ""
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("axe-core, which .ci/tools installs: %v", err)
	}
	return string(source)
}

// examine runs axe on the page and returns its findings: the rule, its requirement, and
// where it is broken. The content security policy of the page does not apply to scripts
// run through the browser's developer tools.
func (p *tab) examine(axe string, l look) (faults []string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, videoPatience)
	defer cancel()
	// axe must be loaded only once per page.
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

// rules returns the axe rules to run: all of them, including best practices but not
// experimental ones. The dark theme changes only colours, and a phone everything but
// colours, so that these looks are only examined for what they change; DAILIES_LONG=1
// examines everything in every look.
func rules(l look) string {
	const colours, every = `["color-contrast", "color-contrast-enhanced", "link-in-text-block"]`, `axe.getRules().filter(r => !r.tags.includes("experimental")).map(r => r.ruleId)`
	dark, phone := l.scheme == "dark", l.width < 640
	switch {
	case scopetest.Long() || !dark && !phone:
		return `{type: "rule", values: ` + every + `}`
	case dark && phone:
		return ""
	case dark:
		return `{type: "rule", values: ` + colours + `}`
	default:
		return `{type: "rule", values: ` + every + `.filter(id => !` + colours + `.includes(id))}`
	}
}

// examination runs axe. From the findings of the rule that requires a contrast of 7:1,
// it drops everything that is not body text: controls, short words in coloured badges,
// and captions on pictures.
const examination = `axe.run(document, {runOnly: %s, resultTypes: ["violations"]}).then(({passes, violations}) => ({
	passes: passes.length,
	violations: violations.map(v => v.id !== "color-contrast-enhanced" ? v : {...v, nodes: v.nodes.filter(n => {
		const e = document.querySelector(n.target[0]);
		return e.closest("main :is(p, li, dt, dd, th, td, label, legend, figcaption)") && !e.closest("button, .btn, .seg, .pill, .chip, .tag, .len, .over, [aria-disabled=true]");
	})}).filter(v => v.nodes.length).map(v => v.id + ": " + v.help + v.nodes.map(n =>
		"\n\t" + n.target.join(" ") + "\n\t\t" + n.failureSummary.replace(/\s+/g, " ")).join("")),
}))`
