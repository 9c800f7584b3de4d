package handlers_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
)

var (
	inputs = regexp.MustCompile(`<input[^>]*>`)
	named  = regexp.MustCompile(` name="([^"]*)"`)
	valued = regexp.MustCompile(` value="([^"]*)"`)
)

// rowsOf is what the page of a batch would send with the button.
func rowsOf(t *testing.T, a *answer, do string) url.Values {
	t.Helper()
	v := url.Values{"do": {do}}
	for _, input := range inputs.FindAllString(a.body, -1) {
		name, value := named.FindStringSubmatch(input), valued.FindStringSubmatch(input)
		if name == nil || strings.Contains(input, `type="checkbox"`) && !strings.Contains(input, " checked") {
			continue
		}
		text := ""
		if value != nil {
			text = html.UnescapeString(value[1])
		}
		v.Add(html.UnescapeString(name[1]), text)
	}
	if v.Get("rows") == "" {
		t.Fatalf("%s shows no rows\n%.2000s", a.what, a.body)
	}
	return v
}

func TestABatchIsCheckedRowByRowAndMadeOnce(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.addRecipe(t, 1).ID)
	p.get(path).is(200).shows("Paste a table", "product")
	table := "PLACE\tprice\tProduct\r\nwooden\t3\tred \"cup\" {{place}}\r\n\t4\tlamp\r\nstone\t5\t\"a <b>tall</b>\nvase\"\r\nwooden\t3\tred \"cup\" {{place}}\r\n"
	checked := p.post(path, fill("do", "check", "table", table)).is(422).shows(
		"4 videos, 120 credits", "headings", "does not ask for “price”", "Please fill in “Place”", "The same as row 1",
		"red &#34;cup&#34; {{place}}", "a &lt;b&gt;tall&lt;/b&gt; vase").hides("Make 4 videos", "<b>tall")

	form := rowsOf(t, checked, "make")
	p.post(path, form).is(422).shows("Some rows need a look") // a program presses a button that is not there
	form.Set("cell.1.1", "glass")
	form.Set("skip.3", "true")
	form.Set("do", "check")
	checked = p.post(path, form).is(200).shows("3 videos, 90 credits", "Make 3 videos")
	form = rowsOf(t, checked, "make")

	changed := with(rowsOf(t, checked, "make"), "cell.0.0", "blue cup")
	p.post(path, changed).is(422).shows("Something is not as it was", "blue cup", "3 videos, 90 credits")
	if n := len(h.tasks(t)); n != 0 {
		t.Fatalf("%d videos were asked for too early", n)
	}

	first := p.post(path, form).is(303).Header.Get("Location")
	p.post(path, form).is(303).leadsTo(first)
	tasks := h.tasks(t)
	if len(tasks) != 3 {
		t.Fatalf("%d videos were asked for", len(tasks))
	}
	var prompts []string
	for _, task := range tasks {
		prompts = append(prompts, task.Prompt)
		if task.Batch == "" || task.Batch != tasks[0].Batch || task.RecipeID != 1 || task.Quoted != db.CreditsOf(30) || task.Options.Duration != 5 {
			t.Errorf("made %+v", task)
		}
	}
	if got := strings.Join(prompts, "|"); got != "A a <b>tall</b> vase stands on a stone table|A lamp stands on a glass table|A red \"cup\" {{place}} stands on a wooden table" {
		t.Errorf("the prompts are %s", got)
	}
	for _, task := range tasks {
		eventually(t, "the video is kept", func() bool {
			task, err := h.store.Task(t.Context(), task.ID)
			must(t, err)
			return task.Keeping == db.Kept
		})
	}
	p.get(first).is(200).shows("3 videos made together", "3 of 3 videos done", "90 credits paid so far", "Product on a table").hides("hx-get=\"/batches")
	p.get(first, "HX-Request-Type", "partial").is(200).shows("3 of 3").hides("<html")
	h.stranger(t).get(first).is(303)
}

