package create_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/htmltest"
	"dailies/web/videoapi"
)

func TestFormSurvivesBadInput(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	pic, long := "https://example.com/a.png", strings.Repeat("x", 10_000)
	for name, tt := range map[string]struct {
		scene string
		form  url.Values
		want  string
	}{
		"no prompt": {
			"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "  "), "Write what should happen",
		},
		"prompt too long": {
			"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", strings.Repeat("é", 100_000)),
			"8000 characters at most",
		},
		"unknown model": {
			"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "model", "sora"), "Choose one of these models",
		},
		"no model": {"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "model"), "Choose one of these models"},
		"model of another scene": {
			"reference-to-video",
			handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "model", "veo3"), "image_input", pic),
			"Choose one of these models",
		},
		"picture in text": {"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic), "takes no pictures"},
		"no picture":      {"image-to-video", handlerstest.GoodForm(), "Add a picture: drop it here"},
		"two pictures": {
			"image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic, pic), "Room for 1 picture",
		},
		"one frame": {
			"frames-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic, ""),
			"Add a picture to end with",
		},
		"only the end": {
			"frames-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", "", pic),
			"Add a picture to start with",
		},
		"three frames": {
			"frames-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic, pic, pic),
			"Room for 2 pictures",
		},
		"four references": {
			"reference-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic, pic, pic, pic),
			"Room for 3 pictures",
		},
		"ftp": {
			"image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", "ftp://example.com/a.png"),
			"isn’t a web address",
		},
		"script": {
			"image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", "javascript:alert(1)"),
			"isn’t a web address",
		},
		"no address": {
			"image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", "my holiday picture"),
			"isn’t a web address",
		},
		"long link": {
			"image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", "https://example.com/"+long),
			"too long",
		},
		"seed is no number": {
			"text-to-video",
			handlerstest.WithField(
				handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "model", "veo3"), "seed", "lucky"),
				"duration", "8",
			),
			"whole number",
		},
		"seed for no seed": {"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "seed", "1"), "takes no seed"},
		"length": {
			"text-to-video",
			handlerstest.WithField(
				handlerstest.WithField(handlerstest.GoodForm(), "model", "bytedance/v1-pro-text-to-video"), "duration", "7",
			),
			"5 or 10",
		},
		"length is no number": {"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "duration", "5; DROP TABLE"), "can make"},
		"forged resolution": {
			"text-to-video",
			handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "model", "seedance-2.0-fast"), "resolution", "1080p"),
			"480p or 720p",
		},
		"forged shape": {"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "aspect_ratio", "2:1"), "can make"},
		"forged switch": {
			"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "camera_fixed", "true"),
			"can’t keep the camera still",
		},
		"switch with junk":   {"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "generate_audio", "maybe"), "on or off"},
		"provider with junk": {"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "provider", "käse"), "plain letters"},
		"junk bytes": {
			"text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "model", "\xff\xfe\x00"),
			"Choose one of these models",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := *p
			p.T = t
			a := p.Post("/create/"+tt.scene, tt.form).Is(422).Shows(tt.want)
			if prompt := strings.TrimSpace(tt.form.Get("prompt")); prompt != "" {
				a.Shows(prompt)
			}
			for _, link := range tt.form["image_input"] {
				a.Has(`[value="` + link + `"]`)
			}
		})
	}
	if n := h.Wire.Count("/api/ai/generate"); n != 0 {
		t.Errorf("%d calls reached the service", n)
	}
	p.Post("/create/sideways", handlerstest.GoodForm()).Is(404)
	p.Get("/create/sideways").Is(404)
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", strings.Repeat("x", 2<<20))).Is(413)
	p.Get("/create/text-to-video?model=%ff&seed=%00&image_input=x&image_input=y&duration=-1").Is(200)
}

