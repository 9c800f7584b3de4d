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

func TestCardsSayWhatTheVideoCost(t *testing.T) {
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
		list := htmltest.Text(htmltest.Draw(t, create.LatestPart(create.Latest{Cards: []part.Card{made}})))
		if !strings.Contains(list, want) {
			t.Errorf("the list of the newest: a %s video does not say %q: %s", c.state, want, list)
		}
	}
}

func TestTilesSayWhetherCreditsWereReturned(t *testing.T) {
	for want, c := range map[string]struct {
		state             db.State
		charged, returned db.Credits
	}{
		"12 credits came back": {db.Failed, db.CreditsOf(12), db.CreditsOf(12)},
		"Nothing charged":      {db.Failed, db.CreditsOf(0), db.Credits{}},
		"Charged 12 credits":   {db.Canceled, db.CreditsOf(12), db.Credits{}},
	} {
		made := card(with(task(1, c.state), func(t *db.Task) { t.Charged, t.Returned = c.charged, c.returned }))
		if tile := htmltest.Text(htmltest.Draw(t, library.Tile(made, "", false))); !strings.HasSuffix(tile, want) {
			t.Errorf("a %s video does not say %q: %s", c.state, want, tile)
		}
	}
}
