package handlers_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dailies/db"
)

// addRecipe keeps a recipe of the person's with two blanks.
func (h *house) addRecipe(t *testing.T, userID int64, change ...func(*db.Recipe)) db.Recipe {
	t.Helper()
	sound := true
	r := db.Recipe{
		Name: "Product on a table", Note: "for the shop", Scene: "text-to-video", Model: "seedance-2.0",
		Prompt:    "A {{product}} stands on a {{ Place }} table",
		Options:   db.Options{Duration: 5, AspectRatio: "16:9", Resolution: "720p", Audio: &sound},
		Ceiling:   db.CreditsOf(40),
		CreatedBy: userID, CreatedAt: db.Now(), ChangedAt: db.Now(),
	}
	for _, c := range change {
		c(&r)
	}
	must(t, h.store.AddRecipe(t.Context(), &r))
	return r
}

func fill(values ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		v.Set(values[i], values[i+1])
	}
	return v
}

// setup is a recipe as the editor sends it.
func setup(more ...string) url.Values {
	v := fill("scene", "text-to-video", "name", "Cups", "note", "", "ceiling", "40", "model", "seedance-2.0", "options_of", "seedance-2.0",
		"prompt", "A {{product}} in a {{place}}", "duration", "4", "resolution", "480p", "aspect_ratio", "16:9", "generate_audio", "false")
	for name, values := range fill(more...) {
		v[name] = values
	}
	return v
}

// saved is the path of the recipe that the answer leads to.
func saved(t *testing.T, a *answer) string {
	t.Helper()
	path := a.is(303).Header.Get("Location")
	if !regexp.MustCompile(`^/recipes/\d+$`).MatchString(path) {
		t.Fatalf("%s leads to %q", a.what, path)
	}
	return path
}

// filled is the id of the video that the answer to a recipe's form tells of.
func filled(t *testing.T, a *answer) int64 {
	t.Helper()
	to, err := url.Parse(a.is(303).Header.Get("Location"))
	must(t, err)
	id, err := strconv.ParseInt(to.Query().Get("made"), 10, 64)
	must(t, err)
	return id
}

func (h *house) tasks(t *testing.T) []db.Task {
	t.Helper()
	tasks, err := h.store.Tasks(t.Context(), db.TaskFilter{Viewer: 1, State: db.AnyState, Limit: 500})
	must(t, err)
	return tasks
}

func TestARecipeOfAVideoIsFilledInByAColleague(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	id := made(t, p.post("/create/text-to-video", with(good(), "prompt", "A red cup in a kitchen <b>")))
	h.reaches(t, id, db.Success)
	p.get(fmt.Sprintf("/recipes/new?from=%d", id)).is(200).shows("A red cup in a kitchen &lt;b&gt;", "Save the recipe")
	path := saved(t, p.post("/recipes", setup("from", fmt.Sprint(id), "prompt", "A {{product}} in a {{ place }}. A {{Product}}!")))
	p.get(path).is(200).shows("Saved.", `name="blank:product"`, `name="blank:place"`, "this recipe allows up to 40")

	ada := h.joiner(t, p, "ada")
	ada.post("/settings/sandbox/key", nil).is(303)
	ada.get("/recipes").is(200).shows("Cups", "product", "place", "By Kim Doe", "Not used yet").hides("/edit")
	ada.get(path).is(200).hides(`name="model"`, `name="duration"`, "/edit")
	form := fill("token", db.NewToken(), "blank:product", "<i>lamp</i> {{place}}", "blank:place", "garden", "anyway", "true",
		"model", "veo3", "duration", "15", "resolution", "1080p", "prompt", "something else", "provider", "x", "image_input", "https://example.com/x.png", "scene", "image-to-video")
	second := ada.post(path, form)
	made := filled(t, second)
	if again := filled(t, ada.post(path, form)); again != made {
		t.Errorf("a second press made %d beside %d", again, made)
	}
	task := h.reaches(t, made, db.Success)
	if want := "A <i>lamp</i> {{place}} in a garden. A <i>lamp</i> {{place}}!"; task.Prompt != want {
		t.Errorf("the prompt is %q, want %q", task.Prompt, want)
	}
	if o := task.Options; task.Model != "seedance-2.0" || o.Duration != 4 || o.Resolution != "480p" || *o.Audio || task.Provider != "" || len(task.Pictures) > 0 || task.Scene != "text-to-video" {
		t.Errorf("what is locked did not stay: %+v", task)
	}
	if task.RecipeID == 0 || task.UserID != 2 {
		t.Errorf("it is of recipe %d and person %d", task.RecipeID, task.UserID)
	}
	ada.get(second.Header.Get("Location")).is(200).shows("&lt;i&gt;lamp&lt;/i&gt; {{place}}", fmt.Sprintf("/tasks/%d", made))
	p.get(fmt.Sprintf("/tasks/%d", made)).is(200).shows("Made with the recipe", path)
	p.get("/recipes").is(200).shows("Used once")
}

