package e2e

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// pasteText pastes the text as a browser does: into the field that has the focus, or else
// on the page.
func (p *tab) pasteText(text string) {
	p.t.Helper()
	get[bool](p, fmt.Sprintf(`(text => {
		const from = new DataTransfer(), on = document.activeElement;
		from.setData("text/plain", text);
		if (on.dispatchEvent(new ClipboardEvent("paste", {bubbles: true, cancelable: true, clipboardData: from})) && on.matches("textarea, input")) {
			on.setRangeText(text, on.selectionStart, on.selectionEnd, "end");
			on.dispatchEvent(new Event("input", {bubbles: true}));
		}
		return true;
	})(%q)`, text))
}

const fourLines = "A red tin on a stone, rain\nA red tin on a ferry, gulls\n\nA red tin by a fire\nA red tin on a white shelf"

func TestPastedLinesBecomeAVideoEach(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.pick("model", "Quick")
	p.click(promptField)
	p.pasteText(fourLines)
	p.awaitText(".many-asked", "Make 4 videos?")
	p.clickText(".many-asked button", "Keep as one text")
	p.fill(promptField, "")
	p.click(promptField)
	p.pasteText(fourLines)
	p.await("the same text is not asked about again", `!document.querySelector(".many-asked") && document.querySelector("textarea").value.includes("gulls")`)
	p.fill(promptField, "")
	p.click(promptField)
	p.pasteText(fourLines + "\nA red tin in the snow")
	p.clickText(".many-asked button", "One video each")
	p.awaitText(".listed", "5 videos, one per line")
	p.awaitText(".make", "Make 5 videos")
	p.click(".promptlist li:nth-child(2) button")
	p.awaitText(".make", "Make 4 videos")
	get[bool](p, `(document.querySelector("[name=count][value='2']").click(), true)`)
	p.awaitText(".make", "Make 8 videos")

	// Another scene and a reload keep the list.
	p.mark()
	p.bring("drop", "body", pictureFiles(t, 1))
	p.awaitPath("/create/image-to-video")
	p.awaitText(".listed", "4 videos, one per line")
	p.awaitText(".make", "Make 8 videos")
	p.clickText(".toast button", "Undo")
	p.awaitPath("/create/text-to-video")
	p.awaitText(".listed", "4 videos, one per line")
	p.stayed()
	p.open("/create/text-to-video")
	p.awaitText(".listed", "4 videos, one per line")
	p.awaitText(".make", "Make 8 videos")
	p.clickText(".listed button", "Edit as text")
	p.awaitText(".make", "Make 2 videos")
	get[bool](p, `(document.querySelector("[name=count][value='1']").click(), true)`)
	p.awaitText(".make", "Make the video")
	p.click(promptField)
	p.press(kb.End)
	p.fill(promptField, "")
	p.click(promptField)
	p.pasteText("A red tin on a stone\nA blue tin on a stone")
	p.clickText(".many-asked button", "One video each")
	p.awaitText(".make", "Make 2 videos")
	p.leave(func() { p.clickText(makeButton, "Make 2 videos") })
	p.awaitText("#latest", "A red tin on a stone")
	p.await("the form is empty again", `document.querySelector("textarea").value === "" && !document.querySelector(".listed")`)
	page, err := who.get("/gallery?who=me&status=all")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page, `href="/tasks/`); n != 2 || !strings.Contains(page, "A blue tin on a stone") {
		t.Errorf("the list became %d videos", n)
	}
}

// A sheet is asked about row by row, with its cells as they were, and its rows are made.
func TestAPastedSheetBecomesAVideoOfEachRow(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.pick("model", "Quick")
	p.click(promptField)
	p.pasteText("Prompt\tShape\tNotes\n\"A cat walks in.\nIt sits down.\"\t16:9\tfor Mia\nA dog\ttall\t\nA cow\t16:9\t")
	p.awaitText(".many-asked", "Make 2 videos?")
	p.awaitText(".many-asked", "“tall” isn’t a shape, such as 16:9.")
	p.awaitText(".many-asked", "The column “Notes” isn’t sent.")
	p.clickText(".many-asked button", "One video each")
	p.awaitText(".listed", "2 videos, one per row")
	p.awaitText(".make", "Make 2 videos")
	p.leave(func() { p.clickText(makeButton, "Make 2 videos") })
	p.awaitText("#latest", "A cow")
	page, err := who.get("/gallery?who=me&status=all")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page, `href="/tasks/`); n != 2 || strings.Contains(page, "A dog") {
		t.Errorf("the sheet became %d videos", n)
	}
}

