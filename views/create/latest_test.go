package create_test

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/schedule"
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
	after := htmltest.First(
		t,
		htmltest.Draw(t, create.LatestPart(create.Latest{
			Take: 3, Cards: []part.Card{storybook.Card(storybook.Task(4, db.Queued)), storybook.Card(storybook.Kept(3))},
		})),
		"video#video-3",
	)
	for _, a := range before.Attr {
		if htmltest.Attr(after, a.Key) != a.Val {
			t.Errorf("%s was %q and is %q", a.Key, a.Val, htmltest.Attr(after, a.Key))
		}
	}
	if htmltest.Attr(after, "src") != "/media/31" || htmltest.Attr(after, "poster") != "/media/32" ||
		htmltest.Attr(after, "preload") != "none" || !htmltest.HasAttr(after, "controls") {
		t.Errorf("the video is %v", after.Attr)
	}
}

func TestCardsSayWhatHappenedToTheCredits(t *testing.T) {
	rejected := func(b db.ErrorKind) part.Card {
		return storybook.Card(storybook.Task(1, db.Rejected), func(t *db.Task) { t.ErrorKind, t.Message = b, "it said so" })
	}
	sandbox := rejected(db.CreditsError)
	sandbox.Sandbox = true
	decided := storybook.Card(storybook.Task(1, db.Unconfirmed), func(t *db.Task) { t.DecidedAt = storybook.Now })
	sound := func(on bool) part.Card {
		return storybook.Card(
			storybook.Task(1, db.Failed), func(t *db.Task) { t.Message, t.Options.Audio = "PUBLIC_ERROR_AUDIO_FILTERED", &on },
		)
	}
	keeping := func(k db.Keeping, b db.ErrorKind) part.Card {
		return storybook.Card(
			storybook.Kept(1), func(t *db.Task) { t.Keeping, t.ErrorKind, t.Message, t.Media = k, b, "the link is gone", nil },
		)
	}
	failed := storybook.Card(
		storybook.Task(1, db.Failed),
		func(t *db.Task) { t.ErrorKind, t.Message = db.RequestError, "content was blocked by the safety filter" },
	)
	const atService = `a[href="https://cdn.example.com/v/aaaaaaaaaaaa.mp4"]`
	for name, c := range map[string]struct {
		card part.Card
		says []string // texts, or selectors if they contain "["
		not  string
	}{
		"failed": {
			failed,
			[]string{
				"This one failed", "A safety filter stopped it", "30 credits came back",
				`a[href="/create/text-to-video?from=1&use=retry"]`, `form[action="/tasks/1/again"]`, "Try again · 30 credits",
				`a[href="/tasks/1#answers"]`,
			},
			"content was blocked",
		},
		"failed, no reason": {storybook.Card(storybook.Task(1, db.Failed)), []string{"gave no reason"}, ""},
		"canceled": {
			storybook.Card(storybook.Task(1, db.Canceled)),
			[]string{"30 credits. They don’t come back for cancelled videos", `form[action="/tasks/1/again"]`}, "came back",
		},
		"canceled, returned": {
			storybook.Card(storybook.Task(1, db.Canceled), func(t *db.Task) { t.Returned = t.Charged }),
			[]string{"30 credits came back"}, "don’t come back",
		},
		"sound blocked":  {sound(true), []string{"stopped its sound", `input[name=generate_audio][value=false]`, "Without sound"}, ""},
		"silent already": {sound(false), []string{"stopped its sound", "Try again"}, "input[name=generate_audio]"},
		"cost not known": {storybook.Card(storybook.Task(1, db.Failed), func(t *db.Task) {
			t.Charged, t.Returned, t.Quoted = db.Credits{}, db.Credits{}, db.Credits{}
		}), []string{"come back by themselves", "Try again :"}, "came back"},
		"somebody's own words": {
			storybook.Card(storybook.Task(1, db.Failed), func(t *db.Task) { t.Message = "too dark." }),
			[]string{"The service said: “too dark”.", `a[href="/tasks/1#answers"]`}, "",
		},
		"no key":          {rejected(db.KeyError), []string{"Nothing charged", `a[href="/settings#key"]`}, "it said so"},
		"no credits":      {rejected(db.CreditsError), []string{"Nothing charged", "service’s site"}, `a[href="/settings#key"]`},
		"sandbox credits": {sandbox, []string{"Nothing charged", `a[href="/settings#key"]`}, "service’s site"},
		"unreachable":     {rejected(db.ServiceError), []string{"Nothing charged", "Try again in a minute"}, ""},
		"refused": {
			rejected(db.RequestError), []string{"Nothing charged", "it said so", `.note a[href="/tasks/1#answers"]`}, "",
		},
		"unconfirmed": {
			storybook.Card(storybook.Task(1, db.Unconfirmed)),
			[]string{"may have been charged", `form[action="/tasks/1/resend"]`, `form[action="/tasks/1/leave"]`}, "Edit",
		},
		"decided": {decided, []string{"may have been charged", "Left as it is"}, `form[action="/tasks/1/resend"]`},
		"slow": {
			storybook.Card(storybook.Task(1, db.Processing), func(t *db.Task) { t.AcceptedAt = storybook.Now.Add(-(1e13)) }),
			[]string{"Taking longer than usual", "You won’t pay twice"}, "This one failed",
		},
		"slower than usual": {
			storybook.Usual(storybook.Card(
				storybook.Task(1, db.Processing), func(t *db.Task) { t.AcceptedAt = storybook.Now.Add(-(1e13)) },
			)),
			[]string{"longer than usual", "sually 2–4 min", `svg[aria-label]`}, "This one failed",
		},
		"slow, but not by much": {
			storybook.Usual(storybook.Card(
				storybook.Task(1, db.Processing), func(t *db.Task) { t.CreatedAt = storybook.Now.Add(-(6 * time.Minute)) },
			)),
			[]string{"6:00", "sually 2–4 min"}, "longer",
		},
		"queued behind one": {
			storybook.Behind(storybook.Card(storybook.Task(1, db.Queued)), 1), []string{"1 video comes first"}, "Starting soon",
		},
		"in line behind many": {
			storybook.Behind(
				storybook.Usual(storybook.Card(
					storybook.Task(1, db.Pending), func(t *db.Task) { t.AcceptedAt = storybook.Now.Add(-(1e13)) },
				)),
				12,
			),
			[]string{"12 videos come first"}, "Usually",
		},
		"with a known pace": {
			storybook.Paced(storybook.Behind(storybook.Usual(storybook.Card(storybook.Task(1, db.Queued))), 39), 12*time.Second),
			[]string{"About 8 min: 39 videos come first.", "40th"}, "Usually",
		},
		"behind one, slowly": {
			storybook.Paced(storybook.Behind(storybook.Card(storybook.Task(1, db.Queued)), 1), 40*time.Minute),
			[]string{"About 1 h 20 min: 1 video comes first."}, "Starting soon",
		},
		"first, with a pace": {
			storybook.Paced(storybook.Usual(storybook.Card(storybook.Task(1, db.Queued))), 12*time.Second),
			[]string{"Starting soon", "Usually 2–4 min"}, "come first",
		},
		"usual": {
			storybook.Usual(storybook.Card(storybook.Task(1, db.Processing))),
			[]string{"sually 2–4 min", `circle[stroke-dasharray="95 100"]`}, "",
		},
		"unusual": {
			storybook.Card(storybook.Task(1, db.Processing)),
			[]string{"4:00", "svg[aria-label]", "know the usual time once a few are made"}, "Usually",
		},
		"nowhere": {
			storybook.Card(storybook.Task(1, db.Success)), []string{"The service sent no link", `a[href="/tasks/1#answers"]`},
			"Ready",
		},
		"saving": {keeping(db.Saving, db.NoError), []string{"Saving…", atService}, "Saved"},
		"saving, no room": {
			keeping(db.Saving, db.SpaceError), []string{"Not saved: storage full", "Download it now", atService}, "Saving…",
		},
		"saving, expired": {keeping(db.Saving, db.LinkError), []string{"Saving…", "asked for a new one"}, "Saved"},
		"saving, no key":  {keeping(db.Saving, db.KeyError), []string{"Fix the key", atService}, "Saved"},
		"lost": {
			keeping(db.Lost, db.ServiceError),
			[]string{"isn’t saved here", "the link is gone", atService, `form[action="/tasks/1/keep"]`, `.note a[href="/tasks/1#answers"]`},
			"Saved",
		},
		"kept": {storybook.Card(storybook.Kept(1)), []string{"Saved", `a[href="/media/11?download=1"]`}, atService},
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

// Only up to four videos of the same prompt are takes.
func TestATableMakesABatchAndNeverTakes(t *testing.T) {
	made := func(group gallery.Group, prompts ...string) string {
		var cards []part.Card
		for i, prompt := range prompts {
			c := storybook.Card(storybook.Kept(int64(i+1)), func(t *db.Task) { t.Batch, t.Prompt = "together", prompt })
			c.Group = &group
			cards = append(cards, c)
		}
		return htmltest.Text(htmltest.Draw(t, create.LatestPart(create.Latest{Cards: cards, Take: 2})))
	}
	ready := []int64{1, 2, 3, 4, 5, 6, 7}
	for name, tt := range map[string]struct{ text, says, not string }{
		"takes": {made(gallery.Group{Videos: 3, Ready: ready[:3]}, "a", "a", "a"), "3 takes, 3 ready", "Batch"},
		"of a recipe": {
			made(gallery.Group{Videos: 2, Ready: ready[:2], RecipeName: "Tea moment"}, "a", "a"), "Take 2 of 2", "Batch",
		},
		"a table": {
			made(gallery.Group{Videos: 10, Ready: ready, Running: 3, RecipeName: "Tea moment"}, "a", "b"),
			"Batch: Tea moment, 10 videos · 7 ready, 3 to go Open batch", "take",
		},
		"a table of two rows": {
			made(gallery.Group{Videos: 2, Ready: ready[:2], RecipeName: "Tea moment"}, "a", "b"), "Number 2 of 2", "take",
		},
		"a table of equal rows": {
			made(gallery.Group{Videos: 5, Ready: ready[:5], RecipeName: "Tea moment"}, "a", "a"), "5 videos · 5 ready Open",
			"take",
		},
		"a list": {
			made(gallery.Group{Videos: 6, Ready: ready[:6]}, "a", "b"), "Batch: 6 videos · 6 ready Open batch", "take",
		},
		"some failed": {
			made(gallery.Group{Videos: 10, Ready: ready[:6], Running: 3}, "a", "b"), "6 ready, 1 failed, 3 to go", "take",
		},
		"done, and some failed": {made(gallery.Group{Videos: 10, Ready: ready[:7]}, "a", "b"), "7 ready, 3 failed Open", "take"},
		"more than are shown":   {made(gallery.Group{Videos: 50, Ready: ready}, "a", "b"), "50 videos", "Number"},
	} {
		if !strings.Contains(tt.text, tt.says) || strings.Contains(strings.ToLower(tt.text), strings.ToLower(tt.not)) {
			t.Errorf("%s: not %q, or %q, in %s", name, tt.says, tt.not, tt.text)
		}
	}
}

// look returns a digest of the list as it is at the time, without clocks and rings.
func look(t *testing.T, l create.Latest, at time.Time) (digest string) {
	t.Helper()
	cards := make([]part.Card, len(l.Cards))
	for i, c := range l.Cards {
		c.Now = at
		cards[i] = c
	}
	l.Cards, l.Now, l.Seen = cards, at, ""
	if err := part.Polled(create.LatestPart(l)).Render(part.TellShown(t.Context(), &digest), io.Discard); err != nil {
		t.Fatal(err)
	}
	return digest
}

// Until the time that Until names the list does not change, and then it does.
func TestTheListDoesNotChangeByItselfBeforeItSays(t *testing.T) {
	now := storybook.Now
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	running := storybook.Card(
		storybook.Task(9, db.Processing),
		func(t *db.Task) { t.CreatedAt, t.AcceptedAt = ago(10*time.Second), ago(8*time.Second) },
	)
	blocked := func(frees, sent time.Time) part.Card {
		c := storybook.Card(storybook.Task(9, db.Queued), func(t *db.Task) { t.CreatedAt, t.SentAt = ago(time.Hour), time.Time{} })
		c.Call = schedule.Call{TaskID: 7, SentAt: sent, FreesAt: frees}
		return c
	}
	made := func(age time.Duration) []part.Card {
		return []part.Card{running, storybook.Card(storybook.Kept(3), func(t *db.Task) { t.CreatedAt = ago(age) })}
	}
	batch := func(sent ...time.Duration) []part.Card {
		var cards []part.Card
		for i, ago := range sent {
			c := storybook.Usual(storybook.Card(storybook.Task(int64(9+i), db.Processing), func(t *db.Task) {
				t.Batch, t.CreatedAt, t.AcceptedAt = "table", now.Add(-ago), now.Add(-ago)
			}))
			c.Group = &gallery.Group{Videos: 10, Ready: []int64{1, 2}, Running: len(sent), RecipeName: "Tea moment"}
			cards = append(cards, c)
		}
		return cards
	}
	unsent := batch(time.Minute, 0)
	unsent[1].Task.State, unsent[1].Task.AcceptedAt = db.Queued, time.Time{}
	decided := storybook.Card(
		storybook.Task(3, db.Unconfirmed),
		func(t *db.Task) { t.CreatedAt, t.DecidedAt = ago(400*24*time.Hour), ago(5*time.Minute) },
	)
	for name, tt := range map[string]struct {
		cards []part.Card
		take  int64
		want  time.Duration // from now; 0 for never
	}{
		"running, no usual time": {[]part.Card{running}, 9, 10*time.Minute - 8*time.Second + time.Millisecond},
		"running, usual time":    {[]part.Card{storybook.Usual(running)}, 9, 8*time.Minute - 8*time.Second + time.Millisecond},
		"behind others":          {[]part.Card{storybook.Behind(running, 2)}, 9, 0},
		"not sent": {
			[]part.Card{storybook.Card(storybook.Task(9, db.Queued), func(t *db.Task) { t.SentAt = time.Time{} })}, 9, 0,
		},
		"its key is blocked":             {[]part.Card{blocked(now.Add(70*time.Second), ago(time.Minute))}, 9, 70 * time.Second},
		"its key was blocked":            {[]part.Card{blocked(ago(70*time.Second), ago(time.Hour))}, 9, 0},
		"made just now":                  {made(3 * time.Second), 3, 42 * time.Second},
		"made a minute ago":              {made(80 * time.Second), 3, 10 * time.Second},
		"made an hour ago, on the strip": {made(time.Hour), 9, 10*time.Minute - 8*time.Second + time.Millisecond},
		"a batch":                        {batch(90*time.Second, 20*time.Second), 9, 40 * time.Second},
		"a batch, the first is late":     {batch(4*time.Minute-5*time.Second, 20*time.Second), 9, 5 * time.Second},
		"a batch that is not all sent":   {unsent, 9, 7*time.Minute + time.Millisecond},
		"decided":                        {[]part.Card{running, decided}, 3, 30 * time.Second},
	} {
		l := create.Latest{Cards: tt.cards, Take: tt.take, Now: now}
		for i := range l.Cards {
			l.Cards[i].Now = now
		}
		until, want := l.Until(), time.Time{}
		if tt.want > 0 {
			want = now.Add(tt.want)
		}
		if !until.Equal(want) {
			t.Errorf("%s: until %v, want %v", name, until.Sub(now), tt.want)
			continue
		}
		first, last := look(t, l, now), until
		if until.IsZero() {
			last = now.Add(48 * time.Hour)
		} else if look(t, l, until) == first {
			t.Errorf("%s: it has not changed after %v", name, until.Sub(now))
		}
		for range 20 {
			at := now.Add(time.Duration(rand.Int64N(int64(last.Sub(now)))))
			if look(t, l, at) != first {
				t.Errorf("%s: it has changed after %v, before %v", name, at.Sub(now), last.Sub(now))
				break
			}
		}
	}
}

// What a waiting video says of its turn is out of date when videos are too long ago for the
// pace of its key.
func TestTheListChangesWhenThePaceIsOutOfDate(t *testing.T) {
	waiting := storybook.Paced(storybook.Behind(storybook.Card(storybook.Task(9, db.Queued)), 3), 12*time.Second)
	l := create.Latest{Cards: []part.Card{waiting}, Now: storybook.Now}
	if until := l.Until(); !until.Equal(waiting.WaitUntil) {
		t.Errorf("until %v", until)
	}
}

// A batch of which some videos wait is done when the last of them has had its turn.
func TestTheTimeOfABatchIsThatOfItsLastVideo(t *testing.T) {
	var cards []part.Card
	for i := range 6 {
		state := db.Processing
		if i > 0 {
			state = db.Queued
		}
		c := storybook.Usual(storybook.Card(storybook.Task(int64(9+i), state), func(t *db.Task) { t.Batch = "table" }))
		c.Group = &gallery.Group{Videos: 52, Ready: make([]int64, 12), Running: 39, RecipeName: "Tea moment"}
		if i > 0 {
			c = storybook.Paced(storybook.Behind(c, 33+i), 12*time.Second)
		}
		cards = append(cards, c)
	}
	text := htmltest.Text(htmltest.Draw(t, create.LatestPart(create.Latest{Cards: cards, Now: storybook.Now})))
	if want := "12 ready, 1 failed, 39 to go, about 8 min"; !strings.Contains(text, want) {
		t.Errorf("it does not say %q: %s", want, text)
	}
}

// When another create call begins to block its key, a waiting video may say so.
func TestTheListChangesWhenACallIsLate(t *testing.T) {
	waiting := storybook.Card(storybook.Task(9, db.Queued), func(t *db.Task) { t.SentAt = time.Time{} })
	waiting.CallLateAt, waiting.Ahead = storybook.Now.Add(9*time.Second), 3
	waiting.Now = storybook.Now
	l := create.Latest{Cards: []part.Card{waiting}, Now: storybook.Now}
	if until := l.Until(); !until.Equal(waiting.CallLateAt) {
		t.Errorf("until %v", until)
	}
}
