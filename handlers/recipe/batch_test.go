package recipe_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/handlers/handlerstest"
)

func TestABatchIsCheckedRowByRowAndMadeOnce(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	p.Get(path).Is(200).Shows("Paste a table", "product")
	table := "PLACE\tprice\tProduct\r\nwooden\t3\tred \"cup\" {{place}}\r\n\t4\tlamp\r\nstone\t5\t\"a <b>tall</b>\nvase\"\r\nwooden\t3\tred \"cup\" {{place}}\r\n"
	checked := p.Post(path, handlerstest.FilledForm("do", "check", "table", table)).Is(422).Shows(
		"4 videos, 120 credits", "names the columns", "doesn’t ask for “price”", "Fill in “Place”", "The same as row 1",
		"red &#34;cup&#34; {{place}}", "a &lt;b&gt;tall&lt;/b&gt; vase").Hides("Make 4 videos", "<b>tall")

	form := handlerstest.RowsOf(t, checked, "make")
	p.Post(path, form).Is(422).Shows("needs a look") // a program may submit a button that the page does not show
	form.Set("cell.1.1", "glass")
	form.Set("skip.3", "true")
	form.Set("do", "check")
	checked = p.Post(path, form).Is(200).Shows("3 videos, 90 credits", "Make 3 videos")
	form = handlerstest.RowsOf(t, checked, "make")

	changed := handlerstest.WithField(handlerstest.RowsOf(t, checked, "make"), "cell.0.0", "blue cup")
	p.Post(path, changed).Is(422).Shows("The total has changed", "blue cup", "3 videos, 90 credits")
	if n := len(h.Tasks(t)); n != 0 {
		t.Fatalf("%d videos were asked for too early", n)
	}

	first := p.Post(path, form).Is(303).Header.Get("Location")
	p.Post(path, form).Is(303).LeadsTo(first)
	tasks := h.Tasks(t)
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
		handlerstest.Eventually(t, "the video is kept", func() bool {
			task, err := h.Store.Tasks.Task(t.Context(), task.ID)
			must(t, err)
			return task.Keeping == db.Kept
		})
	}
	p.Get(first).Is(200).Shows("Batch: ", "3 videos", "3 of 3 videos done", "90 credits paid so far", "Product on a table").Hides("hx-get=\"/batches")
	p.Get(first, "HX-Request-Type", "partial").Is(200).Shows("3 of 3").Hides("<html")
	p.Get("/batches").Is(200).Shows("3 of 3 videos done", "90 credits").Has(`.batches a[href="` + first + `"]`)
	h.Stranger(t).Get(first).Is(303)
}

// A cell that no column takes keeps its row from being made until it is emptied.
func TestARowWithACellTooManyIsNotMade(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	checked := p.Post(path, handlerstest.FilledForm("do", "check", "table", "cup\toak\tgarden\nlamp\tpine")).
		Shows("“garden” belongs to no column.", "1 row needs a look").Has(`[name="cell.0.more"][value=garden]`)
	form := handlerstest.RowsOf(t, checked, "make")
	p.Post(path, form).Is(422).Shows("“garden” belongs to no column.")
	form.Set("cell.0.more", "")
	form.Set("do", "check")
	p.Post(path, form).Is(200).Shows("2 videos, 60 credits").Hides("No column")
}

