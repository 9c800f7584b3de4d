package create_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestEachLineIsAVideoOfItsOwn(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := handlerstest.ListOf("2", "A boat in the fog\r\n\r\n  A tram at night  \nA fern with dew\n")
	done := make(chan int64, 3)
	for range cap(done) {
		go func() { done <- handlerstest.Made(t, p.Post("/create/text-to-video", form)) }()
	}
	for range cap(done) {
		if id := <-done; id != 1 {
			t.Errorf("a press led to video %d", id)
		}
	}
	var prompts []string
	for _, task := range h.Mine(t, 1) {
		prompts = append(prompts, task.Prompt)
		if task.Batch == "" || task.Batch != h.Mine(t, 1)[0].Batch || task.Quoted != db.CreditsOf(30) {
			t.Errorf("video %d: batch %q, quoted %v", task.ID, task.Batch, task.Quoted)
		}
	}
	slices.Sort(prompts)
	if got := strings.Join(prompts, "|"); got != "A boat in the fog|A boat in the fog|A fern with dew|A fern with dew|A tram at night|A tram at night" {
		t.Errorf("made %s", got)
	}

	// Another word in another line is another wish, although the form is the same.
	form.Set("prompt", strings.Replace(form.Get("prompt"), "fern", "leaf", 1))
	handlerstest.Made(t, p.Post("/create/text-to-video", form))
	handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.ListOf("1", "Only this one line\n \n")))
	if n := len(h.Mine(t, 1)); n != 13 {
		t.Errorf("%d videos", n)
	}
}

func TestNothingOfAListIsMadeOfBadInput(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	long := strings.Repeat("x", 8001)
	p.Post("/create/text-to-video", handlerstest.ListOf("1", "A boat\nA tram\n"+long)).Is(422).Shows("Line 3: ", "A tram").Has("#lines[checked]")
	many := strings.Repeat("A boat in the fog\n", 51)
	p.Post("/create/text-to-video", handlerstest.ListOf("2", many)).Is(422).Shows("100 videos at most")
	p.Post("/create/image-to-video", handlerstest.ListOf("1", "A boat\nA tram")).Is(422).Shows("Add a picture")
	dearer := handlerstest.ListOf("1", "A boat\nA tram")
	dearer.Set("price_shown", "1 30")
	p.Post("/create/text-to-video", dearer).Is(422).Shows("Now 2 × 30 = 60 credits")
	if tasks := h.Mine(t, 1); len(tasks) != 0 || h.Wire.Count("/api/ai/generate") != 0 {
		t.Errorf("%d videos", len(tasks))
	}
	p.Post("/create/text-to-video", handlerstest.ListOf("1", strings.Repeat("A boat in the fog\n", 40))).Is(422).Shows("200 credits short: you have 1,000")
}

// The first row has a length of its own, so that of the form is wrong only for the second.
func TestARowWithoutALengthOfItsOwnHasThatOfTheForm(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := handlerstest.ListOf("1", "Prompt\tDuration\nA boat\t5\nA tram\t\n")
	form.Del("price_shown")
	form.Set("duration", "99")
	p.Post("/create/text-to-video", form).Is(422).Shows("can make 4, 5")
	if tasks := h.Mine(t, 1); len(tasks) != 0 {
		t.Errorf("%d videos, the last of %d s", len(tasks), tasks[len(tasks)-1].Options.Duration)
	}
	handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(form, "duration", "4")))
	if tasks := h.Mine(t, 1); len(tasks) != 2 || tasks[0].Options.Duration+tasks[1].Options.Duration != 9 {
		t.Errorf("made %v", tasks)
	}
}

func TestTheTotalOfAListStandsBeforeTheButton(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	form := handlerstest.ListOf("2", "")
	for count, want := range map[string]string{"3": "Make 6 videos", "1": "Make 2 videos", "many": "Make 2 videos", "100000": "Make 200 videos"} {
		form.Set("line_count", count)
		p.Get("/create/text-to-video/options?" + form.Encode()).Is(200).Shows(want)
	}
	form.Del("lines")
	p.Get("/create/text-to-video/options?" + form.Encode()).Is(200).Shows("Make 2 videos")
	p.Get("/create/text-to-video?"+url.Values{"prompt": {"A boat\nA tram"}, "lines": {"true"}}.Encode()).Is(200).Shows("Make 2 videos", "A boat\nA tram")
}