func TestFourScenesBecomeVideos(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	pic := handlerstest.Pictures(t)
	for scene, form := range map[string]url.Values{
		"text-to-video":      handlerstest.GoodForm(),
		"image-to-video":     handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic),
		"frames-to-video":    handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic, pic),
		"reference-to-video": handlerstest.WithField(handlerstest.GoodForm(), "image_input", pic, "", pic),
	} {
		a := p.Post("/create/"+scene, form).Is(303)
		id := handlerstest.Made(t, a)
		p.Get("/").Is(303).LeadsTo("/create/" + scene) // the one that was used last
		task := h.Reaches(t, id, db.Success)
		if string(task.Scene) != scene || !task.Charged.Known {
			t.Errorf("%s: scene %q, charged %v", scene, task.Scene, task.Charged)
		}
		handlerstest.Eventually(t, scene+" is kept", func() bool {
			task, _ = h.Store.Tasks.Task(t.Context(), id)
			return task.Keeping == db.Kept
		})
		video, ok := task.Video()
		if !ok || video.Type != "video/webm" {
			t.Fatalf("%s: kept %+v", scene, task.Media)
		}
		path := fmt.Sprintf("/media/%d", video.ID)
		p.Get(path).Is(200)
		part := p.Get(path, "Range", "bytes=0-99").Is(206)
		if len(part.Text) != 100 || part.Header.Get("Content-Type") != "video/webm" {
			t.Errorf("%s: %d bytes of %s", scene, len(part.Text), part.Header.Get("Content-Type"))
		}
		h.Stranger(t).Get(path).Is(303)
		p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200).Shows(path)
		p.Get("/gallery").Is(200).Shows(fmt.Sprintf("/tasks/%d", id))
	}
}

func TestARepeatedSubmissionFindsTheFirstVideo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := handlerstest.GoodForm()
	done := make(chan int64, 5)
	for range cap(done) {
		go func() { done <- handlerstest.Made(t, p.Post("/create/text-to-video", form)) }()
	}
	first := <-done
	for range cap(done) - 1 {
		if again := <-done; again != first {
			t.Errorf("another press made video %d beside %d", again, first)
		}
	}
	if n := h.Wire.Count("/api/ai/generate"); n != 1 {
		t.Errorf("%d create calls", n)
	}
	changed := handlerstest.WithField(handlerstest.GoodForm(), "token", form.Get("token"))
	changed.Set("prompt", "something else after going back")
	if id := handlerstest.Made(t, p.Post("/create/text-to-video", changed)); id == first {
		t.Error("a changed form after going back was taken for the first one")
	}
}

func TestRefusalAppearsInTheForm(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	p.Post("/create/text-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "prompt", "a boat #refuse",
	)).Is(422).Shows("a boat #refuse", "Nothing charged")
	h.Wire.Divert(func(*http.Request) (*http.Response, error) { return nil, http.ErrServerClosed }) // so that the key is saved untested
	p.Post("/settings/key", url.Values{"key": {"sk-wrong"}}).Is(303)
	h.Wire.Divert(nil)
	p.Post("/create/text-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "prompt", "a boat",
	)).Is(422).Shows("refuses the key", "a boat")
	p.Get("/tasks/latest").Is(200).Hides("a boat")
}

func TestWithoutAKeyNothingIsSentAndNothingIsLost(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	p.Post("/settings/key/delete", nil).Is(303)
	p.Post("/create/text-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "prompt", "the words that I typed",
	)).Is(422).Shows("/settings", "the words that I typed")
	if n := h.Wire.Count("/api/ai/generate"); n != 0 {
		t.Errorf("%d create calls", n)
	}
	p.Post("/settings/sandbox/key", nil).Is(303)
	p.Get("/").Is(303).LeadsTo("/create/text-to-video")
	p.Get("/create/text-to-video").Is(200).Shows("the words that I typed")
}

func TestFailureGivesTheCreditsBack(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "a boat #fail")))
	task := h.Reaches(t, id, db.Failed)
	if !task.Returned.Known || task.Returned != task.Charged || task.ReturnedAt.IsZero() {
		t.Errorf("charged %v, returned %v", task.Charged, task.Returned)
	}
	p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200).Shows("was asked to fail", "back")
	p.Get("/settings").Is(200).Shows("1,000")
}

func TestLostAnswerIsNeverSentAgainByItself(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path != "/api/ai/generate" {
			return nil, nil
		}
		return nil, fmt.Errorf("connection reset by peer")
	})
	id := handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.GoodForm()))
	h.Reaches(t, id, db.Unconfirmed)
	p.Get("/tasks/latest").Is(200).Shows("Send again", "Leave as is")
	if n := h.Wire.Count("/api/ai/generate"); n != 1 {
		t.Errorf("%d create calls", n)
	}
	h.Wire.Divert(nil)
	again := p.Post(fmt.Sprintf("/tasks/%d/resend", id), nil).Is(303)
	var second int64
	if _, err := fmt.Sscanf(again.Header.Get("Location"), "/tasks/%d", &second); err != nil || second == id {
		t.Fatalf("leads to %q", again.Header.Get("Location"))
	}
	h.Reaches(t, second, db.Success)
	p.Get("/tasks/latest").Is(200).Hides("Send again")
}

