package create_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestARepeatedSubmissionFindsTheFirstAlthoughThePriceHasRisen(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 30)
	form := url.Values{"token": {db.NewToken()}, "model": {"veo3"}, "prompt": {"a tram"}, "price_shown": {"1 30"}}
	first := handlerstest.Made(t, p.Post("/create/text-to-video", form))
	h.Reaches(t, first, db.Success)
	h.LastCost(t, first, 45)
	if second := handlerstest.Made(t, p.Post("/create/text-to-video", form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.Post("/create/text-to-video", handlerstest.WithField(form, "token", db.NewToken())).Is(422).Shows("the price is about 45 credits", "Nothing was sent")
}

func TestNobodyPaysMoreForARecipeThanItsPageSaid(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 30)
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1, func(r *db.Recipe) {
		r.Model, r.Ceiling, r.Options = "veo3", db.Credits{}, db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	p.Get(path).Is(200).Has(`[name=price_shown][value="1 30"]`)
	form := handlerstest.FilledForm("token", db.NewToken(), "price_shown", "1 30", "blank:product", "cup", "blank:place", "oak")
	first := filled(t, p.Post(path, form))
	h.Reaches(t, first, db.Success)
	h.LastCost(t, first, 45)
	if second := filled(t, p.Post(path, form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.Post(path, handlerstest.WithField(form, "token", db.NewToken())).Is(422).Shows("the price is about 45 credits", "Nothing was sent").Has(`[name=price_shown][value="1 45"]`, "[value=cup]")
}
