package storybook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/views/create"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/web/videoapi"
)

func TestPartsAskAgainOnlyWhileSomethingIsUnderWay(t *testing.T) {
	saving := with(kept(1), func(t *db.Task) { t.Keeping, t.Media = db.Saving, nil })
	for _, s := range db.States() {
		for name, task := range map[string]db.Task{string(s): task(1, s), "saving": saving, "kept": kept(1)} {
			c := card(task)
			parts := map[string]templ.Component{
				"/tasks/latest":   create.LatestPart(create.Latest{Cards: []part.Card{card(kept(9)), c}}),
				"/tasks/1/status": library.TaskStatus(library.TaskPage{Card: c}),
			}
			for address, part := range parts {
				text := render(t, part)
				asks := strings.Contains(text, `hx-get="`+address+`"`) && strings.Contains(text, `hx-trigger="every 2s"`)
				if asks != c.Live() || strings.Contains(text, "hx-trigger") != c.Live() {
					t.Errorf("%s: asking %s again is %v, want %v", name, address, asks, c.Live())
				}
			}
		}
	}
}

func TestPartsAreTheSameInsideTheirPages(t *testing.T) {
	form, list := emptyForm(videoapi.TextToVideo, "seedance-2.0"), latest()
	page := library.TaskPage{Card: card(kept(3))}
	shown := shelf()
	for _, c := range []struct {
		whole, part templ.Component
	}{
		{create.Create(frame("Text", "/create/text-to-video"), form, list), create.LatestPart(list)},
		{create.Create(frame("Text", "/create/text-to-video"), form, list), create.CreateOptions(form)},
		{library.ShowTask(frame("Video", "/tasks/3"), page), library.TaskStatus(page)},
		{library.ShowGallery(frame("Gallery", "/gallery"), shown), library.GalleryResults(shown)},
		{library.ShowGallery(frame("Gallery", "/gallery"), shown), library.GalleryChoices(shown)},
		{library.GalleryResults(shown), library.GalleryMore(shown)},
	} {
		if part := render(t, c.part); part == "" || !strings.Contains(render(t, c.whole), part) {
			t.Errorf("the page does not contain its part %.60q", part)
		}
	}
}

// TestAFinishedVideoStaysItself holds that a refresh changes nothing about a
// video that may be playing.
func TestAFinishedVideoStaysItself(t *testing.T) {
	early := with(kept(3), func(t *db.Task) { t.Keeping = db.Saving })
	before := first(t, parse(t, create.LatestPart(create.Latest{Cards: []part.Card{card(early)}})), "video", "id", "video-3")
	after := first(t, parse(t, create.LatestPart(create.Latest{Cards: []part.Card{card(task(4, db.Queued)), card(kept(3))}})), "video", "id", "video-3")
	for _, a := range before.Attr {
		if attribute(after, a.Key) != a.Val {
			t.Errorf("%s was %q and is %q", a.Key, a.Val, attribute(after, a.Key))
		}
	}
	if attribute(after, "src") != "/media/31" || attribute(after, "poster") != "/media/32" || attribute(after, "preload") != "none" || !has(after, "controls") {
		t.Errorf("the video is %v", after.Attr)
	}
}

