package create_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/option"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
	"dailies/web/videoapi"
)

// album serves pictures of the sizes in their paths, such as /900x1600.
func album(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var width, height int
		if _, err := fmt.Sscanf(r.URL.Path, "/%dx%d", &width, &height); err != nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(handlerstest.Photo(t, width, height))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// orderForm is a form without options, with the pictures.
func orderForm(model string, pictures ...string) url.Values {
	return url.Values{"model": {model}, "prompt": {"the harbour wakes"}, "image_input": pictures}
}

func TestAVideoHasTheShapeOfItsPicture(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	at := album(t)
	for name, tt := range map[string]struct {
		scene, model, asked string
		pictures            []string
		shape               option.Shape
		ratio               string
	}{
		"a picture":                {"image-to-video", "seedance-2.0", "", []string{"/900x1600"}, option.LikePicture, "9:16"},
		"a picture, as chosen":     {"image-to-video", "seedance-2.0", "picture", []string{"/900x1200"}, option.LikePicture, "3:4"},
		"a shape that was chosen":  {"image-to-video", "seedance-2.0", "16:9", []string{"/900x1600"}, option.ChosenShape, "16:9"},
		"a start frame":            {"frames-to-video", "seedance-2.0", "", []string{"/900x1600", "/1600x900"}, option.LikePicture, "9:16"},
		"references do not":        {"reference-to-video", "seedance-2.0", "", []string{"/900x1600"}, option.ChosenShape, "16:9"},
		"a model without shapes":   {"image-to-video", "bytedance/v1-pro-image-to-video", "", []string{"/900x1600"}, option.LikePicture, ""},
		"absent on one with Auto":  {"image-to-video", "veo3", "", []string{"/900x1600"}, option.ChosenShape, "Auto"},
		"like it on one with Auto": {"image-to-video", "veo3", "picture", []string{"/900x1200"}, option.LikePicture, "9:16"},
		"words on one with Auto":   {"text-to-video", "veo3", "", nil, option.ChosenShape, "Auto"},
		"words":                    {"text-to-video", "seedance-2.0", "", nil, option.ChosenShape, "16:9"},
	} {
		t.Run(name, func(t *testing.T) {
			pictures := []string{}
			for _, path := range tt.pictures {
				pictures = append(pictures, at+path)
			}
			form := orderForm(tt.model, pictures...)
			if tt.asked != "" {
				form.Set("aspect_ratio", tt.asked)
			}
			id := handlerstest.Made(t, p.Post("/create/"+tt.scene, form))
			made := h.Reaches(t, id, db.Success).Options
			if made.Shape != tt.shape || made.AspectRatio != tt.ratio {
				t.Errorf("%q, %q", made.Shape, made.AspectRatio)
			}
			page := p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200)
			receipt := htmltest.Text(htmltest.First(t, page.Root(), "#receipt"))
			if shown := strings.Contains(receipt, "Like the picture"); shown != (tt.shape == option.LikePicture) || shown && !strings.Contains(receipt, tt.ratio) {
				t.Errorf("the receipt says %s", receipt)
			}
		})
	}
}

// The service is asked for the shape alone: what it follows is nothing that API.md knows.
func TestTheServiceGetsNoWordOfThePicture(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	bodies := make(chan string, 1)
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/api/ai/generate" {
			body := new(strings.Builder)
			_ = r.Write(body)
			bodies <- body.String()
			return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r, Header: http.Header{}}, nil
		}
		return nil, nil
	})
	h.Run(t)
	p.Post("/create/image-to-video", orderForm("seedance-2.0", album(t)+"/900x1600"))
	if body := <-bodies; !strings.Contains(body, `"aspect_ratio":"9:16"`) || strings.Contains(body, `"shape"`) {
		t.Error(body)
	}
}