func TestEmptyAndOverlongBlanksAreToldBesideThem(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	path := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1).ID)
	p.post(path, fill("blank:product", " ", "blank:place", "wooden")).is(422).shows("Please fill in “product”", `value="wooden"`)
	p.post(path, fill("blank:product", strings.Repeat("é", 1999), "blank:place", "wooden")).is(422).
		shows("at most 2,000 go", "ééé", `id="blank-0-error"`).hides(`id="blank-1-error"`)
	p.post(path, fill("blank:product", "cup", "blank:place", "oak", "changed", "12")).is(422).shows("This recipe was changed", `value="cup"`)
	if n := len(h.tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestNothingDearerThanTheCeilingIsMade(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	ada := h.joiner(t, p, "ada")
	ada.post("/settings/sandbox/key", nil).is(303)
	form := fill("blank:product", "cup", "blank:place", "oak", "anyway", "true")

	dear := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1, func(r *db.Recipe) { r.Ceiling = db.CreditsOf(29) }).ID)
	ada.get(dear).is(200).shows("30 credits", "allows only up to 29", "Ask Kim Doe to choose a shorter length")
	ada.post(dear, form).is(422).shows("One video would cost 30 credits", "Ask Kim Doe", `value="cup"`)
	p.post(dear, form).is(422).shows("Edit the recipe")

	unknown := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1, func(r *db.Recipe) {
		r.Model, r.Options = "veo3", db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	ada.get(unknown).is(200).shows("cannot be checked beforehand", `name="anyway"`)
	ada.post(unknown, fill("blank:product", "cup", "blank:place", "oak")).is(422).shows("Please check this box", `value="cup"`)
	if n := h.wire.count("/api/ai/generate"); n != 0 {
		t.Fatalf("%d calls reached the service", n)
	}
	filled(t, ada.post(unknown, form))
}

func TestWithoutAKeyWhatWasFilledInWaits(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	ada := h.joiner(t, p, "ada")
	ada.post("/settings/key/delete", nil).is(303)
	path := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1).ID)
	ada.post(path, fill("blank:product", "my lamp", "blank:place", "oak")).is(422).shows("There is no API key yet", `value="my lamp"`)
	ada.get(path).is(200).shows(`value="my lamp"`)
	p.get(path).is(200).hides("my lamp")
	ada.post(path+"/batch", rowsOf(t, ada.post(path+"/batch", fill("do", "check", "table", "my lamp\toak")).is(200), "make")).is(422).shows("There is no API key yet", "my lamp")
	if n := len(h.tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestARefusalIsToldInTheRecipe(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	path := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1).ID)
	p.post(path, fill("blank:product", "cup #refuse", "blank:place", "oak")).is(422).shows("Nothing was paid", "cup #refuse")
}

func TestOnlyMakerAndAdminChangeOrDeleteARecipe(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada, bob := h.joiner(t, kim, "ada"), h.joiner(t, kim, "bob")
	path := saved(t, ada.post("/recipes", setup()))
	bob.get(path).is(200)
	bob.get(path + "/edit").is(404)
	bob.post(path+"/edit", setup("name", "Mine now")).is(404)
	bob.post(path+"/delete", nil).is(404)
	ada.get(path+"/edit").is(200).shows(`value="Cups"`, "{{product}}", "This recipe asks for: product, place.")
	saved(t, kim.post(path+"/edit", setup("name", "Better cups", "ceiling", "")))
	bob.get(path).is(200).shows("Better cups", "Set by ada").hides("allows up to")

	ada.post(path+"/delete", nil).is(303).leadsTo("/recipes?deleted=1")
	for _, gone := range []string{path, path + "/edit", path + "/batch"} {
		ada.get(gone).is(404)
		ada.post(gone, fill("blank:product", "cup", "blank:place", "oak")).is(404)
	}
	ada.post(path+"/delete", nil).is(409)
	bob.get("/recipes?deleted=1").is(200).hides("Better cups")
	bob.post(path+"/restore", nil).is(404)
	ada.get("/recipes?deleted=1").is(200).shows("Better cups", "Undo")
	ada.post(path+"/restore", nil).is(303)
	bob.get(path).is(200).shows("Better cups")
}

