package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// linkField is the field with the link in the dialog in which it was made.
const linkField = `document.querySelector("#share-address")`

// shareHere makes a link in the dialog of the page, and returns it.
func (p *tab) shareHere(title, days string) string {
	p.t.Helper()
	p.clickText("a[data-share-link]", "Share")
	p.await("the dialog is open", `document.querySelector("dialog.share")?.open`)
	p.clickText("#share summary", "Title")
	p.fill("#share input[name=title]", title)
	p.clickText("#share summary", "Ends")
	p.clickText("#share label", days)
	p.clickText("#share button", "Copy link")
	p.awaitText("#share button", "Copied")
	return get[string](p, linkField+".value")
}

// shareTakes makes a link to the video on the page of its links, as a person does: its guests
// decide, and see other takes. It returns the link.
func (p *tab) shareTakes(path, title string, scripted bool) string {
	p.t.Helper()
	p.open(path + "/share")
	p.clickText("#share-box label", "Decide")
	p.clickText("#share-box summary", "Title")
	p.fill("#share-box input[name=title]", title)
	p.clickText("#share-box label", "Show other takes, new ones too")
	if scripted {
		p.clickText("#share-box button", "Copy link")
		p.await("the link is there", linkField)
	} else {
		p.leave(func() { p.clickText("#share-box button", "Make link") })
	}
	return get[string](p, linkField+".value")
}

// plays presses play and waits until the video moves.
func (p *tab) plays(selector string) {
	p.t.Helper()
	video := fmt.Sprintf("document.querySelector(%q)", selector)
	p.await("the video is there", video+`?.readyState >= 2`)
	p.click(selector)
	p.await("the video runs", video+`.currentTime > 0.1`)
}

// answerTo sends a GET request without cookies, and returns the status and the body.
func answerTo(t *testing.T, address, byteRange string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if byteRange != "" {
		r.Header.Set("Range", byteRange)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

func TestStrangerWatchesWhatWasShared(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A zebra crosses the road")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open(path)
	link := p.shareHere("For the harbour fair", "30 days")
	if !strings.HasPrefix(link, who.base+"/share/") {
		t.Fatalf("the link is %q", link)
	}
	p.clickText("#share button", "Copied") // once more
	p.await("it is the same", fmt.Sprintf("%s.value === %q", linkField, link))

	stranger := newTab(t, who.base)
	stranger.expect("404")
	stranger.open(link)
	stranger.awaitText("h1", "For the harbour fair")
	stranger.plays("video")
	source := get[string](stranger, `document.querySelector("video").currentSrc`)
	source, _, _ = strings.Cut(source, "#")
	if status, body := answerTo(t, source, "bytes=0-9"); status != http.StatusPartialContent || len(body) != 10 {
		t.Errorf("a range: %d, %d bytes", status, len(body))
	}
	if cookies := get[string](stranger, `document.cookie`); cookies != "" {
		t.Errorf("cookies %q", cookies)
	}
	for _, width := range []int64{360, 2560} {
		stranger.size(width, 800)
		if over := get[int64](stranger, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%d wide: %d too much", width, over)
		}
	}

	p.mark()
	p.clickText("#share button", "Turn off link")
	p.awaitText("#share [role=status]", "Link turned off")
	p.awaitText("#share button", "Copy link")
	p.stayed()
	stranger.open(link)
	stranger.awaitText("h1", "This link has ended")
	if status, _ := answerTo(t, source, ""); status != http.StatusNotFound {
		t.Errorf("its file after that: %d", status)
	}
}

func TestStrangerWatchesACollection(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	first, second := who.make(t, "A zebra crosses the road"), who.make(t, "The harbour at night")
	who.finish(t, first)
	who.finish(t, second)
	p := newTabOf(t, who)
	name := "Takes of " + who.name
	p.open(first)
	p.clickText("[role=tab]", "Organise")
	p.fill("#collections input[name=name]", name)
	p.click("#collections form.collect button")
	p.awaitText("#collections li", name)
	p.leave(func() { p.clickText("#collections li a", name) })
	at := get[string](p, `location.pathname`)
	form := url.Values{"id": {strings.TrimPrefix(second, "/tasks/")}, "collection": {strings.TrimPrefix(at, "/collections/")}}
	if _, err := who.post("/collections/add", form); err != nil {
		t.Fatal(err)
	}
	p.open(at)
	p.await("both are in it", `document.querySelectorAll(".cell[id^=task-]").length === 2`)
	p.leave(func() { p.click("li:nth-child(2) [value=earlier]") })
	p.awaitText(".cell:first-child", "The harbour at night")
	link := p.shareHere("Both of them", "1 day")
	p.press(kb.Escape)

	stranger := newTab(t, who.base)
	stranger.open(link)
	stranger.awaitText("h1", "Both of them")
	stranger.awaitText(".facts-line", "Video 1 of 2")
	stranger.awaitText(".playlist a:nth-child(2)", "Video 2 of 2")
	p.leave(func() { p.click("li:first-child [title=Remove]") })
	stranger.open(link)
	stranger.awaitText(".facts-line", "Video 1 of 1")
}

// The password row says whether one is stored, and "Will be set" while one is typed, also after
// a refusal, which leaves it in the field.
func TestTheRowOfAPasswordSaysWhatIsTyped(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "A locked garden")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open(path)
	p.clickText("a[data-share-link]", "Share")
	p.await("the dialog is open", `document.querySelector("dialog.share")?.open`)
	row := func(want string) {
		t.Helper()
		p.await("the row says "+want, fmt.Sprintf(`document.querySelector("#share [data-share-shown=password]").textContent === %q`, want))
	}
	row("None")
	p.clickText("#share summary", "Password")
	p.fill("#share input[name=password]", "o")
	row("Will be set")
	p.fill("#share input[name=password]", "")
	row("None")
	p.expect("422")
	p.fill("#share input[name=password]", "short")
	p.clickText("#share button", "Copy link")
	p.awaitText("#share .error", "Use at least 6 characters.")
	row("Will be set")
	p.await("it is still in the field", `document.querySelector("#share input[name=password]").value === "short"`)
	p.fill("#share input[name=password]", "")
	row("None")
	p.fill("#share input[name=password]", "open sesame")
	row("Will be set")
	p.clickText("#share button", "Copy link")
	p.awaitText("#share button", "Copied")
	row("Set")
	p.fill("#share input[name=password]", "another one")
	row("Will be set")
	p.fill("#share input[name=password]", "")
	row("Set")
}
