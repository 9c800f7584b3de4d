package recipe_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/handlerstest"
	"dailies/handlers/recipe"
)

func TestARecipeOfAVideoIsFilledInByAColleague(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "A red cup in a kitchen <b>")))
	h.Reaches(t, id, db.Success)
	p.Get(fmt.Sprintf("/recipes/new?from=%d", id)).Is(200).Shows("A red cup in a kitchen &lt;b&gt;", "Save recipe")
	path := handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("from", fmt.Sprint(id), "prompt", "A {{product}} in a {{ place }}. A {{Product}}!")))
	p.Get(path).Is(200).Shows("Saved.", "up to 40 allowed").Has(`[name="blank:product"]`, `[name="blank:place"]`)

	ada := h.Joiner(t, p, "ada")
	ada.Post("/settings/sandbox/key", nil).Is(303)
	ada.Get("/recipes").Is(200).Shows("Cups", "product", "place", "By Kim Doe", "Not used yet").Hides("/edit")
	ada.Get(path).Is(200).Hides("/edit").Lacks("[name=model]", "[name=duration]")
	form := handlerstest.FilledForm("token", secrets.NewToken(), "blank:product", "<i>lamp</i> {{place}}", "blank:place", "garden", "anyway", "true",
		"model", "veo3", "duration", "15", "resolution", "1080p", "prompt", "something else", "provider", "x", "image_input", "https://example.com/x.png", "scene", "image-to-video")
	second := ada.Post(path, form)
	made := handlerstest.FilledRecipe(t, second)
	if again := handlerstest.FilledRecipe(t, ada.Post(path, form)); again != made {
		t.Errorf("a second press made %d beside %d", again, made)
	}
	task := h.Reaches(t, made, db.Success)
	if want := "A <i>lamp</i> {{place}} in a garden. A <i>lamp</i> {{place}}!"; task.Prompt != want {
		t.Errorf("the prompt is %q, want %q", task.Prompt, want)
	}
	if o := task.Options; task.Model != "seedance-2.0" || o.Duration != 4 || o.Resolution != "480p" || *o.Audio || task.Provider != "" || len(task.Pictures) > 0 || task.Scene != "text-to-video" {
		t.Errorf("what is locked did not stay: %+v", task)
	}
	if task.RecipeID == 0 || task.UserID != 2 {
		t.Errorf("it is of recipe %d and person %d", task.RecipeID, task.UserID)
	}
	ada.Get(second.Header.Get("Location")).Is(200).Shows("&lt;i&gt;lamp&lt;/i&gt; {{place}}", fmt.Sprintf("/tasks/%d", made))
	p.Get(fmt.Sprintf("/tasks/%d", made)).Is(200).Shows("Made with the recipe", path)
	p.Get("/recipes").Is(200).Shows("Used once")
}

func TestEmptyAndOverlongBlanksAreReportedBesideThem(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1).ID)
	p.Post(path, handlerstest.FilledForm("blank:product", " ", "blank:place", "wooden")).Is(422).Shows("Fill in “product”").Has("[value=wooden]")
	p.Post(path, handlerstest.FilledForm("blank:product", strings.Repeat("é", 7999), "blank:place", "wooden")).Is(422).
		Shows("characters too long", "ééé").Has("#blank-0-error").Lacks("#blank-1-error")
	p.Post(path, handlerstest.FilledForm("blank:product", "cup", "blank:place", "oak", "changed", "12")).Is(422).Shows("This recipe changed").Has("[value=cup]")
	if n := len(h.Tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestNothingDearerThanTheCeilingIsMade(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	ada := h.Joiner(t, p, "ada")
	ada.Post("/settings/sandbox/key", nil).Is(303)
	form := handlerstest.FilledForm("blank:product", "cup", "blank:place", "oak", "anyway", "true")

	dear := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1, func(r *ordering.Recipe) { r.Ceiling = db.CreditsOf(29) }).ID)
	ada.Get(dear).Is(200).Shows("30 credits", "allows 29", "Ask Kim Doe to change it")
	ada.Post(dear, form).Is(422).Shows("30 credits; this recipe allows", "Ask Kim Doe").Has("[value=cup]")
	p.Post(dear, form).Is(422).Shows("Edit it, or choose")

	unknown := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Model, r.Options = "veo3", db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	ada.Get(unknown).Is(200).Shows("can’t check beforehand").Has("[name=anyway]")
	ada.Post(unknown, handlerstest.FilledForm("blank:product", "cup", "blank:place", "oak")).Is(422).Shows("No fixed price. Tick").Has("[value=cup]")
	if n := h.Wire.Count("/api/ai/generate"); n != 0 {
		t.Fatalf("%d calls reached the service", n)
	}
	handlerstest.FilledRecipe(t, ada.Post(unknown, form))
}