func TestFourVariationsAreMadeTogetherAndOnce(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := handlerstest.Priced("4")
	done := make(chan int64, 3)
	for range cap(done) {
		go func() { done <- handlerstest.Made(t, p.Post("/create/text-to-video", form)) }()
	}
	for range cap(done) {
		if id := <-done; id != 1 {
			t.Errorf("a press led to video %d", id)
		}
	}
	tasks := h.Mine(t, 1)
	if len(tasks) != 4 {
		t.Fatalf("%d videos", len(tasks))
	}
	for _, task := range tasks {
		if task.Batch == "" || task.Batch != tasks[0].Batch || task.Prompt != tasks[0].Prompt || task.Quoted != db.CreditsOf(30) {
			t.Errorf("video %d: batch %q, quoted %v", task.ID, task.Batch, task.Quoted)
		}
		h.Reaches(t, task.ID, db.Success)
	}
	if n := h.Wire.Count("/api/ai/generate"); n != 4 {
		t.Errorf("%d create calls", n)
	}
	const compare = "/compare?id=1&amp;id=2&amp;id=3&amp;id=4"
	p.Get("/tasks/latest?take=2").Is(200).Shows(compare, "Take 2 of 4", "4 takes, 4 ready")
	p.Get("/tasks/3").Is(200).Shows("Other takes", "Compare these 4", compare).Has(`[href="/tasks/1"]`).Hides(`<li><a href="/tasks/3"`)
}

func TestWhatCanBeComparedIsWhatIsMade(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Post("/create/text-to-video", handlerstest.Priced("3")).Is(303)
	p.Get("/tasks/latest").Is(200).Hides("/compare")
	h.Bring(t, 3, db.Success)
	p.Get("/tasks/latest").Is(200).Hides("/compare")
	h.Bring(t, 1, db.Success)
	p.Get("/tasks/latest").Is(200).Shows("Compare these 2", "/compare?id=1&amp;id=3")
	h.Change(t, 1, func(t *db.Task) error { t.Keeping = db.Kept; return t.Delete(1, db.Now()) })
	p.Get("/tasks/3").Is(200).Hides("/compare")
}

func TestEachVariationHasASeedOfItsOwn(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	for name, tt := range map[string]struct {
		model, seed string
		want        []int64
	}{
		"typed":            {"veo3", "7", []int64{7, 8, 9}},
		"at the end":       {"veo3", "2147483646", []int64{2147483646, 2147483647, 0}},
		"random":           {"veo3", "", nil},
		"random by number": {"bytedance/v1-pro-text-to-video", "-1", []int64{-1, -1, -1}},
	} {
		form := url.Values{"model": {tt.model}, "prompt": {"a boat"}, "seed": {tt.seed}, "count": {"3"}}
		id := handlerstest.Made(t, p.Post("/create/text-to-video", form))
		for i := range int64(3) {
			task, err := h.Store.Tasks.Task(t.Context(), id+i)
			must(t, err)
			switch {
			case tt.want == nil && task.Options.Seed != nil:
				t.Errorf("%s: video %d has seed %d", name, i+1, *task.Options.Seed)
			case tt.want != nil && (task.Options.Seed == nil || *task.Options.Seed != tt.want[i]):
				t.Errorf("%s: video %d has seed %v", name, i+1, task.Options.Seed)
			}
		}
	}
}

func TestJunkCountsMakeNothing(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	for _, count := range []string{"0", "5", "-1", "4.0", "four", "1e9", strings.Repeat("9", 5000)} {
		p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "count", count)).Is(422).Shows("Choose one of these", "a tram crosses the bridge")
		p.Get("/create/text-to-video/options?" + url.Values{"count": {count}}.Encode()).Is(200).Has("[name=count][value=1][checked]")
	}
	if tasks := h.Mine(t, 1); len(tasks) != 0 {
		t.Errorf("%d videos", len(tasks))
	}
	handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "count", "")))
}

