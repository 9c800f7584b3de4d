package storybook_test

import (
	"math"
	"testing"
	"time"

	"dailies/db"
	"dailies/views/account"
	"dailies/views/library"
	"dailies/views/part"
)

func TestAgoSpeaksLikeAPerson(t *testing.T) {
	for age, want := range map[time.Duration]string{
		-time.Hour:           "just now",
		0:                    "just now",
		44 * time.Second:     "just now",
		50 * time.Second:     "1 min ago",
		3 * time.Minute:      "3 min ago",
		59 * time.Minute:     "59 min ago",
		3599 * time.Second:   "1 h ago",
		100 * time.Minute:    "2 h ago",
		23 * time.Hour:       "23 h ago",
		25 * time.Hour:       "yesterday",
		49 * time.Hour:       "2 days ago",
		6 * 24 * time.Hour:   "6 days ago",
		8 * 24 * time.Hour:   "6 November",
		400 * 24 * time.Hour: "10 October 2025",
	} {
		if got := part.Ago(ago(age), now); got != want {
			t.Errorf("%v ago is %q, want %q", age, got, want)
		}
	}
	if got := part.Ago(time.Time{}, now); got != "never" {
		t.Errorf("the zero time is %q", got)
	}
}

func TestTookGivesTheTwoLargestUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                   "0 s",
		400 * time.Millisecond:         "0 s",
		48 * time.Second:               "48 s",
		time.Minute:                    "1 min",
		125 * time.Second:              "2 min 5 s",
		time.Hour:                      "1 h",
		time.Hour + 3*time.Minute + 20: "1 h 3 min",
	} {
		if got := part.Took(d); got != want {
			t.Errorf("%v took %q, want %q", d, got, want)
		}
	}
}

func TestUsuallyNeedsHistory(t *testing.T) {
	for _, c := range []struct {
		usual db.Usual
		want  string
	}{
		{db.Usual{Count: 2, Low: time.Minute, High: 2 * time.Minute}, ""},
		{db.Usual{Count: 3}, ""},
		{db.Usual{Count: 3, Low: 130 * time.Second, High: 230 * time.Second}, "usually 2 to 4 min"},
		{db.Usual{Count: 3, Low: 20 * time.Second, High: 100 * time.Second}, "usually 1 to 2 min"},
		{db.Usual{Count: 9, Low: 2 * time.Minute, High: 2 * time.Minute}, "usually about 2 min"},
		{db.Usual{Count: 9, Low: 12 * time.Second, High: 29500 * time.Millisecond}, "usually 12 to 30 s"},
	} {
		if got := part.Usually(c.usual); got != c.want {
			t.Errorf("%+v: %q, want %q", c.usual, got, c.want)
		}
	}
}

func TestAmountsAreReadable(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 30: "30", 2.5: "2.5", 0.126: "0.13", 999: "999", 1000: "1,000", 1234567.891: "1,234,567.89", -1500: "-1,500", -100: "-100", 1e300: "1e+300", math.Inf(-1): "-Inf"} {
		if got := part.Number(n); got != want {
			t.Errorf("%v is %q, want %q", n, got, want)
		}
	}
	for c, want := range map[db.Credits]string{{}: "not known", db.CreditsOf(1): "1 credit", db.CreditsOf(0): "0 credits", db.CreditsOf(1500): "1,500 credits"} {
		if got := part.Credits(c); got != want {
			t.Errorf("%+v is %q, want %q", c, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 38_112: "38 kB", 3_412_887: "3.4 MB", 12_000_000_000: "12 GB", 5e15: "5000 TB"} {
		if got := part.Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if one, many := part.Count(1, "video"), part.Count(1284, "video"); one != "1 video" || many != "1,284 videos" {
		t.Errorf("%q, %q", one, many)
	}
}

func TestSmallFormats(t *testing.T) {
	for got, want := range map[string]string{
		part.Reel(5):                       "0:05",
		part.Reel(75):                      "1:15",
		part.Month("2026-11"):              "November 2026",
		part.Month("soon"):                 "soon",
		part.Stamp(now):                    "2026-11-14T09:30:00Z",
		part.Moment(now):                   "14 November 2026, 09:30 UTC",
		part.Clock(now):                    "09:30:00 UTC",
		library.Pretty(`{"a":[1]}`):        "{\n  \"a\": [\n    1\n  ]\n}",
		library.Pretty("<html>502</html>"): "<html>502</html>",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBrowserIsNamed(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                   "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0":    "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15":    "Safari on Mac",
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36":                 "Chrome on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Safari/604.1": "Chrome on iPhone",
		"curl/8.0": "curl",
		"":         "A browser",
	} {
		if got := account.Browser(agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}