func TestOptionsFollowTheModel(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Get("/create/text-to-video/options?model=bytedance/v1-pro-text-to-video&duration=7").Is(200).
		Shows("doesn’t make 7 s, so we set 5 s").Has(
		"[name=camera_fixed]", "[name=enable_safety_checker]", "[name=seed]",
	).Lacks("[name=generate_audio]")
	p.Get(
		"/create/text-to-video/options?model=veo3&camera_fixed=true",
	).Is(200).Shows("Auto", "can’t keep the camera still").Lacks("[name=camera_fixed]")
	p.Get("/create/image-to-video/options?model=bytedance/v1-pro-image-to-video").Is(200).Lacks("[name=aspect_ratio]")
	p.Get("/create/text-to-video/options?model=nonsense").Is(200).Shows("can’t do this")
}

func TestLettersThatSampleVideosLackAreMentioned(t *testing.T) {
	p := handlerstest.New(t).Founder(t)
	const hidden = "[data-letters][hidden]"
	p.Get("/create/text-to-video?prompt=" + url.QueryEscape("A boat, λίμνη, лодка, 3 × 🚤 ·")).Is(200).Has(hidden)
	p.Get("/create/text-to-video?prompt=" + url.QueryEscape("A boat, 紙の舟")).Is(200).Has("[data-letters]").Lacks(hidden)
}

func TestPriceStandsBeforeTheButton(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Get("/create/text-to-video?model=seedance-2.0&resolution=720p&duration=5").Is(200).Shows("30 credits")
	p.Get("/create/text-to-video?model=veo3").Is(200).Hides("30 credits")
}

func TestEveryModelTakesItsOwnForm(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	pic := handlerstest.Pictures(t)
	for _, m := range videoapi.DefaultCatalog().Models {
		for _, s := range m.Scenes {
			form := url.Values{"model": {m.ID}, "prompt": {"a boat #refuse"}}
			for range m.ImagesFor(s).Min {
				form.Add("image_input", pic)
			}
			p.Post("/create/"+string(s), form).Is(422).Shows("Nothing charged") // it reached the service
		}
	}
}

func TestAQueuedVideoTellsHowManyComeFirst(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.AddTask(t, 1, db.Pending)
	second, third := h.AddTask(t, 1, db.Queued).ID, h.AddTask(t, 1, db.Queued).ID
	p.Get(fmt.Sprintf("/tasks/%d/status", second)).Is(200).Shows("1 video comes first")
	p.Get(fmt.Sprintf("/tasks/%d", third)).Is(200).Shows("2 videos come first")
	p.Get(fmt.Sprintf("/tasks/latest?take=%d", second)).Is(200).Shows("1 video comes first", "<b>3rd</b>")
	p.Get(fmt.Sprintf("/tasks/latest?take=%d", third)).Is(200).Shows("2 videos come first")
}

// A take that is ordered behind a batch of its maker is sent next, and its page says so; the
// rows say how long they wait at the pace of the key.
func TestATakePassesTheBatchOfItsMaker(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var rows []db.Task
	for range 52 {
		row := db.Task{
			UserID: 1, FormToken: secrets.NewToken(),
			Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a row"}, Batch: "batch", Bulk: true,
			CreatedAt: db.Now(),
		}
		handlerstest.Queue(t, h.Store, &row)
		rows = append(rows, row)
	}
	take := h.AddTask(t, 1, db.Queued).ID
	page := func(id int64) string { return fmt.Sprintf("/tasks/%d", id) }
	p.Get(page(take)).Is(200).Shows("Starting soon").Hides("come first")
	p.Get(page(rows[0].ID)).Is(200).Shows("1 video comes first").Hides("Usually")
	p.Get(page(rows[51].ID)).Is(200).Shows("52 videos come first")
	for i := range 3 {
		now := h.Store.Now()
		ended := h.AddTask(t, 1, db.Success)
		_, err := h.Store.Tasks.UpdateTask(t.Context(), ended.ID, func(t *db.Task) error {
			t.DoneAt = now.Add(-time.Duration(i) * 12 * time.Second)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	p.Get(page(rows[51].ID)).Is(200).Shows("About 11 min: 52 videos come first.")
	p.Get("/gallery?who=me&status=all").Is(200).Shows("Queued · about 11 min")
}

func TestAnUnstatedPriceIsEstimatedFromTheLastVideos(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, cost := range []float64{22, 26, 24} {
		h.LastCost(t, h.AddTask(t, 1, db.Success).ID, cost)
	}
	p.Get("/create/text-to-video?model=veo3").Is(200).Shows(
		"About 24 credits", "last time 22 to 26",
	).Has(`[name=price_shown][value="1 24"]`)
}

// The service states no limit of prompts, so a long one is only warned about.
func TestALongPromptIsSentWithAWarning(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	long := strings.Repeat("the harbour wakes ", 400)
	p.Get(
		"/create/text-to-video?prompt=" + url.QueryEscape(long[:2100]),
	).Is(200).Has("[data-long]").Lacks("[data-long][hidden]").Shows("Over 2,000 characters")
	p.Get("/create/text-to-video?prompt=harbour").Is(200).Has("[data-long][hidden]")
	handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", long)))
	p.Post("/create/text-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "prompt", strings.Repeat("é", 8001),
	)).Is(422).Shows("8000 characters at most")
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1).ID)
	p.Get(path).Is(200).Has("[data-long][hidden]")
	p.Post(path, handlerstest.FilledForm(
		"blank:product", long[:3000], "blank:place", "",
	)).Is(422).Lacks("[data-long][hidden]").Shows("Over 2,000 characters")
	p.Post(path+"/batch", handlerstest.FilledForm(
		"do", "check", "table", "product\tplace\n"+long[:3000]+"\toak",
	)).Is(200).Shows("Over 2,000 characters", "Make 1 video")
}

