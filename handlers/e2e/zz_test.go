package e2e
import ("testing";"time";"fmt"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"path/filepath"
)
func TestZZ(t *testing.T) {
	p := newTabOf(t, fullGallery(t))
	p.open("/gallery")
	p.mark()
	get[bool](p, `(window.ev=[], document.addEventListener("toggle", e => ev.push(e.target.id+":"+e.newState+":"+Math.round(performance.now())), true), document.addEventListener("click", e => ev.push("click "+e.target.outerHTML.slice(0,60)), true), document.addEventListener("keydown", e => ev.push("key "+e.key), true), addEventListener("resize", e => ev.push("resize"), true), true)`)
	p.click("#filters-button")
	for range 10 {
	time.Sleep(100*time.Millisecond)
	t.Log(get[string](p, `(() => { const e = [...document.querySelectorAll(".facet > summary")].find(e => e.innerText.includes("Person")); if (!e) return "none " + ev + [...document.querySelectorAll(".facet > summary")].map(e => e.innerText + e.getClientRects().length); e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getClientRects()[0]; if (!r) return "norects"; const top = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2); return [r.x, r.y, top?.outerHTML.slice(0,80), ev.join()].join(" | ") })()`))
	}
	p.save("/tmp/zz.png")
}
func TestYY(t *testing.T) {
	s, who, p := ownServer(t)
	for i, ratio := range []string{"16:9", "1:1", "16:9"} {
		form := map[string][]string{"model": {"quick"}, "prompt": {fmt.Sprintf("Waves on a black beach, take %d", i)}, "duration": {"1"}, "aspect_ratio": {ratio}}
		who.finish(t, who.makeOf(t, "text-to-video", form))
	}
	multiply(t, filepath.Join(s.dir, "dailies.db"), 1000)
	p.size(1440, 900)
	chromedp.Call(p.ctx, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
	read := func() map[string]float64 {
		m := map[string]float64{}
		r, err := chromedp.Call(p.ctx, performance.GetMetrics, cdp.Empty{})
		if err != nil { t.Fatal(err) }
		for _, x := range r.Metrics { m[x.Name] = x.Value }
		return m
	}
	before := read()
	tell := func(what string) {
		time.Sleep(2500*time.Millisecond)
		m := read()
		t.Logf("%-12s task %.0f ms, script %.0f, style %.0f, layout %.0f", what, 1000*(m["TaskDuration"]-before["TaskDuration"]), 1000*(m["ScriptDuration"]-before["ScriptDuration"]), 1000*(m["RecalcStyleDuration"]-before["RecalcStyleDuration"]), 1000*(m["LayoutDuration"]-before["LayoutDuration"]))
		before = m
	}
	p.open("/gallery?through=1")
	p.await("all", cards+` >= 1000`)
	tell("load")
	tell("idle")
	for _, key := range []string{"j", "j", "x", "k", "x", "s"} { p.press(key); tell(key) }
	p.clickText("[data-choose-none]", "Done"); tell("done")
	p.click("label[title=Large]"); tell("large")
	p.click("label[title=Medium]"); tell("medium")
	p.click("[data-select]"); tell("select")
	p.click("[data-select]"); tell("unselect")
	p.click("#filters-button"); tell("filters")
	get[bool](p, scrollAWhile)
	p.await("it has scrolled", `scrolled.done`); tell("scroll"+fmt.Sprint(get[float64](p, `scrolled.pixels`)))
}
