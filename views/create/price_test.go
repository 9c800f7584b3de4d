package create_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/views/create"
	"dailies/views/part"
	"dailies/web/htmltest"
	"dailies/web/videoapi"
)

func TestThePriceOfSeveralVideosShowsItsCalculation(t *testing.T) {
	thirty, form := db.CreditsOf(30), emptyForm(t, videoapi.TextToVideo, "seedance-2.0")
	for want, price := range map[string]part.Price{
		"4 × 30 = 120 credits Fixed price":                                                        {Credits: thirty, Stated: true, Count: 4},
		"About 2 × 30 = 60 credits last time 30 each":                                             {Credits: thirty, Count: 2},
		"About 2 × 24 = 48 credits last time 22 to 26 each":                                       {Credits: db.CreditsOf(24), Estimate: ordering.Estimate{Low: 22, High: 26}, Count: 2},
		"3 × 0.1 = 0.3 credits 0 left after this":                                                 {Credits: db.CreditsOf(0.1), Stated: true, Count: 3, Left: db.CreditsOf(0.3)},
		"Price known once it starts Make":                                                         {Count: 3},
		"30 credits 12 credits more than the draft":                                               {Credits: thirty, Stated: true, Draft: db.CreditsOf(18)},
		"30 credits 1 credit less than the draft":                                                 {Credits: thirty, Stated: true, Draft: db.CreditsOf(31)},
		"2 × 30 = 60 credits each no more than the draft":                                         {Credits: thirty, Stated: true, Draft: thirty, Count: 2},
		"4 × 0.5 = 2 credits Fixed price":                                                         {Credits: db.CreditsOf(0.5), Stated: true, Count: 4},
		"50 credits short: you have 70, enough for 2. Make 2 for 60 4 × 30 = 120 credits 70 left": {Credits: thirty, Stated: true, Count: 4, Left: db.CreditsOf(70)},
		"0.5 credits short: you have 29.5. 30 credits 29.5 left":                                  {Credits: thirty, Stated: true, Left: db.CreditsOf(29.5)},
		"30 credits 0 left after this Make the video":                                             {Credits: thirty, Stated: true, Left: thirty},
		"2 × 0 = 0 credits 0 left after this":                                                     {Credits: db.CreditsOf(0), Stated: true, Count: 2, Left: db.CreditsOf(0)},
	} {
		form.Price = price
		if text := htmltest.Text(htmltest.Draw(t, create.CreateOptions(form))); !strings.Contains(text, want) {
			t.Errorf("it does not say %q: %s", want, text[max(0, len(text)-120):])
		}
	}
}

func TestThePriceIsSaidBeforeTheButton(t *testing.T) {
	form := emptyForm(t, videoapi.TextToVideo, "seedance-2.0")
	for want, price := range map[string]part.Price{
		"30 credits Fixed price":                      form.Price,
		"About 30 credits last time 30":               {Credits: form.Price.Credits},
		"About 24 credits last time 22 to 26":         part.Estimated(ordering.Estimate{Typical: db.CreditsOf(24), Low: 22, High: 26, Count: 5}),
		"About 24 credits with other options 8 to 60": part.Estimated(ordering.Estimate{Typical: db.CreditsOf(24), Low: 8, High: 60, Count: 9, Loose: true}),
		"Price known once it starts":                  {},
	} {
		form.Price = price
		if text := htmltest.Text(htmltest.Draw(t, create.CreateOptions(form))); !strings.Contains(text, want+" Make the video") {
			t.Errorf("it does not say %q", want)
		}
	}
}
