package create_test

import (
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/views/create"
	"dailies/views/part"
	"dailies/views/storybook"
	"dailies/web/htmltest"
)

// TestARefreshDoesNotChangeAFinishedVideo checks that a refresh does not change the
// element of a video, which may be playing.
func TestARefreshDoesNotChangeAFinishedVideo(t *testing.T) {
	early := storybook.Card(storybook.Kept(3), func(t *db.Task) { t.Keeping = db.Saving })
	before := htmltest.First(t, htmltest.Draw(t, create.LatestPart(create.Latest{Cards: []part.Card{early}})), "video#video-3")
	after := htmltest.First(t, htmltest.Draw(t, create.LatestPart(create.Latest{Take: 3, Cards: []part.Card{storybook.Card(storybook.Task(4, db.Queued)), storybook.Card(storybook.Kept(3))}})), "video#video-3")
	for _, a := range before.Attr {
		if htmltest.Attr(after, a.Key) != a.Val {
			t.Errorf("%s was %q and is %q", a.Key, a.Val, htmltest.Attr(after, a.Key))
		}
	}
	if htmltest.Attr(after, "src") != "/media/31" || htmltest.Attr(after, "poster") != "/media/32" || htmltest.Attr(after, "preload") != "none" || !htmltest.HasAttr(after, "controls") {
		t.Errorf("the video is %v", after.Attr)
	}
}

