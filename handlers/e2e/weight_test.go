package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// weight holds the cost of a page for a browser with an empty cache.
type weight struct {
	Page, Pictures, Films int64   // bytes of the page with its styles and scripts, of pictures, and of videos
	LCP                   float64 // milliseconds until the largest element was painted
	CLS                   float64 // how much of the page moved, by itself
	Moved                 string  // what moved, from where to where
}

const weigh = `new Promise(done => {
	const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
	const sum = kind => all.filter(e => kindOf(e) === kind).reduce((n, e) => n + e.transferSize, 0);
	const kindOf = e => /^video/.test(e.contentType) ? "film" : /^image.(?!svg)/.test(e.contentType) ? "picture" : "page";
	let LCP = 0, CLS = 0, Moved = "";
	const box = r => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	const what = n => n ? n.nodeName + "#" + n.id + "." + n.className : "something gone";
	new PerformanceObserver(list => { for (const e of list.getEntries()) LCP = e.startTime; }).observe({type: "largest-contentful-paint", buffered: true});
	new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) {
		CLS += e.value;
		for (const s of e.sources) Moved += " " + Math.round(e.startTime) + " ms: " + what(s.node) + " from " + box(s.previousRect) + " to " + box(s.currentRect) + ";";
	} }).observe({type: "layout-shift", buffered: true});
	setTimeout(() => done({Page: sum("page"), Pictures: sum("picture"), Films: sum("film"), LCP, CLS, Moved}), 300);
})`

// TestPagesAreLight opens pages with an empty cache. With -v it tells what each
// costs; how long it took is told and not judged.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	const page, gallery = 45_000, 400_000
	limits := map[string]weight{ // bytes; 0 allows none
		"login":        {Page: page},
		"create-first": {Page: page},
		"create-text":  {Page: page + 5_000, Pictures: gallery}, // with videos
		"gallery":      {Page: gallery, Pictures: gallery},
		"task-ready":   {Page: gallery, Pictures: gallery, Films: 10 << 20},
		"shared":       {Page: gallery, Pictures: gallery, Films: 10 << 20},
		"settings":     {Page: gallery},
		"usage":        {Page: gallery},
	}
	walk(t, func(p *tab, name string, show func()) {
		limit, ok := limits[name]
		if !ok {
			return
		}
		p.size(1440, 900)
		if _, err := chromedp.Call(p.ctx, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}); err != nil {
			t.Fatal(err)
		}
		show()
		p.await("the page is whole", `document.readyState === "complete"`)
		ctx, cancel := p.within()
		defer cancel()
		w, err := chromedp.Run(ctx, chromedp.Evaluate[weight](weigh, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-12s page %6d B, pictures %7d B, films %7d B, LCP %4.0f ms, CLS %.3f", name, w.Page, w.Pictures, w.Films, w.LCP, w.CLS)
		if w.Page == 0 || w.Page > limit.Page || w.Pictures > limit.Pictures || w.Films > limit.Films {
			t.Errorf("%s costs %+v, which is more than %+v", name, w, limit)
		}
		if w.CLS >= 0.02 {
			t.Errorf("%s moves by %.3f while it loads:%s", name, w.CLS, w.Moved)
		}
	})
}