func TestCardsSayWhatHappenedToTheCredits(t *testing.T) {
	rejected := func(b db.Blame) part.Card {
		return card(with(task(1, db.Rejected), func(t *db.Task) { t.Blame, t.Message = b, "it said so" }))
	}
	sandbox := rejected(db.BlameCredits)
	sandbox.Sandbox = true
	decided := card(with(task(1, db.Unconfirmed), func(t *db.Task) { t.DecidedAt = now }))
	sound := func(on bool) part.Card {
		return card(with(task(1, db.Failed), func(t *db.Task) { t.Message, t.Options.Audio = "PUBLIC_ERROR_AUDIO_FILTERED", &on }))
	}
	for name, c := range map[string]struct {
		card part.Card
		says []string
		not  string
	}{
		"failed":             {failed(1), []string{"did not work", "A safety filter stopped it", "Your 30 credits came back", `href="/create/text-to-video?from=1&amp;use=retry"`, `action="/tasks/1/again"`, "Try again · 30 credits", `href="/tasks/1#answers"`}, "content was blocked"},
		"failed, no reason":  {card(task(1, db.Failed)), []string{"gave no reason"}, ""},
		"canceled":           {card(task(1, db.Canceled)), []string{"does not return credits for canceled videos: you were charged 30 credits", `action="/tasks/1/again"`}, "came back"},
		"canceled, returned": {card(with(task(1, db.Canceled), func(t *db.Task) { t.Returned = t.Charged })), []string{"Your 30 credits came back"}, "does not return"},
		"sound blocked":      {sound(true), []string{"stopped its sound", `name="generate_audio" value="false"`, "Without sound<"}, ""},
		"silent already":     {sound(false), []string{"stopped its sound", "Try again"}, "Without sound<"},
		"cost not known": {card(with(task(1, db.Failed), func(t *db.Task) {
			t.Charged, t.Returned, t.Quoted = db.Credits{}, db.Credits{}, db.Credits{}
		})), []string{"did not say what it cost", "Try again<"}, "came back"},
		"somebody's own words":  {card(with(task(1, db.Failed), func(t *db.Task) { t.Message = "too dark." })), []string{"The service said: “too dark”."}, "#answers"},
		"no key":                {rejected(db.BlameKey), []string{"Nothing was paid", `href="/settings#key"`}, "it said so"},
		"no credits":            {rejected(db.BlameCredits), []string{"Nothing was paid", "own site"}, "/settings"},
		"sandbox credits":       {sandbox, []string{"Nothing was paid", `href="/settings#key"`}, "own site"},
		"unreachable":           {rejected(db.BlameService), []string{"Nothing was paid", "Try again in a minute"}, ""},
		"refused":               {rejected(db.BlameRequest), []string{"Nothing was paid", "it said so"}, ""},
		"unconfirmed":           {card(task(1, db.Unconfirmed)), []string{"may have been paid", `action="/tasks/1/resend"`, `action="/tasks/1/leave"`}, "Edit and try again"},
		"decided":               {decided, []string{"may have been paid", "You decided"}, "/resend"},
		"slow":                  {card(with(task(1, db.Processing), func(t *db.Task) { t.CreatedAt = ago(1e13) })), []string{"This takes long.", "nothing is lost"}, "did not work"},
		"slower than usual":     {usual(card(with(task(1, db.Processing), func(t *db.Task) { t.CreatedAt = ago(1e13) }))), []string{"longer than usual", "usually 2 to 4 min", "so far"}, "did not work"},
		"slow, but not by much": {usual(card(with(task(1, db.Processing), func(t *db.Task) { t.CreatedAt = ago(6 * time.Minute) }))), []string{"6 min so far", "usually 2 to 4 min"}, "longer"},
		"usual":                 {usual(card(task(1, db.Processing))), []string{"usually 2 to 4 min", "<progress", `value="95"`}, ""},
		"unusual":               {card(task(1, db.Processing)), []string{"<progress", "4 min so far"}, "usually"},
		"nowhere":               {card(task(1, db.Success)), []string{"No video address was found", "/tasks/1#answers", "No file"}, "Ready<"},
		"saving":                {keeping(db.Saving, db.NoBlame), []string{"Saving… the link may expire", `href="https://cdn.example.com`}, "Kept here"},
		"saving, no room":       {keeping(db.Saving, db.BlameSpace), []string{"Not kept: no room", "download it there", `href="https://cdn.example.com`}, "Saving…"},
		"saving, expired":       {keeping(db.Saving, db.BlameGone), []string{"Saving…", "asked for another one"}, "Kept here"},
		"saving, no key":        {keeping(db.Saving, db.BlameKey), []string{"without an API key", `href="https://cdn.example.com`}, "Kept here"},
		"lost":                  {keeping(db.Lost, db.BlameService), []string{"not kept here", "the link is gone", `href="https://cdn.example.com`, `action="/tasks/1/keep"`, "No file"}, "Kept here"},
		"kept":                  {card(kept(1)), []string{"Kept here", "/media/11?download=1"}, "cdn.example.com"},
	} {
		text := render(t, create.LatestPart(create.Latest{Cards: []part.Card{c.card}}))
		for _, want := range c.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: it does not say %q", name, want)
			}
		}
		if c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: it says %q", name, c.not)
		}
	}
}