func TestWithoutAKeyWhatWasFilledInWaits(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	ada := h.Joiner(t, p, "ada")
	ada.Post("/settings/key/delete", nil).Is(303)
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1).ID)
	ada.Post(path, handlerstest.FilledForm("blank:product", "my lamp", "blank:place", "oak")).Is(422).Shows("Add a key first").Has(`[value="my lamp"]`)
	ada.Get(path).Is(200).Has(`[value="my lamp"]`)
	p.Get(path).Is(200).Hides("my lamp")
	ada.Post(path+"/batch", handlerstest.RowsOf(t, ada.Post(path+"/batch", handlerstest.FilledForm("do", "check", "table", "my lamp\toak")).Is(200), "make")).Is(422).Shows("Add a key first", "my lamp")
	if n := len(h.Tasks(t)); n != 0 {
		t.Errorf("%d videos were asked for", n)
	}
}

func TestARefusalIsShownInTheRecipe(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1).ID)
	p.Post(path, handlerstest.FilledForm("blank:product", "cup #refuse", "blank:place", "oak")).Is(422).Shows("Nothing charged", "cup #refuse")
}

func TestOnlyMakerAndAdminChangeOrDeleteARecipe(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada, bob := h.Joiner(t, kim, "ada"), h.Joiner(t, kim, "bob")
	path := handlerstest.SavedRecipe(t, ada.Post("/recipes", handlerstest.RecipeForm()))
	bob.Get(path).Is(200)
	bob.Get(path + "/edit").Is(404)
	bob.Post(path+"/edit", handlerstest.RecipeForm("name", "Mine now")).Is(404)
	bob.Post(path+"/delete", nil).Is(404)
	ada.Get(path+"/edit").Is(200).Shows("{{product}}", "This recipe asks for: product, place.").Has("[value=Cups]")
	handlerstest.SavedRecipe(t, kim.Post(path+"/edit", handlerstest.RecipeForm("name", "Better cups", "ceiling", "")))
	bob.Get(path).Is(200).Shows("Better cups", "Set by ada").Hides("allows up to")

	ada.Post(path+"/delete", nil).Is(303).LeadsTo("/recipes?deleted=1")
	for _, gone := range []string{path, path + "/edit", path + "/batch"} {
		ada.Get(gone).Is(404)
		ada.Post(gone, handlerstest.FilledForm("blank:product", "cup", "blank:place", "oak")).Is(404)
	}
	ada.Post(path+"/delete", nil).Is(409)
	bob.Get("/recipes?deleted=1").Is(200).Hides("Better cups")
	bob.Post(path+"/restore", nil).Is(404)
	ada.Get("/recipes?deleted=1").Is(200).Shows("Better cups", "Undo")
	ada.Post(path+"/restore", nil).Is(303)
	bob.Get(path).Is(200).Shows("Better cups")
}

func TestAnEditorSaysWhatIsWrongAndKeepsEverything(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	many := ""
	for i := range 13 {
		many += fmt.Sprintf(" {{b%d}}", i)
	}
	for name, tt := range map[string]struct {
		form url.Values
		want string
	}{
		"no name":            {handlerstest.RecipeForm("name", " "), "Give the recipe a name"},
		"long name":          {handlerstest.RecipeForm("name", strings.Repeat("x", 81)), "80 characters at most"},
		"long note":          {handlerstest.RecipeForm("note", strings.Repeat("x", 501)), "500 characters at most"},
		"no prompt":          {handlerstest.RecipeForm("prompt", ""), "Write what should happen"},
		"long prompt":        {handlerstest.RecipeForm("prompt", strings.Repeat("x", 8001)), "8000 characters at most"},
		"many blanks":        {handlerstest.RecipeForm("prompt", "x"+many), "12 blanks at most; this has 13"},
		"junk ceiling":       {handlerstest.RecipeForm("ceiling", "a lot"), "Enter a number"},
		"endless ceiling":    {handlerstest.RecipeForm("ceiling", "Inf"), "Enter a number"},
		"no ceiling at all":  {handlerstest.RecipeForm("ceiling", "NaN"), "Enter a number"},
		"negative ceiling":   {handlerstest.RecipeForm("ceiling", "-1"), "Enter a number"},
		"forged length":      {handlerstest.RecipeForm("duration", "99"), "can make"},
		"another model":      {handlerstest.RecipeForm("model", "veo3"), "check the options"},
		"one for two":        {handlerstest.RecipeForm("scene", "image-to-video", "prompt", "{{it}}", "ask", "image_input.0", "asked.image_input.0", "It"), "can’t be words and a picture"},
		"picture, no name":   {handlerstest.RecipeForm("scene", "image-to-video", "ask", "image_input.0", "asked.image_input.0", "a}}{{b"), "Name it with letters"},
		"picture is missing": {handlerstest.RecipeForm("scene", "image-to-video"), "Add a picture: drop it here"},
	} {
		t.Run(name, func(t *testing.T) {
			p := *p
			p.T = t
			a := p.Post("/recipes", tt.form).Is(422).Shows(tt.want)
			if prompt := tt.form.Get("prompt"); prompt != "" {
				a.Shows(prompt)
			}
		})
	}
	p.Get("/recipes").Is(200).Shows("What worked once works for everybody")
	p.Post("/recipes", handlerstest.RecipeForm("prompt", strings.Repeat("x", 2<<20))).Is(413)
	p.Get("/recipes/new?prompt=a+{{b&options_of=x&scene=%ff&ask=zzz&ask=image_input.99&from=-1").Is(200).Shows("isn’t a blank yet")
}