// A row that says two things about one option is not made until one of them is taken out.
func TestCellsThatContradictEachOtherKeepTheirRow(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	for _, table := range []string{
		"product\tplace\tShape\tFormat\ncup\toak\t16:9\t9:16\nlamp\tpine\t16:9\t16:09",
		"cup\toak\t16:9\t9:16\nlamp\tpine\t1:1\t1:1",
	} {
		checked := p.Post(path, handlerstest.FilledForm("do", "check", "table", table)).
			Shows("“9:16” contradicts “16:9” in the same row. Keep one of them.", "1 row needs a look").Has("[name='cell.0.aspect_ratio'][value='16:9, 9:16']")
		form := handlerstest.RowsOf(t, checked, "make")
		p.Post(path, form).Is(422).Shows("“9:16” contradicts “16:9”")
		form.Set("cell.0.aspect_ratio", "9:16")
		form.Set("do", "check")
		p.Post(path, form).Is(200).Shows("2 videos").Hides("contradicts")
	}
	list := handlerstest.ListOf("1", "A cat\t16:9\t9:16\nA dog\t1:1")
	p.Post("/create/text-to-video", list).Is(422).Shows("“9:16” contradicts “16:9” in the same row.")
	if n := len(h.Tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

// A script that fills cells has the server split them, by the rules of a whole table.
func TestPastedCellsAreSplit(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	a := p.Post(path, handlerstest.FilledForm("do", "split", "table", "cup\t\"the \"\"old\"\"\r\nattic\"\r\n\r\n\t<b>\r\n")).Is(200)
	if want := `[["cup","the \"old\" attic"],[""],["","\u003cb\u003e"]]`; a.Text != want || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("answered %s, %s", a.Header.Get("Content-Type"), a.Text)
	}
	for table, want := range map[string]string{"": "at least one row", strings.Repeat("cup\n", 101): "100 rows at most", strings.Repeat("cup cup\n", 9e3): "is over"} {
		p.Post(path, handlerstest.FilledForm("do", "split", "table", table)).Is(422).Shows(want)
	}
}

func TestColumnsThatNobodyAsksForAreNamed(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	for more, want := range map[string]string{
		"a":                   "doesn’t ask for “a”.",
		"a\tb\tc\td\te":       "doesn’t ask for “a”, “b”, “c”, “d” and “e”.",
		"a\tb\tc\td\te\tf\tg": "doesn’t ask for “a”, “b”, “c”, “d”, “e” and 2 more.",
	} {
		p.Post(path, handlerstest.FilledForm("do", "check", "table", "product\tplace\t"+more+"\ncup\toak")).Is(200).
			Shows("The first row names the columns.", want)
	}
}

// Fewer videos than were shown need no second look; more do.
func TestRowsCanBeLeftOutAfterTheCheck(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	checked := p.Post(path, handlerstest.FilledForm("do", "check", "table", "cup\toak\nlamp\tpine\nvase\tstone")).Is(200).Shows("3 videos, 90 credits")
	form := handlerstest.RowsOf(t, checked, "make")
	form.Set("skip.1", "true")
	fewer := p.Post(path, handlerstest.WithField(maps.Clone(form), "do", "check")).Is(200).Shows("2 videos, 60 credits", "Make 2 videos")
	back := handlerstest.RowsOf(t, fewer, "make")
	back.Del("skip.1")
	p.Post(path, back).Is(422).Shows("The total has changed", "3 videos, 90 credits")
	edited := handlerstest.WithField(maps.Clone(form), "cell.0.0", "mug")
	p.Post(path, edited).Is(422).Shows("The total has changed")
	form.Set("skip.0", "true")
	form.Set("skip.2", "true")
	p.Post(path, form).Is(422).Shows("No rows left")
	form.Del("skip.2")
	p.Post(path, form).Is(303)
	if tasks := h.Tasks(t); len(tasks) != 1 || !strings.Contains(tasks[0].Prompt, "vase") {
		t.Errorf("made %+v", tasks)
	}
}

func TestABatchHoldsTheCeilingForEachVideo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	dear := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1, func(r *ordering.Recipe) { r.Ceiling = db.CreditsOf(29) }).ID)
	a := p.Post(dear, handlerstest.FilledForm("do", "check", "table", "cup\toak")).Is(422).Shows("allows 29").Hides("Make 1 video")
	p.Post(dear, handlerstest.RowsOf(t, a, "make")).Is(422)

	unknown := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Model, r.Options = "veo3", db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	a = p.Post(unknown, handlerstest.FilledForm("do", "check", "table", "cup,oak\nlamp,stone")).Is(200).Shows("2 videos, price known once they start").Has("[name=anyway]")
	form := handlerstest.RowsOf(t, a, "make")
	p.Post(unknown, form).Is(422).Shows("No fixed price. Tick")
	if n := len(h.Tasks(t)); n != 0 {
		t.Fatalf("%d videos were asked for", n)
	}
	p.Post(unknown, handlerstest.WithField(form, "anyway", "true")).Is(303)
	if n := len(h.Tasks(t)); n != 2 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestPicturesOfABatchAreChecked(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	pic := handlerstest.Pictures(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Scene, r.Pictures = "image-to-video", []string{"{{photo}}"}
	}).ID)
	table := strings.Join([]string{
		"product\tplace\tphoto", "cup\toak\t" + pic + "/a.png", "lamp\tstone\t" + h.URL + "/login", "vase\tglass\tmy holiday", "jug\ttin\t" + pic + "/a.png",
	}, "\n")
	a := p.Post(path, handlerstest.FilledForm("do", "check", "table", table)).Is(422).Shows("4 videos", "web page", "isn’t a web address").Has("#cell-1-2-error", "#cell-2-2-error").
		Lacks("#cell-0-2-error", "#cell-3-2-error")
	form := handlerstest.RowsOf(t, a, "check")
	form.Set("cell.1.2", pic+"/b.png")
	form.Set("skip.2", "true")
	p.Post(path, form).Is(200).Shows("Make 3 videos")
}