// Keeping is a video that was made and is not kept.
func keeping(k db.Keeping, b db.Blame) part.Card {
	return card(with(kept(1), func(t *db.Task) { t.Keeping, t.Blame, t.Message, t.Media = k, b, "the link is gone", nil }))
}

func TestNoticeIsForAdmins(t *testing.T) {
	f := frame("Gallery", "/gallery")
	if f.Notice = part.SpaceNotice(db.Space{Free: 3 << 30}); !strings.Contains(f.Notice, "2.1 GB") {
		t.Errorf("got %q", f.Notice)
	}
	if page := render(t, library.ShowGallery(f, library.Gallery{})); !strings.Contains(page, f.Notice) {
		t.Error("the notice is not on the page")
	}
	for want, space := range map[string]db.Space{
		"": {Free: 100 << 30, Used: 9 << 30},
		"not kept here: the disk is nearly full, with 537 MB left. Make": {Free: db.Reserve / 2},
		"not kept here: they may take 11 GB together, and take 11 GB":    {Free: 100 << 30, Used: 10 << 30, Max: 10 << 30},
		"Raise -keep-max in time":                                        {Free: 100 << 30, Used: 99e8, Max: 10 << 30},
		"2 videos could not be kept here: they":                          {Free: 100 << 30, Used: 5e9, Max: 10 << 30, Waiting: 2},
	} {
		if got := part.SpaceNotice(space); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%+v: got %q", space, got)
		}
	}
}

func TestWhatOthersWroteIsTextAndNeverMarkup(t *testing.T) {
	const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`
	bad := with(kept(1), func(t *db.Task) {
		t.Prompt, t.UserName, t.Message, t.RemoteID = evil, evil, evil, evil
		t.Pictures = []string{"javascript:alert(1)", "https://example.com/" + evil}
		t.Keeping, t.Results = db.Saving, []db.Result{{Kind: db.Video, URL: "javascript:alert(2)"}}
		t.Media = nil
	})
	form := filled(emptyForm(videoapi.ImageToVideo, "bytedance/v1-lite-image-to-video"))
	form.Prompt, form.Pictures[0], form.EndPicture, form.Seed, form.Provider = evil, evil, "data:text/html,x", evil, evil
	form.Errors, form.Notes = part.Errors{"prompt": evil, "": evil}, []string{evil}
	c := card(bad)
	c.Mine, c.ModelName = false, evil
	fail := c
	fail.Task.State = db.Failed
	for name, page := range map[string]templ.Component{
		"task":    library.ShowTask(frame(evil, "/tasks/1"), library.TaskPage{Card: c, Answers: []db.Answer{{Call: "query", Status: evil, Body: evil}}}),
		"failed":  library.ShowTask(frame(evil, "/tasks/1"), library.TaskPage{Card: fail}),
		"gallery": library.ShowGallery(frame("Gallery", "/gallery"), library.Gallery{Cards: []part.Card{c}, Filter: db.TaskFilter{Query: evil}}),
		"create":  create.Create(frame("Image", "/create/image-to-video"), form, create.Latest{Cards: []part.Card{c, fail}}),
	} {
		root := parse(t, page)
		checkPolicy(t, root)
		for n := range elements(root) {
			if n.Data == "img" && attribute(n, "src") == "x" {
				t.Errorf("%s: a picture was smuggled in", name)
			}
		}
	}
}

func TestAFirstVisitIsSmall(t *testing.T) {
	page := render(t, create.Create(sandboxed(frame("Text", "/create/text-to-video")), emptyForm(videoapi.TextToVideo, "seedance-2.0"), create.Latest{}))
	if size := len(page); size > 24_000 {
		t.Errorf("the first page is %d bytes before compression", size)
	}
}
