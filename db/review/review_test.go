package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/review"
)

func TestTimesAreRead(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "2400": 2400, "0:02.4": 2400, "0:02": 2000, "1:05.25": 65250, "10:00.125": 600125, "0:00.05": 50, "3600000000": 3_600_000_000,
		"": -1, "-1": -1, "NaN": -1, "1e3": -1, "2.4": -1, "0x10": -1, " 5": -1, "+5": -1, "0:60": -1, "0:5": -1, "0:05.": -1,
		"0:05.1234": -1, ":05": -1,
		"0:05x1": -1, "1:02:03": -1, "99999999999999999999": -1, "3600000001": -1, "999999:59": -1, "٣": -1,
	} {
		got, ok := review.ParseTime(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d, not %d", text, got, want)
		}
	}
	if got := review.FormatTime(65_250); got != "1:05.2" {
		t.Errorf("got %s", got)
	}
}

// points returns a line of n points as JSON.
func points(n int) string {
	return `{"kind":"line","points":[` + strings.TrimSuffix(strings.Repeat("[0.5,0.25],", n), ",") + "]}"
}

func TestMarksAreNumbersAndWrittenAfresh(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		` { "points" : [[0, 0.1],[1.0,0.123456]], "kind": "rect" } `: `{"kind":"rect","points":[[0,0.1],[1,0.1235]]}`,
		`{"kind":"arrow","points":[[0.5,0.5],[0,1]]}`:                `{"kind":"arrow","points":[[0.5,0.5],[0,1]]}`,
		points(2): points(2), points(200): points(200),
	} {
		m, err := review.ParseMark(text)
		if err != nil || m.JSON() != want {
			t.Errorf("%.60s: %.60s, %v", text, m.JSON(), err)
		}
	}
	for _, text := range []string{
		"x", "null", "{}", "[]", `"rect"`, points(0), points(1), points(201), points(10_000),
		`{"kind":"circle","points":[[0,0],[1,1]]}`, `{"kind":"rect","points":[[0,0]]}`, `{"kind":"rect","points":[[0,0],[1,1],[1,0]]}`,
		`{"kind":"rect","points":[[0,0],[1,1.01]]}`, `{"kind":"rect","points":[[-0.1,0],[1,1]]}`,
		`{"kind":"rect","points":[[0,NaN],[1,1]]}`, `{"kind":"rect","points":[[0,1e999],[1,1]]}`,
		`{"kind":"rect","points":[[0],[1,1]]}`, `{"kind":"rect","points":[[0,0,0],[1,1]]}`, `{"kind":"rect","points":[["0",0],[1,1]]}`,
		`{"kind":"rect","points":[null,[1,1]]}`,
		`{"kind":"rect","points":[[null,0],[1,1]]}`, `{"kind":"rect","points":[[0,0],[1,null]]}`,
		`{"kind":"arrow","points":[[null,null],[null,null]]}`,
		`{"kind":"rect","points":[[0,0],[1,1]],"style":"x"}`, `{"kind":"rect","points":[[0,0],[1,1]]} {}`,
		`{"kind":"<rect","points":[[0,0],[1,1]]}`,
	} {
		if m, err := review.ParseMark(text); err == nil {
			t.Errorf("%.60s is %+v", text, m)
		}
	}
}

func FuzzMark(f *testing.F) {
	for _, text := range []string{
		points(3), `{"kind":"rect","points":[[0,0.1],[1,1]]}`, `{"kind":"arrow","points":[[-0,1e-9],[1,1]]}`, "null",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := review.ParseMark(text)
		if err != nil {
			return
		}
		for _, p := range m.Points {
			if !(p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1) {
				t.Errorf("a point at %v", p)
			}
		}
		again, err := review.ParseMark(m.JSON())
		if err != nil || again.JSON() != m.JSON() || strings.ContainsAny(m.JSON(), "<>&'") {
			t.Errorf("%s is read again as %s, %v", m.JSON(), again.JSON(), err)
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, text := range []string{"2400", "0:02.4", "10:59.999", "x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ms, ok := review.ParseTime(text); ok && (ms < 0 || ms > 3_600_000_000) {
			t.Errorf("%q is %d", text, ms)
		}
	})
}

func TestOnlyTheAuthorChangesANoteAndNotForLong(t *testing.T) {
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	ann, guest := review.Author{UserID: 1}, review.Author{GuestID: 1}
	n := review.Note{Author: ann, CreatedAt: now}
	if !n.ChangeableBy(ann, now.Add(review.ChangeWithin-1)) || n.ChangeableBy(ann, now.Add(review.ChangeWithin)) ||
		n.ChangeableBy(guest, now) || n.ChangeableBy(review.Author{UserID: 2}, now) {
		t.Error("others change it, or its author cannot")
	}
	left := review.Note{CreatedAt: now} // by a guest who is gone
	if left.ChangeableBy(review.Author{}, now) {
		t.Error("nobody is the author of everything")
	}
	if !n.DeletableBy(db.User{ID: 1, Role: db.Viewer}) || n.DeletableBy(db.User{ID: 2, Role: db.Viewer}) ||
		!n.DeletableBy(db.User{ID: 2, Role: db.Member}) {
		t.Error("the wrong people delete it")
	}
}

