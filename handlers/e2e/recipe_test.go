package e2e

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestAColleagueFillsTwoFieldsOfARecipe(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	maker := s.member(t)
	video := maker.make(t, "A red cup stands in a kitchen")
	maker.finish(t, video)
	p := newTabOf(t, maker)
	p.open(video)
	p.clickText(".vacts button", "Make again")
	p.leave(func() { p.clickText("a", "Save as a recipe") })
	p.await("the prompt came along", `document.querySelector("#prompt").value === "A red cup stands in a kitchen"`)
	p.makeBlank("red cup", "product")
	p.makeBlank("kitchen", "")
	p.awaitText("[data-asks]", "This recipe asks for: product, kitchen.")
	p.fill("input[name=name]", "Cups in rooms")
	p.fill("input[name=ceiling]", "10")
	p.leave(func() { p.clickText(makeButton, "Save recipe") })
	p.awaitText(".toast", "Saved")

	c := newTabOf(t, s.member(t))
	c.open("/recipes")
	c.leave(func() { c.clickText("h2 a", "Cups in rooms") })
	c.fill("#blank-0", "green lamp")
	c.awaitText("[data-filled]", "A green lamp stands in a kitchen")
	c.fill("#blank-1", "garden")
	c.awaitText("[data-filled]", "A green lamp stands in a garden")
	c.awaitText(".price", "up to 10 allowed")
	c.await("nothing is said of a short prompt", `!document.querySelector("[data-long]").checkVisibility()`)
	c.press("a", chromedp.ModifierCtrl)
	c.pasteText(strings.Repeat("very ", 399) + "old garden") // to type it takes longer than anybody waits
	c.awaitText("[data-long]:not([hidden])", "Over 2,000 characters")
	c.press("a", chromedp.ModifierCtrl)
	c.pasteText("garden")
	c.await("that goes with the words", `!document.querySelector("[data-long]").checkVisibility()`)
	c.leave(func() { c.press(kb.Enter, chromedp.ModifierCtrl) })
	made := regexp.MustCompile(`made=(\d+)`).FindStringSubmatch(get[string](c, `location.search`))
	if made == nil {
		t.Fatalf("the recipe led to %s", c.path())
	}
	c.awaitFor(videoPatience, "the video is ready", fmt.Sprintf(`document.querySelector("#video-%s")`, made[1]))
	c.await("the fields are there for the next one", `document.querySelector("#blank-0").value === "green lamp"`)
	c.open("/tasks/" + made[1])
	c.awaitText("main", "A green lamp stands in a garden")
	c.awaitText("main", "Made with the recipe Cups in rooms")
}

// makeBlank selects the words in the prompt, presses the button that turns them into a
// blank, and types a name for it if one is given.
func (p *tab) makeBlank(words, name string) {
	p.t.Helper()
	get[bool](p, fmt.Sprintf(`(prompt => {
		const at = prompt.value.indexOf(%q);
		prompt.focus();
		prompt.setSelectionRange(at, at + %d);
		return true;
	})(document.querySelector("#prompt"))`, words, len(words)))
	p.click("[data-make-blank]")
	p.await("the words are a blank", fmt.Sprintf(`document.querySelector("#prompt").value.includes("{{%[1]s: %[1]s}}")`, words))
	if name != "" {
		p.press(name)
		p.await("it has another name", fmt.Sprintf(`document.querySelector("#prompt").value.includes("{{%s: %s}}")`, name, words))
	}
}

// A removed blank gives its words back, and without script a blank is named beside them.
func TestABlankGivesItsWordsBack(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/recipes/new")
	p.fill(promptField, "A red cup stands in a kitchen")
	p.makeBlank("red cup", "product")
	p.makeBlank("kitchen", "")
	p.fill(".blankrow:nth-child(1) [name=blank_words]", "blue cup")
	p.await("the example is another", `document.querySelector("#prompt").value === "A {{product: blue cup}} stands in a {{kitchen: kitchen}}"`)
	p.click(".blankrow:nth-child(1) [data-remove-blank]")
	p.await("the words are back", `document.querySelector("#prompt").value === "A blue cup stands in a {{kitchen: kitchen}}"`)
	p.await("one blank is left", `document.querySelectorAll(".blankrow:not([data-spare])").length === 1`)

	p = newTabOf(t, sharedServer(t).member(t))
	p.withoutScript()
	p.open("/recipes/new")
	p.fill("#name", "Cups without script")
	p.fill(promptField, "A red cup stands in a kitchen")
	p.fill("#blank-name-0", "product")
	p.fill("#blank-words-0", "red cup")
	p.leave(func() { p.clickText(makeButton, "Save recipe") })
	p.awaitText("h1", "Cups without script")
	p.await("the words are the blank's example", `document.querySelector("#blank-0").placeholder === "red cup"`)
	p.leave(func() { p.clickText("main a", "Edit") })
	p.fill("#blank-name-0", "")
	p.fill("#blank-name-1", "room")
	p.fill("#blank-words-1", "kitchen")
	p.leave(func() { p.clickText(makeButton, "Save recipe") })
	p.awaitText("[data-filled]", "A red cup stands in a room")
}