func TestARepeatedSubmissionFindsTheFirstAlthoughThePriceHasRisen(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 30)
	form := url.Values{"token": {secrets.NewToken()}, "model": {"veo3"}, "prompt": {"a tram"}, "price_shown": {"1 30"}}
	first := handlerstest.Made(t, p.Post("/create/text-to-video", form))
	h.Reaches(t, first, db.Success)
	h.LastCost(t, first, 45)
	if second := handlerstest.Made(t, p.Post("/create/text-to-video", form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.Post("/create/text-to-video", handlerstest.WithField(form, "token", secrets.NewToken())).Is(422).Shows(
		"Now about 45 credits", "Nothing was sent",
	)
}

func TestNobodyPaysMoreForARecipeThanItsPageSaid(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 30)
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Model, r.Ceiling, r.Options = "veo3", db.Credits{}, db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	p.Get(path).Is(200).Has(`[name=price_shown][value="1 30"]`)
	form := handlerstest.FilledForm("token", secrets.NewToken(), "price_shown", "1 30", "blank:product", "cup", "blank:place", "oak")
	first := handlerstest.FilledRecipe(t, p.Post(path, form))
	h.Reaches(t, first, db.Success)
	h.LastCost(t, first, 45)
	if second := handlerstest.FilledRecipe(t, p.Post(path, form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.Post(path, handlerstest.WithField(form, "token", secrets.NewToken())).Is(422).Shows("Now about 45 credits", "Nothing was sent").Has(
		`[name=price_shown][value="1 45"]`, "[value=cup]",
	)
}

// The service's own price decides whether the credits are enough; an estimate may be wrong.
func TestAnEstimateBeyondTheCreditsIsNoRefusal(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 900)
	key, err := h.Sandbox.NewKey(t.Context(), "Kim", 500)
	must(t, err)
	p.Post("/settings/key", url.Values{"key": {key}}).Is(303)
	p.Get("/create/text-to-video?model=veo3").Is(200).Shows("About 900 credits")
	handlerstest.Made(t, p.Post("/create/text-to-video", url.Values{"model": {"veo3"}, "prompt": {"a tram"}}))
}

// With a real service, nobody knows how many credits are left.
func TestASubmissionToARealServiceWakesTheWatcher(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	h.Connect(t, "https://service.example.com")
	h.Run(t)
	woken := 0
	served := h.With(t, func(c *handlers.Config) {
		wake := c.Wake
		c.Wake = func() { woken++; wake() }
	})
	p := served.Stranger(t)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	h.Log.Take()
	p.Get("/create/text-to-video").Is(200)
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "")).Is(422)
	if woken != 0 {
		t.Error("a page woke the watcher")
	}
	handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.GoodForm()))
	if log := h.Log.Take(); woken != 1 || strings.Contains(log, "level=ERROR") {
		t.Errorf("woken %d times, the log is %s", woken, log)
	}
}