func TestGuestsSeeTheNotesOfTheirLink(t *testing.T) {
	for name, tt := range map[string]struct {
		n    review.Note
		want bool
	}{
		"of this link":          {review.Note{ShareID: 7}, true},
		"of another link":       {review.Note{ShareID: 8}, false},
		"by the team":           {review.Note{Author: review.Author{UserID: 1}}, true},
		"by the team, internal": {review.Note{Author: review.Author{UserID: 1}, Internal: true}, false},
		"internal on this link": {review.Note{ShareID: 7, Internal: true}, false},
		"an answer at a moment": {review.Note{ShareID: 7, Author: review.Author{GuestID: 2}, Answer: review.Changes}, true},
		"an answer of theirs": {
			review.Note{
				ShareID: 7, Author: review.Author{GuestID: 1}, Answer: review.Approved,
				Position: review.Position{At: review.NoTime},
			},
			true,
		},
		"an answer of another": {
			review.Note{
				ShareID: 7, Author: review.Author{GuestID: 2}, Answer: review.Approved,
				Position: review.Position{At: review.NoTime},
			},
			false,
		},
	} {
		if tt.n.ShownTo(7, review.Author{GuestID: 1}) != tt.want {
			t.Errorf("%s: %v", name, !tt.want)
		}
	}
}

func TestMentionsArePeopleOfTheTeam(t *testing.T) {
	people := []db.User{
		{ID: 1, Name: "Ana Mendes"}, {ID: 2, Name: "Jonas Berg"}, {ID: 3, Name: "Jonas Hall"}, {ID: 4, Name: "Li"},
		{ID: 5, Name: "Gone Girl", DeactivatedAt: time.Unix(1, 0)},
	}
	for body, want := range map[string]string{
		"@Ana look": "[1]", "(@ana mendes) and @Ana": "[1]", "@Jonas?": "[]", "@Jonas Hall, @Li.": "[3 4]", "@Lisa": "[]",
		"ana@Li.example": "[]",
		"@Gone Girl":     "[]", "@": "[]", "@@Li": "[4]", "nobody": "[]", "\U0001f600@Li": "[4]",
	} {
		if got := fmt.Sprint(review.Mentioned(body, people)); got != want {
			t.Errorf("%q mentions %s, not %s", body, got, want)
		}
	}
	body := "See @Ana Mendes there"
	if m := review.Mentions(body, people); len(m) != 1 || body[m[0].From:m[0].To] != "@Ana Mendes" {
		t.Errorf("got %+v", m)
	}
}

func TestWhoIsOfferedAfterAnAt(t *testing.T) {
	people := []db.User{
		{ID: 2, Name: "Jonas Berg"}, {ID: 1, Name: "Ana Mendes"}, {ID: 3, Name: "Jonas Hall"}, {ID: 4, Name: "Twin"},
		{ID: 5, Name: "Twin"}, {ID: 6, Name: "Gone Girl", DeactivatedAt: time.Unix(1, 0)}, {ID: 7, Name: "Åsa"},
	}
	for typed, want := range map[string]string{
		"": "[1 2 3 7]", "jo": "[2 3]", "BE": "[2]", "ÅS": "[7]", "twin": "[]", "gone": "[]", "onas": "[]",
	} {
		var ids []int64
		for _, p := range review.Mentionable(people, typed) {
			ids = append(ids, p.ID)
			if got := review.Mentioned("@"+p.Name+" look", people); len(got) != 1 || got[0] != p.ID {
				t.Errorf("%q mentions %v", p.Name, got)
			}
		}
		if got := fmt.Sprint(ids); got != want {
			t.Errorf("%q: %s, not %s", typed, got, want)
		}
	}
}

func TestChangesWinOverApprovals(t *testing.T) {
	guest := func(id int64, a review.Answer) review.Verdict {
		return review.Verdict{Answer: a, Guest: review.Guest{ID: id}}
	}
	for want, s := range map[review.Answer]review.Approval{
		"":              {},
		review.Waiting:  {Asked: true, Silent: []review.Guest{{ID: 1}}},
		review.Approved: {Asked: true, Verdicts: []review.Verdict{guest(2, review.Approved)}, Silent: []review.Guest{{ID: 1}}},
		review.Changes:  {Verdicts: []review.Verdict{guest(2, review.Approved), guest(1, review.Changes)}},
	} {
		if got := s.Answer(); got != want {
			t.Errorf("%+v is %q, not %q", s, got, want)
		}
	}
	s := review.Approval{
		Verdicts: []review.Verdict{guest(2, review.Approved), guest(1, review.Approved), guest(3, review.Changes)},
		Silent:   []review.Guest{{ID: 4}},
	}
	if of := s.Of(review.Approved); len(of) != 2 || of[0].ID != 1 || s.Guests() != 4 || !s.HasDecided(3) || s.HasDecided(4) {
		t.Errorf("got %+v of %d", of, s.Guests())
	}
}
