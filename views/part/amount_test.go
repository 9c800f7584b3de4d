package part_test

import (
	"math"
	"testing"

	"dailies/db"
	"dailies/views/part"
	"dailies/views/storybook"
)

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
	if one, many := part.Plural(1, "%s video", "%s videos"), part.Plural(1284, "%s video", "%s videos"); one != "1 video" || many != "1,284 videos" {
		t.Errorf("%q, %q", one, many)
	}
}

func TestSmallFormats(t *testing.T) {
	for got, want := range map[string]string{
		part.VideoLength(5):        "0:05",
		part.VideoLength(75):       "1:15",
		part.Month("2026-11"):      "November 2026",
		part.Month("soon"):         "soon",
		part.Stamp(storybook.Now):  "2026-11-14T09:30:00Z",
		part.Moment(storybook.Now): "14 November 2026, 09:30 UTC",
		part.Clock(storybook.Now):  "09:30:00 UTC",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
