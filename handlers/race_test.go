package handlers_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// The same form of a recipe with a price ceiling is submitted to two processes at the
// same moment: 50 times, or 1,000 times with DAILIES_LONG=1.
func TestAPressWithinACeilingOnTwoProcessesMakesOneVideo(t *testing.T) {
	rounds := 50
	switch {
	case scopetest.Long():
		rounds = 1000
	case scopetest.Quick():
		rounds = 10
	}
	address, err := postgrestest.Need(t).Database(t.Context())
	must(t, err)
	h := handlerstest.NewOn(t, address)
	other := h.With(t, func(c *handlers.Config) { c.Store = sampletest.Open(t, address) })
	h.Watcher.Settled = func(task db.Task) {
		h.App.Settled(task)
		other.App.Settled(task)
	}
	kim := h.Founder(t)
	there := &handlerstest.Browser{T: t, Server: other, Client: kim.Client}
	h.Run(t)
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1, func(r *ordering.Recipe) { r.Ceiling = db.CreditsOf(30) }).ID)
	for n := range rounds {
		// The video fails and its credits are refunded, so that there are always
		// enough.
		form := handlerstest.FilledForm("token", secrets.NewToken(), "blank:product", fmt.Sprint("cup ", n, " #fail"), "blank:place", "oak")
		var answers [2]*handlerstest.Answer
		var all sync.WaitGroup
		for i, p := range []*handlerstest.Browser{kim, there} {
			all.Go(func() { answers[i] = p.Post(path, form) })
		}
		all.Wait()
		for i, a := range answers {
			if a.StatusCode != http.StatusSeeOther {
				t.Fatalf("press %d: process %d answers %d\n%.2000s", n, 1+i, a.StatusCode, a.Text)
			}
		}
		if one, two := answers[0].Header.Get("Location"), answers[1].Header.Get("Location"); one != two {
			t.Fatalf("press %d leads to %s and to %s", n, one, two)
		}
		if sent := h.Wire.Count("/api/ai/generate"); sent != n+1 {
			t.Fatalf("after %d presses %d were sent", n+1, sent)
		}
	}
}
