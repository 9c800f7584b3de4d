package part_test

import (
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/views/part"
)

func TestPriceExceedsTheOneThatWasShown(t *testing.T) {
	known := func(count int) part.Price { return part.Price{Credits: db.CreditsOf(30), Count: count} }
	for _, tt := range []struct {
		name  string
		price part.Price
		shown string
		more  bool
	}{
		{"the same", known(2), known(2).Shown(), false},
		{"less", known(1), known(2).Shown(), false},
		{"more", known(3), known(2).Shown(), true},
		{"not known any more", part.Price{}, known(1).Shown(), true},
		{"known by storybook.Now", known(1), part.Price{}.Shown(), false},
		{"never known", part.Price{Count: 2}, part.Price{Count: 2}.Shown(), false},
		{"never known, more videos", part.Price{Count: 3}, part.Price{Count: 2}.Shown(), true},
		{"sent by a program", known(4), "", false},
		{"junk", known(4), "much", false},
	} {
		if got := tt.price.Exceeds(tt.shown); got != tt.more {
			t.Errorf("%s: after %q, %v", tt.name, tt.shown, got)
		}
	}
}

func FuzzShownPrice(f *testing.F) {
	f.Add("4 120")
	f.Add("1")
	f.Add("-1 NaN")
	f.Fuzz(func(t *testing.T, shown string) {
		if p := (part.Price{Credits: db.CreditsOf(30)}); p.Exceeds(shown) && p.Exceeds(p.Shown()) {
			t.Error("what was just shown is too much")
		}
	})
}

func TestAMenuShowsNoPriceOfOtherOptions(t *testing.T) {
	e := ordering.Estimate{Typical: db.CreditsOf(12), Low: 12, High: 12, Count: 4}
	if got := part.Estimated(e).Brief(); got != "about 12" {
		t.Errorf("from the same options: %q", got)
	}
	if e.Loose = true; part.Estimated(e).Brief() != "" {
		t.Errorf("from other options: %q", part.Estimated(e).Brief())
	}
}