// A table does not make the server ask a host for all its pictures at once. The rows whose
// pictures were not looked at say so, and cannot be made until these were checked, which
// happens by itself.
func TestATableAsksAHostForFewPictures(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	shows, asked := handlerstest.Pictures(t), atomic.Int64{}
	there, err := url.Parse(shows)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(there)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	defer host.Close()
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Scene, r.Pictures = "image-to-video", []string{"{{photo}}"}
	}).ID)
	table := "product\tplace\tphoto"
	for i := range 26 {
		table += fmt.Sprintf("\ncup %d\toak\t%s/%d.png", i, host.URL, i)
	}
	a := p.Post(path, handlerstest.FilledForm("do", "check", "table", table)).Is(200).Shows("Not checked yet").Has("[data-checking]").Lacks("[value=make]")
	if n := asked.Load(); n != 24 {
		t.Errorf("the host was asked for %d pictures", n)
	}
	p.Post(path, handlerstest.RowsOf(t, a, "make")).Is(422).Shows("still being checked").Lacks("[value=make]")
	if n := len(h.Tasks(t)); n != 0 {
		t.Fatalf("%d videos with unchecked pictures were asked for", n)
	}
	handlerstest.Eventually(t, "all pictures are checked", func() bool {
		a = p.Post(path, handlerstest.RowsOf(t, a, "look")).Is(200)
		return strings.Contains(a.Text, "Make 26 videos")
	})
	a.Hides("Not checked yet").Lacks("[data-checking]")
	p.Post(path, handlerstest.RowsOf(t, a, "make")).Is(303)
	if n := len(h.Tasks(t)); n != 26 {
		t.Errorf("%d videos were asked for", n)
	}
	if n := asked.Load(); n != 26 {
		t.Errorf("the host was asked %d times", n)
	}
}