func TestAnEditorSaysWhatIsWrongAndKeepsEverything(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	many := ""
	for i := range 13 {
		many += fmt.Sprintf(" {{b%d}}", i)
	}
	for name, tt := range map[string]struct {
		form url.Values
		want string
	}{
		"no name":            {setup("name", " "), "Please give the recipe a name"},
		"long name":          {setup("name", strings.Repeat("x", 81)), "at most 80"},
		"long note":          {setup("note", strings.Repeat("x", 501)), "at most 500"},
		"no prompt":          {setup("prompt", ""), "Please say what should happen"},
		"long prompt":        {setup("prompt", strings.Repeat("x", 2001)), "at most 2000"},
		"many blanks":        {setup("prompt", "x"+many), "at most 12 things; this one asks for 13"},
		"junk ceiling":       {setup("ceiling", "a lot"), "number of credits"},
		"endless ceiling":    {setup("ceiling", "Inf"), "number of credits"},
		"no ceiling at all":  {setup("ceiling", "NaN"), "number of credits"},
		"negative ceiling":   {setup("ceiling", "-1"), "number of credits"},
		"forged length":      {setup("duration", "99"), "can make"},
		"another model":      {setup("model", "veo3"), "look at its options"},
		"one for two":        {setup("scene", "image-to-video", "prompt", "{{it}}", "ask", "image_input.0", "asked.image_input.0", "It"), "cannot be words here and a picture"},
		"picture, no name":   {setup("scene", "image-to-video", "ask", "image_input.0", "asked.image_input.0", "a}}{{b"), "Please name it with letters"},
		"picture is missing": {setup("scene", "image-to-video"), "Please give the link of a picture"},
	} {
		t.Run(name, func(t *testing.T) {
			p := *p
			p.t = t
			a := p.post("/recipes", tt.form).is(422).shows(tt.want)
			if prompt := tt.form.Get("prompt"); prompt != "" {
				a.shows(prompt)
			}
		})
	}
	p.get("/recipes").is(200).shows("What worked once works for everybody")
	p.post("/recipes", setup("prompt", strings.Repeat("x", 2<<20))).is(413)
	p.get("/recipes/new?prompt=a+{{b&options_of=x&scene=%ff&ask=zzz&ask=image_input.99&from=-1").is(200).shows("Some double braces make no blank")
}

func TestAPictureIsAskedForEachTime(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	pic := pictures(t)
	form := setup("scene", "frames-to-video", "ask", "image_input.0", "asked.image_input.0", "Start picture")
	form["image_input"] = []string{"", pic + "/end.png"}
	path := saved(t, p.post("/recipes", form))
	p.get(path+"/edit").is(200).shows(`value="Start picture"`, pic+"/end.png")
	p.get(path).is(200).shows(`name="blank:start picture"`, `data-picture="blank.2"`, "End frame")

	filling := fill("blank:product", "cup", "blank:place", "oak", "blank:start picture", "", "anyway", "true")
	p.post(path, filling).is(422).shows("Please give the picture for “Start picture”")
	p.post(path, with(filling, "blank:start picture", "my holiday")).is(422).shows("not a web address", `id="blank-2-error"`)
	p.post(path, with(filling, "blank:start picture", p.h.URL+"/login")).is(422).shows("web page", `id="blank-2-error"`)
	p.post(path, with(filling, "pick", pic+"/earlier.png")).is(200).shows(`value="`+pic+`/earlier.png"`, `value="cup"`)
	filling.Del("pick")
	task, err := h.store.Task(t.Context(), filled(t, p.post(path, with(filling, "blank:start picture", pic+"/start.png"))))
	must(t, err)
	if got := strings.Join(task.Pictures, " "); got != pic+"/start.png "+pic+"/end.png" {
		t.Errorf("made from %s", got)
	}
}

func TestAFixedPictureIsLookedAtBeforeItIsSaved(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	p.post("/recipes", setup("scene", "image-to-video", "image_input", h.URL+"/login")).is(422).shows("web page")
	saved(t, p.post("/recipes", setup("scene", "image-to-video", "image_input", pictures(t))))
}