// A limit may change after a submission was checked and before it is stored. The reason
// given is that of the limit as it is then.
func TestALimitThatChangesDuringASubmissionIsNamed(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Joiner(t, h.Founder(t), "ada")
	var limits spending.Limits
	h.OnBalance = func() { must(t, h.Store.Limits.SetOfTeam(t.Context(), limits)) }
	h.LastCost(t, h.AddTask(t, 2, db.Success).ID, 30)
	priced := url.Values{"model": {"veo3"}, "prompt": {"a tram"}}
	unpriced := handlerstest.GoodForm()
	for name, tt := range map[string]struct {
		form  url.Values
		until spending.Limits
		want  string
	}{
		"too little is left": {priced, spending.Limits{Default: db.CreditsOf(40)}, "About 20 credits short: 10 of 40 left this month."},
		"the price is unknown": {
			unpriced, spending.Limits{Default: db.CreditsOf(900), ApproveUnpriced: true},
			"This has no fixed price, so an admin has to say yes first.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p.T = t
			must(t, h.Store.Limits.SetOfTeam(t.Context(), spending.Limits{Default: db.CreditsOf(900)}))
			limits = tt.until
			p.Post("/create/text-to-video", handlerstest.WithField(
				tt.form, "token", secrets.NewToken(),
			)).Is(422).Shows(tt.want).Hides("leaves no room for this")
		})
	}
	if made := h.Mine(t, 2); len(made) != 1 {
		t.Errorf("%d videos, want only the one before", len(made))
	}
}

// Practice credits are not real ones: a page that showed those makes no real video.
func TestAPageOfAnotherServiceMakesNothing(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	practice := h.Registry.Current().ID
	p.Get("/create/text-to-video").Is(200).Has(fmt.Sprintf(`[name=service][value="%d"]`, practice))
	failed := h.AddTask(t, 1, db.Failed)
	now := h.Connect(t, "https://service.example.com")
	form := handlerstest.WithField(handlerstest.GoodForm(), "service", fmt.Sprint(practice))
	p.Post("/create/text-to-video", form).Is(422).Shows("Your team uses another video service now").Has(
		fmt.Sprintf(`[name=service][value="%d"]`, now.ID),
	)
	p.Post(fmt.Sprintf("/tasks/%d/again", failed.ID), nil).Is(422).Shows("Your team uses another video service now")
	if n := len(h.Tasks(t)); n != 1 {
		t.Errorf("there are %d videos", n)
	}
	task, err := h.Store.Tasks.Task(t.Context(), handlerstest.Made(t, p.Post(
		"/create/text-to-video", handlerstest.WithField(form, "service", fmt.Sprint(now.ID)),
	)))
	must(t, err)
	if task.ServiceID != now.ID {
		t.Errorf("it is sent to service %d", task.ServiceID)
	}
}

func TestJunkBodiesCauseNoInternalError(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	handler, err := h.App.Handler()
	must(t, err)
	u, err := url.Parse(h.URL)
	must(t, err)
	for _, body := range []string{"", "%", "a=%zz", "\x00\xff", strings.Repeat("&image_input=x", 5000), "model[]=x;y"} {
		for _, kind := range []string{
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data", "text/plain", "",
		} {
			r := httptest.NewRequest(http.MethodPost, "/create/image-to-video", strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			for _, c := range p.Jar.Cookies(u) {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != http.StatusUnprocessableEntity {
				t.Errorf("%q as %q: got %d", body, kind, w.Code)
			}
		}
	}
}

// With so many videos running that the filmstrip has no finished one, the page looks the
// last one up, and refreshes go on showing it.
func TestTheLastVideoIsBehindManyRunningOnes(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.KeptFilm(t, 1, "harbour")
	thumb := h.File(t, db.Thumb, "image/jpeg", []byte("small"))
	film = h.Alter(t, film.ID, func(t *db.Task) { t.Media = append(t.Media, thumb) })
	small, _ := film.Thumb()
	ghost := fmt.Sprintf(`#latest .ghost[src="/media/%d"]`, small.ID)
	for range 11 {
		h.AddTask(t, 1, db.Processing)
	}
	p.Get("/create/text-to-video").Is(200).Has(ghost)
	h.AddTask(t, 1, db.Processing)
	page := p.Get("/create/text-to-video").Is(200).Has(ghost)
	refresh := htmltest.Attr(htmltest.First(t, htmltest.Parse(t, page.Text), "#latest"), "hx-get")
	h.AddTask(t, 1, db.Processing)
	p.Get(refresh).Is(200).Has(ghost)
	p.Get("/tasks/latest").Is(200).Lacks(".ghost")
}