func TestNewFormsHaveTheShapeOfThePicture(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	chosen := func(path string) string {
		t.Helper()
		return htmltest.Attr(htmltest.First(t, p.Get(path).Is(200).Root(), "[name=aspect_ratio][checked]"), "value")
	}
	for path, want := range map[string]string{
		"/create/image-to-video": "picture", "/create/frames-to-video": "picture", "/create/reference-to-video": "16:9", "/create/text-to-video": "16:9",
		"/create/image-to-video?model=veo3": "picture", "/recipes/new?scene=image-to-video": "picture",
		"/create/image-to-video?aspect_ratio=4:3": "4:3", "/create/image-to-video/options?model=seedance-2.0&aspect_ratio=1:1": "1:1",
	} {
		if got := chosen(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	p.Get("/create/image-to-video").Shows("Like the picture")
	p.Get("/create/image-to-video?model=bytedance/v1-pro-image-to-video").Is(200).Shows("Like the picture").Lacks("[name=aspect_ratio]")
}

func TestWhatIsMadeAgainKeepsItsShape(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	at := album(t)
	chosen := func(path string) string {
		t.Helper()
		return htmltest.Attr(htmltest.First(t, p.Get(path).Is(200).Root(), "[name=aspect_ratio][checked]"), "value")
	}
	like := handlerstest.Made(t, p.Post("/create/image-to-video", orderForm("seedance-2.0-fast", at+"/900x1600")))
	wide := handlerstest.Made(t, p.Post("/create/image-to-video", handlerstest.WithField(orderForm("seedance-2.0-fast", at+"/900x1600"), "aspect_ratio", "16:9")))
	h.Reaches(t, like, db.Success)
	h.Reaches(t, wide, db.Success)
	for _, use := range []db.Reuse{db.Copied, db.Reseeded, db.Finalized, db.Answered} {
		for id, want := range map[int64]string{like: "picture", wide: "16:9"} {
			if got := chosen(fmt.Sprintf("/create/image-to-video?from=%d&use=%s", id, use)); got != want {
				t.Errorf("%s of %s: %q", use, want, got)
			}
		}
	}
	for id, want := range map[int64]string{like: "picture", wide: "16:9"} {
		if got := chosen(fmt.Sprintf("/tasks/%d/next-take", id)); got != want {
			t.Errorf("the next take of %s: %q", want, got)
		}
	}
	// The next scene begins with its own picture.
	for _, id := range []int64{like, wide} {
		if got := chosen(fmt.Sprintf("/create/image-to-video?from=%d&use=next&image_input=%s/400x300", id, at)); got != "picture" {
			t.Errorf("the next scene: %q", got)
		}
	}
}

func TestAPictureOfUnknownSizeGetsTheUsualShape(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Connect(t, "https://service.example.com")
	id := handlerstest.Made(t, p.Post("/create/image-to-video", orderForm("seedance-2.0", "https://pictures.invalid/a.png")))
	task, err := h.Store.Tasks.Task(t.Context(), id)
	must(t, err)
	if task.Options.Shape != option.UnseenPicture || task.Options.AspectRatio != "16:9" {
		t.Errorf("%+v", task.Options)
	}
	p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200).Shows("Its size isn’t known, so 16:9 is sent.")
	p.Get("/create/picture?url=https://pictures.invalid/a.png").Is(200).Has("[data-unknown]")
	p.Get("/create/image-to-video?image_input=https://pictures.invalid/a.png&slow_told=https://pictures.invalid/a.png").Is(200).Shows("size isn’t known, so 16:9 is sent")
}

func TestARecipeKeepsItsShape(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	at := album(t)
	for asked, want := range map[string]option.Values{
		"":     {Shape: option.LikePicture, AspectRatio: "9:16"},
		"16:9": {AspectRatio: "16:9"},
	} {
		form := orderForm("seedance-2.0", "{{start}}")
		form.Set("scene", "image-to-video")
		form.Set("name", "Like "+asked)
		form.Set("aspect_ratio", asked)
		saved := p.Post("/recipes", form).Is(303).Header.Get("Location")
		made := p.Post(saved, url.Values{"blank:start": {at + "/900x1600"}}).Is(303).Header.Get("Location")
		to, err := url.Parse(made)
		must(t, err)
		var id int64
		_, err = fmt.Sscan(to.Query().Get("made"), &id)
		must(t, err)
		got, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		if got.Options.Shape != want.Shape || got.Options.AspectRatio != want.AspectRatio {
			t.Errorf("of %q: %+v", asked, got.Options)
		}
	}
}

// The shape is settled after the price, which the page has shown without the picture.
func TestThePriceNeverDependsOnTheShape(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	catalog := videoapi.DefaultCatalog()
	for _, scene := range videoapi.Scenes() {
		for _, m := range catalog.For(scene) {
			for _, price := range m.Prices {
				for _, ratio := range append(m.Choices("aspect_ratio"), "") {
					o := option.Text{"aspect_ratio": ratio}.Values()
					o.Resolution, o.Duration = price.Resolution, price.Duration
					if got, ok := m.Price(scene, m.Complete(o)); !ok || got != price.Credits {
						t.Errorf("%s, %s, %q: %v", m.ID, scene, ratio, got)
					}
				}
			}
		}
	}
	// Nor does one that was learnt.
	made := h.Alter(t, h.AddTask(t, 1, db.Success).ID, func(t *db.Task) { t.Scene = "image-to-video" })
	h.LastCost(t, made.ID, 11)
	for _, ratio := range []string{"picture", "16:9", "9:16", "Auto"} {
		p.Get("/create/image-to-video?model=veo3&resolution=720p&aspect_ratio=" + ratio).Is(200).Shows("11 credits")
	}
}

// A catalogue says in which scenes of a model no shape is sent.
func TestASceneMayTakeNoShape(t *testing.T) {
	text, err := os.ReadFile("../../web/videoapi/catalog.toml")
	must(t, err)
	file := filepath.Join(t.TempDir(), "catalog.toml")
	must(t, os.WriteFile(file, []byte(strings.Replace(string(text), "sound = \"on\"\n", "sound = \"on\"\nno_ratio = [\"image-to-video\"]\n", 1)), 0o600))
	catalog, err := videoapi.OpenCatalog(file)
	must(t, err)
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Restart(t, func(c *handlers.Config) { c.Catalog = catalog })
	at := album(t)
	p.Get("/create/image-to-video").Is(200).Lacks("[name=aspect_ratio]").Shows("Like the picture")
	p.Get("/create/frames-to-video").Is(200).Has("[name=aspect_ratio][value=picture][checked]")
	id := handlerstest.Made(t, p.Post("/create/image-to-video", orderForm("seedance-2.0", at+"/900x1600")))
	task, err := h.Store.Tasks.Task(t.Context(), id)
	must(t, err)
	if task.Options.Shape != option.LikePicture || task.Options.AspectRatio != "" {
		t.Errorf("%+v", task.Options)
	}
	p.Post("/create/image-to-video", handlerstest.WithField(orderForm("seedance-2.0", at+"/900x1600"), "aspect_ratio", "16:9")).Is(422).Shows("let you choose the shape")
}

func TestATableKeepsTheShapeOfItsRecipe(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	at := album(t)
	form := orderForm("seedance-2.0", "{{start}}")
	form.Set("scene", "image-to-video")
	form.Set("name", "Like it")
	saved := p.Post("/recipes", form).Is(303).Header.Get("Location")
	path := saved + "/batch"
	shown := p.Post(path, handlerstest.FilledForm("do", "check", "table", at+"/900x1600\n"+at+"/1600x900")).Is(200)
	made := p.Post(path, handlerstest.RowsOf(t, shown, "make")).Is(303).Header.Get("Location")
	tasks, err := h.Store.Lineage.BatchTasks(t.Context(), strings.TrimPrefix(made, "/batches/"), 10)
	must(t, err)
	got := map[string]string{}
	for _, task := range tasks {
		got[strings.TrimPrefix(task.Pictures[0], at)] = string(task.Options.Shape) + " " + task.Options.AspectRatio
	}
	if got["/900x1600"] != "picture 9:16" || got["/1600x900"] != "picture 16:9" {
		t.Errorf("%v", got)
	}
}