func TestCardsSayWhatHappenedToTheCredits(t *testing.T) {
	rejected := func(b db.Blame) part.Card {
		return storybook.Card(storybook.Task(1, db.Rejected), func(t *db.Task) { t.Blame, t.Message = b, "it said so" })
	}
	sandbox := rejected(db.BlameCredits)
	sandbox.Sandbox = true
	decided := storybook.Card(storybook.Task(1, db.Unconfirmed), func(t *db.Task) { t.DecidedAt = storybook.Now })
	sound := func(on bool) part.Card {
		return storybook.Card(storybook.Task(1, db.Failed), func(t *db.Task) { t.Message, t.Options.Audio = "PUBLIC_ERROR_AUDIO_FILTERED", &on })
	}
	keeping := func(k db.Keeping, b db.Blame) part.Card {
		return storybook.Card(storybook.Kept(1), func(t *db.Task) { t.Keeping, t.Blame, t.Message, t.Media = k, b, "the link is gone", nil })
	}
	failed := storybook.Card(storybook.Task(1, db.Failed), func(t *db.Task) { t.Blame, t.Message = db.BlameRequest, "content was blocked by the safety filter" })
	const atService = `a[href="https://cdn.example.com/v/aaaaaaaaaaaa.mp4"]`
	for name, c := range map[string]struct {
		card part.Card
		says []string // texts, or selectors if they contain "["
		not  string
	}{
		"failed":             {failed, []string{"did not work", "A safety filter stopped it", "Your 30 credits came back", `a[href="/create/text-to-video?from=1&use=retry"]`, `form[action="/tasks/1/again"]`, "Try again · 30 credits", `a[href="/tasks/1#answers"]`}, "content was blocked"},
		"failed, no reason":  {storybook.Card(storybook.Task(1, db.Failed)), []string{"gave no reason"}, ""},
		"canceled":           {storybook.Card(storybook.Task(1, db.Canceled)), []string{"does not return credits for cancelled videos: you were charged 30 credits", `form[action="/tasks/1/again"]`}, "came back"},
		"canceled, returned": {storybook.Card(storybook.Task(1, db.Canceled), func(t *db.Task) { t.Returned = t.Charged }), []string{"Your 30 credits came back"}, "does not return"},
		"sound blocked":      {sound(true), []string{"stopped its sound", `input[name=generate_audio][value=false]`, "Without sound"}, ""},
		"silent already":     {sound(false), []string{"stopped its sound", "Try again"}, "input[name=generate_audio]"},
		"cost not known": {storybook.Card(storybook.Task(1, db.Failed), func(t *db.Task) {
			t.Charged, t.Returned, t.Quoted = db.Credits{}, db.Credits{}, db.Credits{}
		}), []string{"did not say what it cost", "Try again :"}, "came back"},
		"somebody's own words":  {storybook.Card(storybook.Task(1, db.Failed), func(t *db.Task) { t.Message = "too dark." }), []string{"The service said: “too dark”."}, `a[href="/tasks/1#answers"]`},
		"no key":                {rejected(db.BlameKey), []string{"Nothing was paid", `a[href="/settings#key"]`}, "it said so"},
		"no credits":            {rejected(db.BlameCredits), []string{"Nothing was paid", "own site"}, `a[href="/settings#key"]`},
		"sandbox credits":       {sandbox, []string{"Nothing was paid", `a[href="/settings#key"]`}, "own site"},
		"unreachable":           {rejected(db.BlameService), []string{"Nothing was paid", "Try again in a minute"}, ""},
		"refused":               {rejected(db.BlameRequest), []string{"Nothing was paid", "it said so"}, ""},
		"unconfirmed":           {storybook.Card(storybook.Task(1, db.Unconfirmed)), []string{"may have been paid", `form[action="/tasks/1/resend"]`, `form[action="/tasks/1/leave"]`}, "Change it first"},
		"decided":               {decided, []string{"may have been paid", "You decided"}, `form[action="/tasks/1/resend"]`},
		"slow":                  {storybook.Card(storybook.Task(1, db.Processing), func(t *db.Task) { t.SentAt = storybook.Now.Add(-(1e13)) }), []string{"Taking long.", "nothing is lost"}, "did not work"},
		"slower than usual":     {storybook.Usual(storybook.Card(storybook.Task(1, db.Processing), func(t *db.Task) { t.SentAt = storybook.Now.Add(-(1e13)) })), []string{"longer than usual", "sually 2 to 4 min", `svg[aria-label]`}, "did not work"},
		"slow, but not by much": {storybook.Usual(storybook.Card(storybook.Task(1, db.Processing), func(t *db.Task) { t.CreatedAt = storybook.Now.Add(-(6 * time.Minute)) })), []string{"6:00", "sually 2 to 4 min"}, "longer"},
		"queued behind one":     {storybook.Behind(storybook.Card(storybook.Task(1, db.Queued)), 1), []string{"One other video comes first"}, "in a moment"},
		"in line behind many":   {storybook.Behind(storybook.Usual(storybook.Card(storybook.Task(1, db.Pending), func(t *db.Task) { t.SentAt = storybook.Now.Add(-(1e13)) })), 12), []string{"12 others come first"}, "longer"},
		"usual":                 {storybook.Usual(storybook.Card(storybook.Task(1, db.Processing))), []string{"sually 2 to 4 min", `circle[stroke-dasharray="95 100"]`}, ""},
		"unusual":               {storybook.Card(storybook.Task(1, db.Processing)), []string{"4:00", "svg[aria-label]"}, "usually"},
		"nowhere":               {storybook.Card(storybook.Task(1, db.Success)), []string{"No video address was found", `a[href="/tasks/1#answers"]`}, "Ready"},
		"saving":                {keeping(db.Saving, db.NoBlame), []string{"Saving… the link may expire", atService}, "Saved"},
		"saving, no room":       {keeping(db.Saving, db.BlameSpace), []string{"Not kept: no room", "download it there", atService}, "Saving…"},
		"saving, expired":       {keeping(db.Saving, db.BlameGone), []string{"Saving…", "asked for another one"}, "Saved"},
		"saving, no key":        {keeping(db.Saving, db.BlameKey), []string{"without an API key", atService}, "Saved"},
		"lost":                  {keeping(db.Lost, db.BlameService), []string{"not kept here", "the link is gone", atService, `form[action="/tasks/1/keep"]`}, "Saved"},
		"kept":                  {storybook.Card(storybook.Kept(1)), []string{"Saved", `a[href="/media/11?download=1"]`}, atService},
	} {
		root := htmltest.Draw(t, create.LatestPart(create.Latest{Cards: []part.Card{c.card}}))
		text := htmltest.Text(root)
		says := func(what string) bool {
			if strings.Contains(what, "[") {
				return htmltest.Has(root, what)
			}
			return strings.Contains(text, what)
		}
		for _, want := range c.says {
			if !says(want) {
				t.Errorf("%s: it does not say %q", name, want)
			}
		}
		if c.not != "" && says(c.not) {
			t.Errorf("%s: it says %q", name, c.not)
		}
	}
}
