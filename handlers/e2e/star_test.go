package e2e

import (
	"fmt"
	"testing"
)

// slowStars makes the page's requests for stars wait until the test calls
// window.answer with "through", "refuse" or "lose".
const slowStars = `(real => { window.fetch = (to, options) => String(to.url ?? to).includes("/tasks/star")
	? new Promise((done, fail) => { options.signal?.addEventListener("abort", () => fail(new DOMException("replaced", "AbortError"))); window.answer = how => { window.answer = undefined; how === "lose" ? fail(new TypeError("Failed to fetch")) : how === "refuse" ? done(new Response("", {status: 503})) : real(to, options).then(done, fail); }; })
	: real(to, options); return true; })(window.fetch.bind(window))`

// A star changes before the server has answered, and back with a sentence if it cannot be
// saved.
func TestAStarChangesAtOnce(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	p.expect("503")
	p.expect("Failed to fetch")
	for _, place := range []struct{ path, star string }{
		{"/gallery?who=me", "#cards .cell [data-star]"}, {films[1], "main .viewer [data-star]"}, {"/create/text-to-video", "#latest [data-star]"},
	} {
		p.open(place.path)
		p.await("htmx is there", `window.htmx && document.querySelector("`+place.star+`")`)
		get[bool](p, slowStars)
		pressed := fmt.Sprintf(`document.querySelector(%q).ariaPressed === `, place.star)
		press := func(want string) {
			t.Helper()
			get[bool](p, fmt.Sprintf(`(document.querySelector(%q).click(), true)`, place.star))
			p.await("the star has changed while the server has not answered", pressed+`"`+want+`" && window.answer`)
		}
		for _, how := range []string{"refuse", "lose"} {
			press("true")
			get[bool](p, `(window.answer("`+how+`"), true)`)
			p.awaitText(".toast", "The star wasn’t saved.")
			p.await("it has changed back", pressed+`"false"`)
			get[bool](p, `(document.querySelector(".toasts").remove(), true)`)
		}
		press("true")
		press("false") // a second press, before the first was answered
		press("true")
		get[bool](p, `(window.answer("through"), true)`)
		p.await("it is saved", pressed+`"true" && !window.answer && !document.querySelector(".htmx-request")`)
		p.open(place.path)
		p.await("it stays", pressed+`"true"`)
		get[bool](p, fmt.Sprintf(`(document.querySelector(%q).click(), true)`, place.star))
		p.await("it is removed", pressed+`"false" && !document.querySelector(".htmx-request")`)
		p.open(place.path)
		p.await("it stays removed", pressed+`"false"`)
	}
}

// A video of 854 × 480 fills a frame of 16:9, and one of another shape is shown whole.
func TestNoLineAppearsBesideAVideo(t *testing.T) {
	t.Parallel()
	films, p := threeFilms(t)
	fit := `getComputedStyle(document.querySelector(".film video")).objectFit`
	for _, path := range []string{films[0], "/create/text-to-video"} {
		p.open(path)
		p.await("it fills the frame", fit+` === "cover"`)
		get[bool](p, `(v => { v.preload = "auto"; v.load(); return true; })(document.querySelector(".film video"))`)
		p.await("also when its size is known", `document.querySelector(".film video").videoWidth === 854 && `+fit+` === "cover"`)
		get[bool](p, `(v => { v.parentElement.style.setProperty("--ar", "1"); v.load(); return true; })(document.querySelector(".film video"))`)
		p.await("nothing is cut off a video of another shape", fit+` === "contain"`)
	}
	p.withoutScript()
	p.open(films[0])
	p.await("without script, it is shown whole", fit+` === "contain"`)
}