func TestABatchHoldsTheCeilingForEachVideo(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	dear := fmt.Sprintf("/recipes/%d/batch", h.addRecipe(t, 1, func(r *db.Recipe) { r.Ceiling = db.CreditsOf(29) }).ID)
	a := p.post(dear, fill("do", "check", "table", "cup\toak")).is(422).shows("allows only up to 29").hides("Make 1 video")
	p.post(dear, rowsOf(t, a, "make")).is(422)

	unknown := fmt.Sprintf("/recipes/%d/batch", h.addRecipe(t, 1, func(r *db.Recipe) {
		r.Model, r.Options = "veo3", db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	a = p.post(unknown, fill("do", "check", "table", "cup,oak\nlamp,stone")).is(200).shows("2 videos, price not known yet", `name="anyway"`)
	form := rowsOf(t, a, "make")
	p.post(unknown, form).is(422).shows("Please check this box")
	if n := len(h.tasks(t)); n != 0 {
		t.Fatalf("%d videos were asked for", n)
	}
	p.post(unknown, with(form, "anyway", "true")).is(303)
	if n := len(h.tasks(t)); n != 2 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestPicturesOfABatchAreLookedAt(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	pic := pictures(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.addRecipe(t, 1, func(r *db.Recipe) {
		r.Scene, r.Pictures = "image-to-video", []string{"{{photo}}"}
	}).ID)
	table := strings.Join([]string{
		"product\tplace\tphoto", "cup\toak\t" + pic + "/a.png", "lamp\tstone\t" + h.URL + "/login", "vase\tglass\tmy holiday", "jug\ttin\t" + pic + "/a.png",
	}, "\n")
	a := p.post(path, fill("do", "check", "table", table)).is(422).shows("4 videos", "web page", "not a web address", `id="cell-1-2-error"`, `id="cell-2-2-error"`).
		hides(`id="cell-0-2-error"`, `id="cell-3-2-error"`)
	form := rowsOf(t, a, "check")
	form.Set("cell.1.2", pic+"/b.png")
	form.Set("skip.2", "true")
	p.post(path, form).is(200).shows("Make 3 videos")
}

func TestTablesThatWillNotDoAreToldAndKept(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.addRecipe(t, 1).ID)
	for table, want := range map[string]string{
		"":                                    "at least one row",
		"product\tplace":                      "at least one row",
		strings.Repeat("cup\toak\n", 101):     "more than 100 rows",
		strings.Repeat("cup cup\toak\n", 6e3): "too large",
	} {
		a := p.post(path, fill("do", "make", "table", table)).is(422).shows(want)
		if table != "" {
			a.shows(table[:8])
		}
	}
	for _, junk := range []url.Values{
		fill("rows", "-5"), fill("rows", "99999999999999999999"), fill("rows", "3"), fill("rows", "100", "do", "make", "sum", "x", "token", "\xff"),
		fill("do", "make", "table", "\x00\xff\tb\n\"", "sum", strings.Repeat("x", 1000)), fill("rows", "1", "skip.0", "true", "do", "make"),
	} {
		p.post(path, junk).is(422)
	}
	p.post(path, fill("table", strings.Repeat("x", 2<<20))).is(413)
	plain := h.addRecipe(t, 1, func(r *db.Recipe) { r.Prompt = "nothing is asked" })
	p.get(fmt.Sprintf("/recipes/%d/batch", plain.ID)).is(404)
	if n := len(h.tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestABatchShowsOthersOnlyWhatTheyMaySee(t *testing.T) {
	alone(t)
	h := newHouse(t)
	p := h.founder(t)
	ada := h.joiner(t, p, "ada")
	path := fmt.Sprintf("/recipes/%d/batch", h.addRecipe(t, 1).ID)
	made := p.post(path, rowsOf(t, p.post(path, fill("do", "check", "table", "cup\toak\nlamp\tstone")).is(200), "make")).is(303).Header.Get("Location")
	p.get(made).is(200).shows("A cup stands", "A lamp stands", "0 of 2 videos done")
	ada.get(made).is(404)
	h.work(t)
	for _, task := range h.tasks(t) {
		h.reaches(t, task.ID, db.Success)
	}
	ada.get(made).is(200).shows("A cup stands", "A lamp stands")
	_, err := h.store.UpdateTask(t.Context(), h.tasks(t)[0].ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	ada.get(made).is(200).shows("A cup stands", "1 video made together").hides("A lamp stands")
}
