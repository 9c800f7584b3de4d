package storybook_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/views/create"
	"dailies/views/part"
	"dailies/web/videoapi"
)

func TestThePriceOfSeveralIsReckonedBeforeTheReadersEyes(t *testing.T) {
	thirty, form := db.CreditsOf(30), emptyForm(videoapi.TextToVideo, "seedance-2.0")
	for want, price := range map[string]part.Price{
		"4 × 30 = 120 credits the price that the service states":             {Credits: thirty, Stated: true, Count: 4},
		"About 2 × 30 = 60 credits one cost 30 credits last time":            {Credits: thirty, Count: 2},
		"Price not known yet the service says it once each video is started": {Count: 3},
		"30 credits 12 credits more than the draft":                          {Credits: thirty, Stated: true, Draft: db.CreditsOf(18)},
		"30 credits 1 credit less than the draft":                            {Credits: thirty, Stated: true, Draft: db.CreditsOf(31)},
		"2 × 30 = 60 credits each no more than the draft":                    {Credits: thirty, Stated: true, Draft: thirty, Count: 2},
		"4 × 0.5 = 2 credits the price that the service states":              {Credits: db.CreditsOf(0.5), Stated: true, Count: 4},
		"4 × 30 = 120 credits you have 70 credits, enough for 2":             {Credits: thirty, Stated: true, Count: 4, Left: db.CreditsOf(70)},
		"30 credits you have 29.5 credits, too few for it":                   {Credits: thirty, Stated: true, Left: db.CreditsOf(29.5)},
		"30 credits the price that the service states Make the video":        {Credits: thirty, Stated: true, Left: thirty},
		"2 × 0 = 0 credits the price that the service states":                {Credits: db.CreditsOf(0), Stated: true, Count: 2, Left: db.CreditsOf(0)},
	} {
		form.Price = price
		if text := words(parse(t, create.CreateOptions(form))); !strings.Contains(text, want) {
			t.Errorf("it does not say %q: %s", want, text[max(0, len(text)-120):])
		}
	}
}

func TestAPriceKnowsWhetherItIsMoreThanWasShown(t *testing.T) {
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
		{"known by now", known(1), part.Price{}.Shown(), false},
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
