package storybook_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/views/create"
	"dailies/views/library"
	"dailies/views/part"
	"dailies/web/htmltest"
)

func TestCardsSayWhatBecameOfTheCredits(t *testing.T) {
	for want, c := range map[string]struct {
		state             db.State
		charged, returned db.Credits
	}{
		" 0 credits":  {db.Failed, db.CreditsOf(12), db.CreditsOf(12)},
		" 7 credits":  {db.Canceled, db.CreditsOf(12), db.CreditsOf(5)},
		" 12 credits": {db.Canceled, db.CreditsOf(12), db.Credits{}},
		" 13 credits": {db.Success, db.CreditsOf(13), db.Credits{}},
	} {
		made := card(with(task(1, c.state), func(t *db.Task) { t.Charged, t.Returned = c.charged, c.returned }))
		for where, part := range map[string]string{
			"the list of the newest":   htmltest.Text(htmltest.Draw(t, create.LatestPart(create.Latest{Cards: []part.Card{made}}))),
			"the cards of the gallery": htmltest.Text(htmltest.Draw(t, library.GalleryMore(library.Gallery{Cards: []part.Card{made}}))),
		} {
			if !strings.Contains(part, want) {
				t.Errorf("%s: a %s video does not say %q: %s", where, c.state, want, part)
			}
		}
	}
}