func TestShortLinesAndTypedOnesAreOneText(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.click(promptField)
	p.press("A red tin on a stone" + kb.Enter + "A blue tin on a stone")
	p.pasteText(", in rain")
	p.pasteText("\nslowly\nA red tin on a stone")
	p.await("nothing is asked", `!document.querySelector(".many-asked") && document.querySelector("textarea").value.includes("slowly")`)
}

func TestOneVideoPerLineWorksWithoutScript(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.withoutScript()
	p.open("/create/text-to-video?model=quick")
	p.fill(promptField, "A red tin on a stone\nA blue tin on a stone")
	p.click("#lines")
	p.expect("422")
	p.leave(func() { p.clickText(makeButton, "Make the video") }) // which first shows what they cost
	p.awaitText("[role=alert]", "2 × 2 = 4 credits")
	p.leave(func() { p.clickText(makeButton, "Make 2 videos") })
	p.awaitText("#latest", "A red tin on a stone")
}

// Whatever text comes to the page finds its field, and can be taken back.
func TestTextIsTakenAnywhereOnThePage(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.fill(promptField, "A boat sails")
	get[bool](p, `!document.activeElement.blur()`)
	p.mark()
	p.pasteText("past the harbour")
	p.awaitText(".toast", "Added to your prompt.")
	p.await("the words follow each other", `document.querySelector("textarea").value === "A boat sails\npast the harbour"`)
	p.clickText(".toast button", "Undo")
	p.await("undo takes them back", `document.querySelector("textarea").value === "A boat sails"`)
	p.bring("drop", ".stage", load{Data: map[string]string{"text/plain": "and a gull\tfollows\nit\thome"}})
	p.awaitText(".many-asked", "You pasted 2 rows.")
	p.stayed()

	page, err := who.post("/recipes", url.Values{"name": {"Two words"}, "scene": {"text-to-video"}, "model": {"quick"}, "duration": {"1"}, "prompt": {"A {{thing}} in a {{place}}"}})
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile(`/recipes/\d+`).FindString(page)
	p.open(recipe)
	get[bool](p, `!document.activeElement.blur()`)
	p.leave(func() { p.pasteText("cup\tkitchen\nlamp\thall") })
	p.awaitPath(recipe + "/batch")
	p.awaitText(".total", "2 videos")
	p.open(recipe + "/batch")
	p.pasteText("cup\tkitchen")
	p.awaitText(".toast", "1 row added")
	p.await("the table is in the cells", cellValues+` === "cup,kitchen,,,,"`)
}

// Going back to no picture loses no word, and the scene follows what is left.
func TestARemovedPictureChangesTheScene(t *testing.T) {
	t.Parallel()
	pictures := newPictures(t)
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/frames-to-video")
	p.mark()
	p.fill(promptField, "From here to there")
	p.fillPicture(0, pictures+"/one.png")
	p.fillPicture(1, pictures+"/two.png")
	p.click("[data-picture='image_input.0'] [data-remove]")
	p.awaitText(".toast", "Picture removed. Switched to Picture.")
	p.await("the other picture stays", pictureLinks+`.join() === "`+pictures+`/two.png"`)
	p.awaitPath("/create/image-to-video")
	p.click("[data-picture='image_input.0'] [data-remove]")
	p.awaitText(".toast", "Picture removed. Switched to Words.")
	p.awaitPath("/create/text-to-video")
	p.await("the words are there", `document.querySelector("textarea").value === "From here to there"`)
	p.clickText(".toast button", "Undo")
	p.awaitPath("/create/image-to-video")
	p.await("undo brings the picture back", pictureLinks+`.join() === "`+pictures+`/two.png"`)
	p.stayed()
}
