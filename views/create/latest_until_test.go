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
	running := storybook.Card(storybook.Task(9, db.Processing), func(t *db.Task) { t.CreatedAt, t.AcceptedAt = ago(10*time.Second), ago(8*time.Second) })
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
	decided := storybook.Card(storybook.Task(3, db.Unconfirmed), func(t *db.Task) { t.CreatedAt, t.DecidedAt = ago(400*24*time.Hour), ago(5*time.Minute) })
	for name, tt := range map[string]struct {
		cards []part.Card
		take  int64
		want  time.Duration // from now; 0 for never
	}{
		"running, no usual time":         {[]part.Card{running}, 9, 10*time.Minute - 8*time.Second + time.Millisecond},
		"running, usual time":            {[]part.Card{storybook.Usual(running)}, 9, 8*time.Minute - 8*time.Second + time.Millisecond},
		"behind others":                  {[]part.Card{storybook.Behind(running, 2)}, 9, 0},
		"not sent":                       {[]part.Card{storybook.Card(storybook.Task(9, db.Queued), func(t *db.Task) { t.SentAt = time.Time{} })}, 9, 0},
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