func TestAPictureIsAskedForEachTime(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	pic := handlerstest.Pictures(t)
	form := handlerstest.RecipeForm("scene", "frames-to-video", "ask", "image_input.0", "asked.image_input.0", "Start picture")
	form["image_input"] = []string{"", pic + "/end.png"}
	path := handlerstest.SavedRecipe(t, p.Post("/recipes", form))
	p.Get(path + "/edit").Is(200).Shows(pic + "/end.png").Has(`[value="Start picture"]`)
	p.Get(path).Is(200).Shows("End").Has(`[name="blank:start picture"]`, `[data-picture="blank.2"]`)

	filling := handlerstest.FilledForm("blank:product", "cup", "blank:place", "oak", "blank:start picture", "", "anyway", "true")
	p.Post(path, filling).Is(422).Shows("Add the picture for “Start picture”")
	p.Post(path, handlerstest.WithField(filling, "blank:start picture", "my holiday")).Is(422).Shows("isn’t a web address").Has("#blank-2-error")
	p.Post(path, handlerstest.WithField(filling, "blank:start picture", p.Server.URL+"/login")).Is(422).Shows("web page").Has("#blank-2-error")
	p.Post(path, handlerstest.WithField(filling, "pick", pic+"/earlier.png")).Is(200).Has(`[value="`+pic+`/earlier.png"]`, "[value=cup]")
	filling.Del("pick")
	task, err := h.Store.Tasks.Task(t.Context(), handlerstest.FilledRecipe(t, p.Post(path, handlerstest.WithField(filling, "blank:start picture", pic+"/start.png"))))
	must(t, err)
	if got := strings.Join(task.Pictures, " "); got != pic+"/start.png "+pic+"/end.png" {
		t.Errorf("made from %s", got)
	}
}

func TestAFixedPictureIsCheckedBeforeItIsSaved(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Post("/recipes", handlerstest.RecipeForm("scene", "image-to-video", "image_input", h.URL+"/login")).Is(422).Shows("web page")
	handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm("scene", "image-to-video", "image_input", handlerstest.Pictures(t))))
}

func TestARecipeTooManyIsRefused(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for range ordering.MaxRecipes {
		h.AddRecipe(t, 1)
	}
	p.Post("/recipes", handlerstest.RecipeForm()).Is(422).Shows("100 recipes is the most", "A {{product}} in a {{place}}")
	p.Post("/recipes/1/delete", nil).Is(303)
	handlerstest.SavedRecipe(t, p.Post("/recipes", handlerstest.RecipeForm()))
	p.Post("/recipes/1/restore", nil).Is(422).Shows("100 recipes is the most")
}

// FuzzRecipe stores any valid recipe and fills it in.
func FuzzRecipe(f *testing.F) {
	f.Add("text-to-video", "name=a&model=seedance-2.0&prompt=A+%7B%7Bcup%7D%7D&ceiling=3,5")
	f.Add("frames-to-video", "name=a&model=veo3&ask=image_input.0&asked.image_input.0=start&image_input=&image_input=https://example.com/b.png")
	f.Add("image-to-video", "name=a&model=bytedance%2Fv1-lite-image-to-video&image_input=%7B%7Ba%7D%7D&ask=end_image_url&asked.end_image_url=b")
	f.Add("reference-to-video", "name=%ff&model=seedance-2.0&ask=image_input.2&asked.image_input.2=c&ask=x&asked.x=%7D%7D")
	f.Fuzz(func(t *testing.T, scene, body string) {
		values, _ := url.ParseQuery(body)
		if err := recipe.TryRecipe(scene, values); err != nil {
			t.Fatal(err)
		}
	})
}