// Leaving a row out updates the rows and the total by itself.
func TestARowIsLeftOutAtOnce(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	page, err := who.post("/recipes", url.Values{
		"name": {"Cups to leave out"}, "scene": {"text-to-video"}, "model": {"quick"}, "duration": {"1"}, "prompt": {"A {{product}} in a {{place}}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, who)
	p.expect("422")
	p.open(regexp.MustCompile(`/recipes/\d+/batch`).FindString(page))
	get[bool](p, `(table => { table.value = "Place\tProduct\nhall\tblue cup\n\tgreen cup\nattic\tred cup"; return table.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#table"))`)
	p.leave(func() { p.clickText(makeButton, "Check table") })
	p.awaitText("[role=alert]", "needs a look")
	p.mark()
	p.fill("[name='cell.0.0']", "big blue cup")
	p.tabTo("[name='skip.1']")
	p.press(" ")
	p.awaitText(".total", "2 videos, 4 credits")
	p.await("the focus stays, the row stays as edited, and there is nothing to check", focused("[name='skip.1']")+` && document.querySelector("[name='cell.0.0']").value === "big blue cup" && !document.querySelector("#summary")`)
	p.await("the total is announced", `document.querySelector("[data-batch-said]").textContent === "2 videos, 4 credits"`)
	p.press(" ")
	p.awaitText("[role=alert]", "needs a look")
	p.press(" ")
	p.awaitText(makeButton, "Make 2 videos")
	p.stayed()
	for _, width := range []int64{390, 1280} {
		p.size(width, 844)
		p.fits(width)
	}
	p.leave(func() { p.clickText(makeButton, "Make 2 videos") })
	p.awaitText("h1", "2 videos")
	p.awaitText("#made", "A big blue cup in a hall")
}

func TestATableBecomesABatchWithoutScript(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	who := s.member(t)
	page, err := who.post("/recipes", url.Values{
		"name": {"Many cups"}, "scene": {"text-to-video"}, "model": {"quick"}, "duration": {"1"}, "prompt": {"A {{product}} in a {{place}}"}, "ceiling": {"5"},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(`/recipes/\d+/batch`).FindString(page)
	p := newTabOf(t, who)
	p.expect("422")
	p.withoutScript()
	p.open(path)
	get[string](p, `document.querySelector("#table").value = "Place\tProduct\nhall\tblue cup\n\tgreen cup\nattic\t\"old \"\"red\"\" cup\""`)
	p.leave(func() { p.clickText("button", "Check table") })
	p.awaitText(".total", "3 videos, 6 credits")
	p.awaitText("[role=alert]", "needs a look")
	p.awaitText("#cell-1-1-error", "Fill in “place”")
	p.fill("#cell-1-1", "cellar")
	p.leave(func() { p.clickText(makeButton, "Check again") })
	p.awaitText(".total", "3 videos, 6 credits")
	p.click("[name='skip.0']")
	p.leave(func() { p.clickText(makeButton, "Make 3 videos") })
	if !strings.HasPrefix(p.path(), "/batches/") {
		t.Fatalf("the batch led to %s", p.path())
	}
	p.awaitText("h1", "2 videos")
	for _, prompt := range []string{"A green cup in a cellar", `A old "red" cup in a attic`} {
		p.awaitText("#made", prompt)
	}

	watching := newTabOf(t, who)
	watching.open(get[string](p, `location.pathname`))
	watching.awaitFor(videoPatience, "all are done", watching.elementWith("#made-said", "2 of 2 videos done"))
}

// makeRecipes stores recipes, deletes one, and makes a batch.
func makeRecipes(t *testing.T, v *visit, who *person) {
	t.Helper()
	keep := func(name string, form url.Values) string {
		form.Set("name", name)
		page, err := who.post("/recipes", form)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(regexp.MustCompile(`/recipes/\d+/edit`).FindString(page), "/edit")
	}
	words := url.Values{"model": {"seedance-2.0"}, "duration": {"4"}, "resolution": {"480p"}, "prompt": {"{{what}} at {{when}}, slow push-in, soft light"}, "note": {"For the harbour fair"}}
	v.paths["recipe-gone-id"] = strings.TrimPrefix(keep("Not any more", words), "/recipes/")
	v.paths["recipe"] = keep("One place at one hour", words)
	v.paths["recipe-pictures"] = keep("Bring a picture to life", url.Values{
		"scene": {"frames-to-video"}, "model": {"veo3"}, "prompt": {"{{what}} moves"}, "ceiling": {"40"},
		"image_input": {"", v.films + "/flower.jpg"}, "ask": {"image_input.0"}, "asked.image_input.0": {"start picture"},
	})
	if _, err := who.post("/recipes/"+v.paths["recipe-gone-id"]+"/delete", nil); err != nil {
		t.Fatal(err)
	}
	rows := url.Values{"do": {"check"}, "table": {"A lighthouse\tdusk #fail\nA harbour\tmidnight"}}
	for range 2 {
		page, err := who.post(v.paths["recipe"]+"/batch", rows)
		if err != nil {
			t.Fatal(err)
		}
		rows = url.Values{"do": {"make"}}
		for _, field := range regexp.MustCompile(`name="([^"]+)"[^>]* value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(field[1], "skip.") && field[1] != "do" {
				rows.Set(field[1], field[2])
			}
		}
		v.paths["batch"] = regexp.MustCompile(`/batches/\w+`).FindString(page)
	}
}

func recipeWrong(v *visit) {
	at("{recipe}")(v)
	v.fill("#blank-0", "A lighthouse")
	v.leave(func() { v.clickText(makeButton, makeWords) })
}

// checkTable pastes the table into the recipe's batch page and submits it to be
// checked.
func checkTable(table string) func(v *visit) {
	return func(v *visit) {
		at("{recipe}/batch")(v)
		// The rows of an earlier visit, which was not sent, would come back.
		get[bool](v.tab, `(localStorage.clear(), Storage.prototype.setItem = () => {}, true)`)
		at("{recipe}/batch")(v)
		get[string](v.tab, fmt.Sprintf(`document.querySelector("#table").value = %q`, table))
		v.leave(func() { v.clickText("button", "Check table") })
	}
}
