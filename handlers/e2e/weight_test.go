package e2e

import (
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// weight holds the cost of loading a page with an empty cache.
type weight struct {
	Page, Pictures, Films int64   // bytes of the page with its styles and scripts, but without what these fetch later; of pictures; and of videos
	LCP                   float64 // milliseconds until the largest element was painted
	CLS                   float64 // cumulative layout shift
	Moved                 string  // what moved, from where to where
	Parts                 string  // the files that Page consists of, with their sizes
}

const weigh = `new Promise(done => {
	const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
	const sum = kind => all.filter(e => kindOf(e) === kind).reduce((n, e) => n + e.transferSize, 0);
	const kindOf = e => e.initiatorType === "fetch" ? "poll" : /^image.(?!svg)/.test(e.contentType) ? "picture" :
		e.initiatorType === "video" || /^video/.test(e.contentType) ? "film" : "page"; // one that was cut off has no type
	let LCP = 0, CLS = 0, Moved = "";
	const box = r => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	const what = n => n ? n.nodeName + "#" + n.id + "." + n.className : "something gone";
	new PerformanceObserver(list => { for (const e of list.getEntries()) LCP = e.startTime; }).observe({type: "largest-contentful-paint", buffered: true});
	new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) {
		CLS += e.value;
		for (const s of e.sources) Moved += " " + Math.round(e.startTime) + " ms: " + what(s.node) + " from " + box(s.previousRect) + " to " + box(s.currentRect) + ";";
	} }).observe({type: "layout-shift", buffered: true});
	const Parts = all.filter(e => kindOf(e) === "page").map(e => new URL(e.name).pathname.split("/").pop() + " " + e.transferSize).join(", ");
	setTimeout(() => done({Parts, Page: sum("page"), Pictures: sum("picture"), Films: sum("film"), LCP, CLS, Moved}), 300);
})`

// limits holds the size limits of pages in bytes, each with its styles and scripts, all of
// which a first visitor loads; 0 means that nothing of the kind may be loaded. Pages that
// are not listed have no limit.
var limits = func() map[string]weight {
	const page, pictures, films = 42_000, 400_000, 10 << 20
	return map[string]weight{
		"login":                {Page: 16_000},
		"create-first":         {Page: page},
		"create-text-to-video": {Page: page, Pictures: pictures}, // with videos
		"create-frames":        {Page: page, Pictures: pictures},
		"create-references":    {Page: page, Pictures: pictures},
		"gallery":              {Page: page + 500, Pictures: pictures},               // with the marks and stars of its tiles
		"task-ready":           {Page: 53_000, Pictures: pictures, Films: films},     // with a guest's answer, which is a note
		"task-pictures":        {Page: page + 500, Pictures: pictures, Films: films}, // without notes
		"shared":               {Page: 24_000, Pictures: pictures, Films: films},
		"shared-collection":    {Page: 24_000, Pictures: pictures, Films: films},
		"shared-story":         {Page: 26_000, Pictures: pictures, Films: films},
		"shared-locked":        {Page: 24_000, Pictures: pictures},
		"shared-talk":          {Page: 32_000, Pictures: pictures, Films: films},
		"shared-story-talk":    {Page: 32_000, Pictures: pictures, Films: films},
		"shared-takes":         {Page: 32_000, Pictures: pictures, Films: films},
		"shared-mail":          {Page: 24_000, Pictures: pictures},
		"settings":             {Page: page},
		"usage":                {Page: page},
	}
}()

// weigh opens a page with an empty cache and fails the test if it exceeds its limit.
// With -v it logs what the page costs. Times are logged but not judged.
func (p *tab) weigh(name string, limit weight, show func()) {
	p.t.Helper()
	p.size(1440, 900)
	p.media(nil)
	p.cache(false)
	defer p.cache(true)
	show()
	p.await("the page is whole", `document.readyState === "complete"`)
	ctx, cancel := p.within()
	defer cancel()
	w, err := chromedp.Run(ctx, chromedp.Evaluate[weight](weigh, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("%-12s page %6d B, pictures %7d B, films %7d B, LCP %4.0f ms, CLS %.3f", name, w.Page, w.Pictures, w.Films, w.LCP, w.CLS)
	if w.Page == 0 || w.Page > limit.Page || w.Pictures > limit.Pictures || w.Films > limit.Films {
		p.t.Errorf("%s costs %+v, which is more than %+v", name, w, limit)
	}
	if w.CLS >= 0.02 {
		p.t.Errorf("%s moves by %.3f while it loads:%s", name, w.CLS, w.Moved)
	}
}

// cache turns the browser's cache on or off.
func (p *tab) cache(on bool) {
	p.t.Helper()
	tell(p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: !on})
}
