package handlers_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
)

// lastCost lets a video of the kind that the forms below ask for cost so much.
func (h *house) lastCost(t *testing.T, id int64, credits float64) {
	t.Helper()
	h.change(t, id, func(t *db.Task) error {
		t.Options, t.Charged = db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}, db.CreditsOf(credits)
		return nil
	})
}

func TestASecondPressFindsTheFirstThoughThePriceRoseInBetween(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	h.lastCost(t, h.addTask(t, 1, db.Success).ID, 30)
	form := url.Values{"token": {db.NewToken()}, "model": {"veo3"}, "prompt": {"a tram"}, "price_shown": {"1 30"}}
	first := made(t, p.post("/create/text-to-video", form))
	h.reaches(t, first, db.Success)
	h.lastCost(t, first, 45)
	if second := made(t, p.post("/create/text-to-video", form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.post("/create/text-to-video", with(form, "token", db.NewToken())).is(422).shows("the price is about 45 credits", "Nothing was sent")
}

func TestNobodyPaysMoreForARecipeThanItsPageSaid(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	h.lastCost(t, h.addTask(t, 1, db.Success).ID, 30)
	path := fmt.Sprintf("/recipes/%d", h.addRecipe(t, 1, func(r *db.Recipe) {
		r.Model, r.Ceiling, r.Options = "veo3", db.Credits{}, db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	p.get(path).is(200).shows(`name="price_shown" value="1 30"`)
	form := fill("token", db.NewToken(), "price_shown", "1 30", "blank:product", "cup", "blank:place", "oak")
	first := filled(t, p.post(path, form))
	h.reaches(t, first, db.Success)
	h.lastCost(t, first, 45)
	if second := filled(t, p.post(path, form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.post(path, with(form, "token", db.NewToken())).is(422).shows("the price is about 45 credits", "Nothing was sent", `name="price_shown" value="1 45"`, `value="cup"`)
}