func TestUnusableTablesAreExplainedAndKept(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	for table, want := range map[string]string{
		"":                                    "at least one row",
		"product\tplace":                      "at least one row",
		strings.Repeat("cup\toak\n", 101):     "100 rows at most",
		strings.Repeat("cup cup\toak\n", 6e3): "is over",
	} {
		a := p.Post(path, handlerstest.FilledForm("do", "make", "table", table)).Is(422).Shows(want)
		if table != "" {
			a.Shows(table[:8])
		}
	}
	for _, junk := range []url.Values{
		handlerstest.FilledForm("rows", "-5"), handlerstest.FilledForm("rows", "99999999999999999999"), handlerstest.FilledForm("rows", "3"), handlerstest.FilledForm("rows", "100", "do", "make", "sum", "x", "token", "\xff"),
		handlerstest.FilledForm("do", "make", "table", "\x00\xff\tb\n\"", "sum", strings.Repeat("x", 1000)), handlerstest.FilledForm("rows", "1", "skip.0", "true", "do", "make"),
	} {
		p.Post(path, junk).Is(422)
	}
	p.Post(path, handlerstest.FilledForm("table", strings.Repeat("x", 2<<20))).Is(413)
	plain := h.AddRecipe(t, 1, func(r *ordering.Recipe) { r.Prompt = "nothing is asked" })
	p.Get(fmt.Sprintf("/recipes/%d/batch", plain.ID)).Is(404)
	if n := len(h.Tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestABatchShowsOthersOnlyWhatTheyMaySee(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	made := p.Post(path, handlerstest.RowsOf(t, p.Post(path, handlerstest.FilledForm("do", "check", "table", "cup\toak\nlamp\tstone")).Is(200), "make")).Is(303).Header.Get("Location")
	p.Get(made).Is(200).Shows("A cup stands", "A lamp stands", "0 of 2 videos done")
	ada.Get(made).Is(404)
	h.Run(t)
	for _, task := range h.Tasks(t) {
		h.Reaches(t, task.ID, db.Success)
	}
	ada.Get(made).Is(200).Shows("A cup stands", "A lamp stands")
	_, err := h.Store.Tasks.UpdateTask(t.Context(), h.Tasks(t)[0].ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	ada.Get(made).Is(200).Shows("A cup stands", "1 video").Hides("A lamp stands")
}

// What is written in the cells comes first, then what is pasted; empty rows are left out.
func TestWrittenAndPastedRowsAreOneTable(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d/batch", h.AddRecipe(t, 1).ID)
	p.Get(path).Is(200).Has("#cell-2-1[name='cell.2.1']", "#table").Lacks("#cell-3-0", "[data-bad]")
	written := handlerstest.FilledForm("do", "check", "rows", "4", "cell.0.0", "cup", "cell.0.1", "oak", "cell.2.1", "pine", "table", "PLACE\tproduct\nstone\tvase")
	a := p.Post(path, written).Is(422).Shows("3 videos, 90 credits", "1 row needs a look").
		Has("#cell-0-0[value=cup]", "#cell-1-1[value=pine]", "#cell-1-0-error", "#cell-2-0[value=vase]", "#cell-3-0[value='']", "button[value=leave]").Lacks("#cell-4-0", "#summary")
	left := p.Post(path, handlerstest.RowsOf(t, a, "leave")).Is(200).Shows("2 videos, 60 credits", "Make 2 videos").Has("[name='skip.1'][checked]").Lacks("[name='skip.0'][checked]", "button[value=leave]")
	form := handlerstest.RowsOf(t, left, "make")

	much := handlerstest.WithField(maps.Clone(form), "table", strings.Repeat("jug\toak\n", 98))
	p.Post(path, much).Is(422).Shows("100 rows at most", "2 videos, 60 credits").Has("#cell-0-0[value=cup]", "#paste[open] #table").Reads("#table", strings.Repeat("jug oak ", 97))
	if n := len(h.Tasks(t)); n != 0 {
		t.Fatalf("%d videos were asked for", n)
	}
	p.Post(path, handlerstest.WithField(maps.Clone(form), "table", "jug\toak")).Is(422).Shows("The total has changed", "3 videos, 90 credits")
	p.Post(path, form).Is(303)
	if n := len(h.Tasks(t)); n != 2 {
		t.Errorf("%d videos were asked for", n)
	}
	rows := handlerstest.FilledForm("do", "check", "rows", "100")
	for i := range 100 {
		rows.Set(fmt.Sprintf("cell.%d.0", i), fmt.Sprint("cup ", i))
		rows.Set(fmt.Sprintf("cell.%d.1", i), "oak")
	}
	p.Post(path, rows).Is(200).Shows("Make 100 videos").Has("#cell-99-0").Lacks("#cell-100-0")
}

// A row of a recipe's table may have a length, a shape and a resolution of its own; an empty
// cell means the recipe's. A cell that is none of these keeps its row from being made.
func TestRowsOfARecipeHaveTheirOwnOptions(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	path := handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("scene", "text-to-video", "prompt", "A {{what}} turns", "model", "seedance-2.0", "duration", "5", "resolution", "720p", "aspect_ratio", "16:9")))
	table := "what\tshape\tLength\n\"red\ncup\"\t9:16\t\nlamp\t\t10 s\njug\ttall\t99 s\nbowl\t\t"
	checked := p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {table}})
	checked.Shows("“tall” isn’t a shape, such as 16:9.", "Seedance 2.0 can make 4").Has(`[name="cell.2.aspect_ratio"][value=tall]`, `[name="cell.0.aspect_ratio"][value="9:16"]`, `[name="cell.1.duration"][value="10"]`)
	left := p.Post(path+"/batch", handlerstest.RowsOf(t, checked, "leave")).Is(200)
	p.Post(path+"/batch", handlerstest.RowsOf(t, left, "make")).Is(303)
	if got := wishes(h.Mine(t, 1)); got != "A bowl turns 5s 16:9 720p 30 / A lamp turns 10s 16:9 720p not known / A red cup turns 5s 9:16 720p 30" {
		t.Errorf("made %s", got)
	}

	// The same by values, from a CSV file.
	checked = p.Post(path+"/batch", url.Values{"do": {"check"}, "anyway": {"true"}, "table": {"\uFEFF\"pot; old\";1:1;5 s\r\npan;4:3;5 s\r\n"}}).Is(200).Shows("2 videos, 60 credits")
	p.Post(path+"/batch", handlerstest.RowsOf(t, checked, "make")).Is(303)
	if got := wishes(h.Mine(t, 1)); !strings.Contains(got, "A pot; old turns 5s 1:1 720p 30") || !strings.Contains(got, "A pan turns 5s 4:3 720p 30") {
		t.Errorf("made %s", got)
	}
}

