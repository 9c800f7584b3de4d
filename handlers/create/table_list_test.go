package create_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

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
			handlerstest.Made(t, p.Post("/create/text-to-video", listOf("1", tt.text)))
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
	form := listOf("1", sheet)
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
	form := listOf("1", "1\tA cat\n2\tA dog\n3\tA cow")
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
		p.Post("/create/text-to-video", listOf("1", text)).Is(422).Shows(why)
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