func TestTheTotalStandsBeforeTheButton(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for query, want := range map[string]string{
		"model=seedance-2.0&count=4":                  "<b>4 × 30 = 120 credits</b>",
		"model=seedance-2.0&count=1":                  "<b>30 credits</b>",
		"model=veo3&count=3":                          "<b>Price known once it starts</b>",
		"model=seedance-2.0&duration=9&count=2&from=": "<b>Price known once it starts</b>",
	} {
		p.Get("/create/text-to-video?" + query).Is(200).Shows(want)
		p.Get("/create/text-to-video/options?" + query).Is(200).Shows(want)
	}
	h.AddTask(t, 1, db.Success) // on veo3, for 30 credits, with options that the model does not offer today
	h.Change(t, 1, func(t *db.Task) error {
		t.Options = db.Options{Duration: 8, Resolution: "720p"}
		return nil
	})
	p.Get("/create/text-to-video/options?model=veo3&count=2").Is(200).Shows("<b>About 2 × 30 = 60 credits</b>", "last time 30 each", "Make 2 videos")
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "prompt", ""), "count", "3")).Is(422).Has("[name=count][value=3][checked]")
}

func TestNobodyPaysMoreThanThePageSaid(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	for name, tt := range map[string]struct {
		shown, want string
		form        url.Values
	}{
		"more videos":         {"1 30", "Now 4 × 30 = 120 credits", handlerstest.Priced("4")},
		"more, price unknown": {"1", "3 videos, no fixed price", handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "duration", "11"), "count", "3")},
		"unknown after known": {"1 30", "No fixed price", handlerstest.WithField(handlerstest.GoodForm(), "duration", "12")},
	} {
		t.Run(name, func(t *testing.T) {
			p := *p
			p.T = t
			a := p.Post("/create/text-to-video", handlerstest.WithField(tt.form, "price_shown", tt.shown)).Is(422).Shows(tt.want, "Nothing was sent")
			again := strings.Split(strings.Split(a.Text, `name="price_shown" value="`)[1], `"`)[0]
			p.Post("/create/text-to-video", handlerstest.WithField(tt.form, "price_shown", again)).Is(303)
		})
	}
	for _, shown := range []string{"4 120", "4 121.5", "", "junk", "99999999999999999999 x"} {
		p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.Priced("4"), "price_shown", shown)).Is(303)
	}
}

func TestTooFewCreditsForAllMakeAsManyAsTheyPayFor(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	paid := 0
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == "/api/ai/generate" {
			if paid++; paid > 2 {
				return jsonAnswer(r, `{"code":-1,"message":"Insufficient credits, 2 < 30"}`), nil
			}
		}
		return nil, nil
	})
	p.Post("/create/text-to-video", handlerstest.Priced("4")).Is(303)
	for id, want := range map[int64]db.State{1: db.Success, 2: db.Success, 3: db.Rejected, 4: db.Rejected} {
		if task := h.Reaches(t, id, want); want == db.Rejected && task.Charged.Known {
			t.Errorf("video %d was paid for", id)
		}
	}
	p.Get("/tasks/latest").Is(200).Shows("Compare these 2", "4 takes, 2 ready")
	for _, take := range []string{"3", "4"} {
		p.Get("/tasks/latest?take=" + take).Is(200).Shows("Not enough credits. Nothing charged.")
	}
}

func TestMissingCreditsAreReportedInTheFormOnce(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) {
		return jsonAnswer(r, `{"code":-1,"message":"Insufficient credits, 2 < 30"}`), nil
	})
	p.Post("/create/text-to-video", handlerstest.Priced("3")).Is(422).Shows("Not enough credits. Nothing started, nothing charged.", "Add credits in Settings").Has("[name=count][value=3][checked]")
	p.Get("/tasks/latest").Is(200).Hides("This one wasn’t started")
}

func TestTheFormKnowsThatCreditsAreTooFew(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	key, err := h.Sandbox.NewKey(t.Context(), "Kim", 70)
	must(t, err)
	p.Post("/settings/key", url.Values{"key": {key}}).Is(303)
	for count, want := range map[int]string{1: "40 left after this", 2: "10 left after this", 3: "20 credits short: you have 70, enough for 2."} {
		p.Get(fmt.Sprintf("/create/text-to-video/options?model=seedance-2.0&count=%d", count)).Is(200).Shows(want)
	}
	page := p.Post("/create/text-to-video", handlerstest.Priced("3")).Is(422).Shows("20 credits short: you have 70, enough for 2.", "Make 2 for 60", "a tram crosses the bridge")
	page.Has("[name=count][value=3][checked]", "#summary")
	if n := h.Wire.Count("/api/ai/generate"); n != 0 {
		t.Errorf("%d create calls", n)
	}
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.Priced("3"), "only", "2")).Is(303)
	if made := h.Mine(t, 1); len(made) != 2 {
		t.Errorf("%d videos", len(made))
	}
}