// wishes lists what was made: prompts with length, shape, resolution and price.
func wishes(tasks []db.Task) string {
	var all []string
	for _, t := range tasks {
		all = append(all, fmt.Sprintf("%s %ds %s %s %s", strings.ReplaceAll(t.Prompt, "\n", "⏎"), t.Options.Duration, t.Options.AspectRatio, t.Options.Resolution, t.Quoted))
	}
	slices.Sort(all)
	return strings.Join(all, " / ")
}

// What is copied from a spreadsheet becomes a video of each row, with what the row has of its
// own, and not of each line of its cells.
func TestCellsOfASpreadsheetBecomeTheirVideos(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"Google Sheets": {"\"A cat walks in.\nIt sits down.\"\t16:9\n\"She says \"\"stop\"\".\nRain.\"\t9:16",
			`A cat walks in.⏎It sits down. 5s 16:9 720p 30 / She says "stop".⏎Rain. 5s 9:16 720p 30`},
		"Excel": {"1\t\"A cat walks in.\nIt sits down.\"\t16:09\t5 s\t720p\r\n2\tA boat, slowly\t09:16\t10 s\t1080p\r\n",
			"A boat, slowly 10s 9:16 1080p not known / A cat walks in.⏎It sits down. 5s 16:9 720p 30"},
		"a CSV file": {"\uFEFFPrompt;Notes;Aspect ratio\r\n\"A cat; black\";for Mia;1:1\r\nA dog;;\r\n", "A cat; black 5s 1:1 720p 30 / A dog 5s 16:9 720p 30"},
		"prose":      {"A cat walks, slowly; rain\nA dog runs, fast; snow", "A cat walks, slowly; rain 5s 16:9 720p 30 / A dog runs, fast; snow 5s 16:9 720p 30"},
	} {
		t.Run(name, func(t *testing.T) {
			h := handlerstest.New(t)
			p := h.Founder(t)
			h.Run(t)
			handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.ListOf("1", tt.text)))
			if got := wishes(h.Mine(t, 1)); got != tt.want {
				t.Errorf(" got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// The question before the button shows what each row becomes, and what all cost together.
func TestTheQuestionShowsEachRow(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	const sheet = "Prompt\tLength\tShape\tNotes\n\"A cat walks in.\nIt sits.\"\t5\t16:9\tfor Mia\nA dog\tlong\t1:1\t\nA cow\t\t5:4\t\nA fern\t\t\t"
	form := handlerstest.ListOf("1", sheet)
	shown := p.Post("/create/text-to-video/list", form, "HX-Request-Type", "partial").Is(200).
		Has(`#list[data-asks][data-lines="2"]`, `[data-question="Make 2 videos?"]`, `[data-said="You pasted 4 rows. Each can be a video: 60 credits in all."]`).
		Shows("A cat walks in.\nIt sits.", "5 s · 16:9 · 720p · 30", "“long” isn’t a length, such as 5 s.", "Seedance 2.0 can make", "2 rows need a look, and aren’t made.", "The column “Notes” isn’t sent.")

	// Without a script it is the same question, and nothing is made that it did not show.
	p.Post("/create/text-to-video/list", form).Is(200).Shows("“long” isn’t a length, such as 5 s.", "Make 2 videos").Has("#lines[checked]")
	p.Post("/create/text-to-video", form).Is(422).Shows("Line 2: “long” isn’t a length, such as 5 s.", "5 s · 16:9 · 720p · 30")
	if n := len(h.Mine(t, 1)); n != 0 {
		t.Fatalf("%d videos", n)
	}
	h.Run(t)
	_, sum, _ := strings.Cut(shown.Text, `name="list_sum" value="`)
	sum, _, _ = strings.Cut(sum, `"`)
	form.Set("list_sum", sum)
	form.Set("price_shown", "2 60")
	handlerstest.Made(t, p.Post("/create/text-to-video", form))
	if got := wishes(h.Mine(t, 1)); got != "A cat walks in.⏎It sits. 5s 16:9 720p 30 / A fern 5s 16:9 720p 30" {
		t.Errorf("made %s", got)
	}
	form.Set("token", "another")
	form.Set("prompt", strings.Replace(sheet, "A fern", "A tree", 1))
	p.Post("/create/text-to-video", form).Is(422)
}

// Rows that are taken out of the list are not made, and the others stay what they were.
func TestRowsOfAListAreTakenOut(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := handlerstest.ListOf("1", "1\tA cat\n2\tA dog\n3\tA cow")
	form.Set("list_left", "1")
	p.Post("/create/text-to-video/list", form, "HX-Request-Type", "partial").Is(200).Hides("A dog").Has(`#list[data-lines="2"]`)
	handlerstest.Made(t, p.Post("/create/text-to-video", form))
	if got := wishes(h.Mine(t, 1)); got != "A cat 5s 16:9 720p 30 / A cow 5s 16:9 720p 30" {
		t.Errorf("made %s", got)
	}
	form.Set("list_left", "0,1,2,99,x")
	form.Set("token", "another")
	p.Post("/create/text-to-video", form).Is(422).Shows("No rows left")
}

// What cannot be understood is no video: numbers that may be lengths, options that no table
// sets, what the model does not offer.
func TestNothingIsMadeOfCellsThatWereNotUnderstood(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	for text, why := range map[string]string{
		"A cat\t5\nA dog\t8":                                 "Is “5” the length?",
		"A cat\t5 s\nA dog\t8":                               "Is “5 s” the length?",
		"Prompt\tModel\nA cat\tVeo\nA dog\tVeo":              "A table can’t set “Model”.",
		"Who\tWhere\tRatio\nA cat\ta street\t16:9":           "Which column is the prompt?",
		"A cat\t16:9\nA dog\t9:21":                           "Line 2: Seedance 2.0 can make",
		"A cat\t5 s\nA dog\t99 s":                            "Line 2: Seedance 2.0 can make",
		"Prompt\tResolution\nA cat\t4K\nA dog\t720p":         "Line 1: Seedance 2.0 can make",
		strings.Repeat("A cat\t16:9\n", 101):                 "100 rows at most.",
		"A cat\t16:9\n\t9:16":                                "Line 2: Write what should happen",
		"A cat\t5 s\n" + strings.Repeat("x", 8001) + "\t5 s": "Line 2: ",
	} {
		p.Post("/create/text-to-video", handlerstest.ListOf("1", text)).Is(422).Shows(why)
	}
	if n := len(h.Mine(t, 1)); n != 0 {
		t.Errorf("%d videos", n)
	}
}

// Rows of different lengths cost what each costs, also before the button and for a limit.
func TestRowsOfDifferentPricesAreOneTotal(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	form := url.Values{"lines": {"true"}, "model": {"seedance-2.0"}, "duration": {"5"}, "resolution": {"720p"}, "line_kinds": {"2,5,,720p;1,,9:16,;3,99,,"}}
	p.Get("/create/text-to-video/options?"+form.Encode()).Is(200).Shows("3 × 30 = 90 credits", "Make 3 videos")
	form.Set("line_kinds", "2,5,,720p;1,10,,")
	p.Get("/create/text-to-video/options?"+form.Encode()).Is(200).Shows("Price known once it starts", "Make 3 videos")
}
