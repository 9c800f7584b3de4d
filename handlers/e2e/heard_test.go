package e2e

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp/kb"
)

// tabStops returns how often Tab must be pressed until the element has the focus.
func (p *tab) tabStops(selector string) (n int) {
	p.t.Helper()
	for ; n < 60 && !get[bool](p, focused(selector)); n++ {
		p.press(kb.Tab)
	}
	return n
}

func TestThePromptAndTheButtonAreAFewStopsAway(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	const most = 6
	p.press(kb.Tab)
	p.await("the first stop is the link to the prompt", focused(`a.skip[href='#prompt']`))
	p.press(kb.Enter)
	p.await("it leads there", focused("#prompt"))
	if n := p.tabStops(".make"); n > most {
		t.Errorf("from the prompt to the button it takes %d stops, want at most %d", n, most)
	}
}

func TestFocusStaysWhereSomethingWasDone(t *testing.T) {
	t.Parallel()
	who, pictures := sharedServer(t).member(t), newPictures(t)
	p := newTabOf(t, who)
	p.open("/create/image-to-video")
	p.fill(promptField, "This one goes wrong #fail")
	p.pick("duration", "1 s")
	p.await("the option that was chosen has the focus", focused("#open-duration"))
	p.fillPicture(0, pictures+"/lake.png")
	p.click("[data-remove]")
	p.await("without the picture, the prompt of the other scene has it", focused("#prompt")+` && location.pathname === "/create/text-to-video"`)
	p.clickText(".toast button", "Undo")
	p.await("the picture is back", `location.pathname === "/create/image-to-video" && document.querySelector("[name=image_input]").value`)
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.await("the button that was pressed has it", focused(".make"))
	p.awaitFor(videoPatience, "the video has failed", `document.querySelector(".take.fail .x")`)
	p.click(".take.fail .x")
	p.await("without the failed one, the prompt has it", `!document.querySelector(".take.fail") && `+focused("#prompt"))
}

// hearing records the text of every live region, which screen readers read out, and the
// announced state of the first video in the filmstrip, whenever they change.
const hearing = `(() => {
	window.heard = []; window.became = [];
	const regions = "[role=status], [role=alert], [aria-live]";
	const note = all => {
		for (const { target } of all) {
			const region = (target.closest ? target : target.parentElement)?.closest(regions), words = region?.textContent.trim();
			if (words) window.heard.push(words);
		}
		const said = document.querySelector(".take")?.dataset.said;
		if (said && said !== window.became.at(-1)) window.became.push(said);
	};
	document.addEventListener("DOMContentLoaded", () => {
		note([]);
		new MutationObserver(note).observe(document.body, {subtree: true, childList: true, characterData: true, attributeFilter: ["data-said"]});
	});
})()`

func TestScreenReadersHearEachStateOnce(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.fill(promptField, "A film that is listened to")
	tell(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hearing})
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitVideo()
	p.await("that it is ready is told", `window.heard.at(-1)?.endsWith("is ready.")`)
	if heard, became := get[[]string](p, `window.heard`), get[[]string](p, `window.became`); !slices.Equal(heard, became) {
		t.Errorf("what is told is %q, what became of the video %q", heard, became)
	}
}
