package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// promptInSight says how much of the prompt is in sight without scrolling, in lines of
// text, and where else the button is.
const promptInSight = `(() => {
	const box = e => document.querySelector(e).getBoundingClientRect(), prompt = box("textarea"), foot = box(".foot"), line = 20;
	const bottom = foot.top > prompt.top ? Math.min(foot.top, innerHeight) : innerHeight;
	return scrollY === 0 && Math.min(prompt.bottom, bottom) - prompt.top > 2 * line && foot.bottom <= innerHeight + 1 && foot.top >= 0;
})()`

// At 200 % zoom, in short windows and under a portrait video on a phone, the prompt and
// the button are in sight without scrolling.
func TestPromptIsInSight(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.media([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}})
	for _, prompt := range []string{"A tower, portrait", "A river"} {
		path := who.makeOf(t, "text-to-video", map[string][]string{"model": {"seedance-2.0-fast"}, "prompt": {prompt}, "duration": {"4"}, "aspect_ratio": {"9:16"}})
		who.finish(t, path)
	}
	for _, size := range [][2]int64{{720, 450}, {640, 400}, {960, 500}, {844, 390}, {390, 844}, {360, 740}, {430, 932}, {1280, 480}, {1440, 900}, {768, 1024}} {
		for _, path := range []string{"/create/text-to-video", "/create/image-to-video"} {
			p.open(path)
			p.size(size[0], size[1])
			get[bool](p, `(scrollTo(0, 0), true)`)
			if !get[bool](p, promptInSight) {
				t.Errorf("%s, %d × %d: %s", path, size[0], size[1], get[string](p, `JSON.stringify(["textarea", ".foot", ".stage", ".dock"].map(e => [e, Math.round(document.querySelector(e).getBoundingClientRect().top), Math.round(document.querySelector(e).getBoundingClientRect().bottom)]))`))
			}
		}
	}
}
