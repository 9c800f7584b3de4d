package create_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// listOf returns a form whose prompt is a list: one video for each line.
func listOf(count, prompt string) url.Values {
	form := priced(count)
	form.Set("prompt", prompt)
	form.Set("lines", "true")
	return form
}

func TestEachLineIsAVideoOfItsOwn(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := listOf("2", "A boat in the fog\r\n\r\n  A tram at night  \nA fern with dew\n")
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
	handlerstest.Made(t, p.Post("/create/text-to-video", listOf("1", "Only this one line\n \n")))
	if n := len(h.Mine(t, 1)); n != 13 {
		t.Errorf("%d videos", n)
	}
}

func TestNothingOfAListIsMadeOfBadInput(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	long := strings.Repeat("x", 8001)
	p.Post("/create/text-to-video", listOf("1", "A boat\nA tram\n"+long)).Is(422).Shows("Line 3: ", "A tram").Has("#lines[checked]")
	many := strings.Repeat("A boat in the fog\n", 51)
	p.Post("/create/text-to-video", listOf("2", many)).Is(422).Shows("100 videos at most")
	p.Post("/create/image-to-video", listOf("1", "A boat\nA tram")).Is(422).Shows("Add a picture")
	dearer := listOf("1", "A boat\nA tram")
	dearer.Set("price_shown", "1 30")
	p.Post("/create/text-to-video", dearer).Is(422).Shows("Now 2 × 30 = 60 credits")
	if tasks := h.Mine(t, 1); len(tasks) != 0 || h.Wire.Count("/api/ai/generate") != 0 {
		t.Errorf("%d videos", len(tasks))
	}
	p.Post("/create/text-to-video", listOf("1", strings.Repeat("A boat in the fog\n", 40))).Is(422).Shows("200 credits short: you have 1,000")
}

func TestTheTotalOfAListStandsBeforeTheButton(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	form := listOf("2", "")
	for count, want := range map[string]string{"3": "Make 6 videos", "1": "Make 2 videos", "many": "Make 2 videos", "100000": "Make 200 videos"} {
		form.Set("line_count", count)
		p.Get("/create/text-to-video/options?" + form.Encode()).Is(200).Shows(want)
	}
	form.Del("lines")
	p.Get("/create/text-to-video/options?" + form.Encode()).Is(200).Shows("Make 2 videos")
	p.Get("/create/text-to-video?"+url.Values{"prompt": {"A boat\nA tram"}, "lines": {"true"}}.Encode()).Is(200).Shows("Make 2 videos", "A boat\nA tram")
}
