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

func TestVideosOfDifferentPricesAreOneSum(t *testing.T) {
	stated := func(amount float64, count int) part.Price {
		return part.Price{Credits: db.CreditsOf(amount), Stated: true, Count: count}
	}
	mixed := part.Mix(stated(30, 1), stated(60, 2), stated(30, 1))
	if got := mixed.Words(); got != "4 videos = 180 credits" {
		t.Errorf("it says %q", got)
	}
	if mixed.Total() != db.CreditsOf(180) || mixed.Shown() != "4 180" || mixed.LikelyInAll() != 180 || mixed.Exceeds("4 180") || !mixed.Exceeds("4 179") {
		t.Errorf("%+v, shown as %q", mixed.Total(), mixed.Shown())
	}
	mixed.Left = db.CreditsOf(100)
	if got := mixed.Shortfall(); got != "80 credits short: you have 100." {
		t.Errorf("it says %q", got)
	}
	if same := part.Mix(stated(30, 1), stated(30, 2)); same.Words() != "3 × 30 = 90 credits" {
		t.Errorf("it says %q", same.Words())
	}
	unknown := part.Mix(stated(30, 1), part.Price{})
	if unknown.Words() != "Price known once it starts" || unknown.Known() || unknown.Shown() != "2" || !unknown.Exceeds("2 60") {
		t.Errorf("%q, shown as %q", unknown.Words(), unknown.Shown())
	}
	loose := part.Mix(stated(30, 1), part.Estimated(ordering.Estimate{Typical: db.CreditsOf(50), Low: 50, High: 50, Count: 1, Loose: true}))
	if loose.Words() != "2 videos = about 80 credits" || loose.Credits.Known {
		t.Errorf("it says %q", loose.Words())
	}
}
