package e2e

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// cellValues is the text of all cells of a table for a batch.
const cellValues = `[...document.querySelectorAll(".cellfield")].map(cell => cell.value).join()`

// sheet returns a tab with the table of a recipe that asks for a product and a place.
func sheet(t *testing.T) *tab {
	t.Helper()
	who := sharedServer(t).member(t)
	page, err := who.post("/recipes", url.Values{
		"name": {"Cups in a table"}, "scene": {"text-to-video"}, "model": {"quick"}, "duration": {"1"}, "prompt": {"A {{product}} in a {{place}}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, who)
	p.expect("422")
	p.open(regexp.MustCompile(`/recipes/\d+/batch`).FindString(page))
	return p
}

// Keys lead from cell to cell, and the total follows what is written.
func TestATableIsWrittenInByKeys(t *testing.T) {
	t.Parallel()
	p := sheet(t)
	p.mark()
	p.click("#cell-0-0")
	p.press("red cup")
	p.press(kb.Tab)
	p.press("kitchen")
	p.press(kb.Enter)
	p.await("the focus is in the next row", focused("#cell-1-1"))
	p.awaitText(".total", "1 video, 2 credits")
	p.await("the focus stays there", focused("#cell-1-1"))
	p.press(kb.ArrowUp)
	p.await("up leads to the row above", focused("#cell-0-1"))
	p.press(kb.Home)
	p.press(kb.ArrowLeft)
	p.await("left of the first letter is the cell before", focused("#cell-0-0"))
	p.press(kb.End)
	p.press(kb.ArrowRight)
	p.await("right of the last letter is the cell behind", focused("#cell-0-1"))
	p.press(kb.ArrowDown)
	p.press(kb.ArrowDown)
	p.press("attic")
	p.await("there is always an empty row", `document.querySelectorAll(".sheet tbody tr").length === 4`)
	p.await("nothing is wrong while it is written", `!document.querySelector(".sheet .error")?.checkVisibility()`)
	p.press(kb.Enter)
	p.awaitText(".sheet", "Fill in “product”")
	p.await("empty rows are left out, and the focus follows", cellValues+` === "red cup,kitchen,,attic,,"`)
	p.awaitText("[role=alert], [data-counted]", "1 row needs a look")
	p.awaitText(makeButton, "Check again")
	p.click("#cell-1-0")
	p.press("green cup")
	p.press(kb.Enter)
	p.awaitText(makeButton, "Make 2 videos")
	p.click("[aria-label='Remove row 1']")
	p.awaitText(".toast", "Row removed")
	p.awaitText(makeButton, "Make 1 video")
	p.clickText(".toast button", "Undo")
	p.awaitText(makeButton, "Make 2 videos")
	p.await("the row is back where it was", cellValues+` === "red cup,kitchen,green cup,attic,,"`)
	p.stayed()
	for _, width := range []int64{320, 390, 768, 1440} {
		p.size(width, 844)
		p.fits(width)
	}
	p.leave(func() { p.clickText(makeButton, "Make 2 videos") })
	p.awaitText("#made", "A green cup in a attic")
}

// Rows that are pasted fill the cells from the one with the focus on, and nothing is lost.
func TestPastedRowsFillTheCells(t *testing.T) {
	t.Parallel()
	p := sheet(t)
	p.mark()
	p.click("#cell-0-1")
	p.bring("paste", "#cell-0-1", load{Data: map[string]string{"text/plain": "hall\r\n\"the \"\"old\"\"\nattic\"\r\n"}})
	p.await("a column is filled", cellValues+` === 'hall,the "old" attic'.replace(/^/, ",").replace(",the", ",,the") + ",,"`)
	p.awaitText(".toast", "2 rows filled in")
	p.awaitText(makeButton, "Check again")
	p.bring("paste", "#cell-0-0", load{Data: map[string]string{"text/plain": "red cup\tcellar\ttoo much\nblue cup\t\ngreen cup\tgarden"}})
	p.await("a block is filled, and the cell beyond it stays", cellValues+` === "red cup,cellar,too much,blue cup,,,green cup,garden,,,,"`)
	p.awaitText("#cell-0-more-error", "“too much” belongs to no column.")
	p.awaitText("#cell-1-1-error", "Fill in “place”")
	p.clickText(".toast button", "Undo")
	p.await("undo brings back what was there", cellValues+` === ',hall,,the "old" attic,,'`)
	p.bring("paste", "#cell-0-0", load{Data: map[string]string{"text/plain": "Place\tProduct\nroof\tjug"}})
	p.await("headings say where columns belong", cellValues+` === ',hall,,the "old" attic,jug,roof,,'`)
	p.awaitText(".toast", "1 row added")
	p.bring("drop", "body", load{Files: []loadFile{{"more.csv", "text/csv", "bXVnO3BpZXI="}}}) // mug;pier
	p.await("a file is added", cellValues+`.endsWith(",jug,roof,mug,pier,,")`)
	rows := ""
	for range 97 {
		rows += "cup\toak\n"
	}
	p.bring("paste", "body", load{Data: map[string]string{"text/plain": rows}})
	p.awaitText("#table-error", "100 rows at most")
	p.await("nothing is lost", `document.querySelector("#table").value.split("cup").length === 98 && document.querySelectorAll(".cellfield").length === 10`)
	p.bring("paste", "body", load{Data: map[string]string{"text/plain": strings.Repeat("cup\toak\n", 30_000)}})
	p.awaitText(".toast", "This table is too long. Split it.")
	p.stayed()
	p.leave(func() { p.clickText("button", "Leave out 2 rows") })
	p.await("they are left out", `document.querySelectorAll("[data-skip]:checked").length === 2`)
}

// Pastes come one after another, checks of the rows wait for them, and nothing is sent before
// the pasted cells are there.
func TestRowsWaitForCellsThatArePasted(t *testing.T) {
	t.Parallel()
	p := sheet(t)
	p.mark()
	get[bool](p, `(() => {
		const real = fetch, held = [];
		let free = false;
		window.fetch = (address, how) => free || how?.body?.get?.("do") !== "split" ? real(address, how) : new Promise(go => held.push(go)).then(() => real(address, how));
		window.release = () => { free = true; held.forEach(go => go()); return true; };
		return true;
	})()`)
	p.bring("paste", "#cell-0-0", load{Data: map[string]string{"text/plain": "cup\n\nlamp"}})
	p.bring("paste", "#cell-0-1", load{Data: map[string]string{"text/plain": "oak\nhall\n\"attic,\nold\""}})
	p.click("#cell-1-0")
	p.press("jug")
	p.press(kb.Enter)
	p.clickText(makeButton, "Check table")
	p.awaitText(".toast", "Still adding your rows. Press again in a moment.")
	get[bool](p, `release()`)
	p.awaitText(".sheet", "Fill in “product”")
	p.await("both are there, with the empty cell", cellValues+` === "cup,oak,,hall,lamp,attic, old,,"`)
	p.stayed()
}

// A table that is wider than the page scrolls in its card, and the page does not.
func TestAWideTableScrollsByItself(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	page, err := who.post("/recipes", url.Values{
		"name": {"Many blanks"}, "scene": {"text-to-video"}, "model": {"quick"}, "duration": {"1"},
		"prompt": {"A {{product of a very long name}} in a {{place of many words in it}} with {{somebody else}} at {{some hour}}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, who)
	p.open(regexp.MustCompile(`/recipes/\d+/batch`).FindString(page))
	for _, width := range []int64{320, 720, 1024} {
		p.size(width, 450)
		p.fits(width)
	}
}
