package create_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
)

func TestARepeatedSubmissionFindsTheFirstAlthoughThePriceHasRisen(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 30)
	form := url.Values{"token": {secrets.NewToken()}, "model": {"veo3"}, "prompt": {"a tram"}, "price_shown": {"1 30"}}
	first := handlerstest.Made(t, p.Post("/create/text-to-video", form))
	h.Reaches(t, first, db.Success)
	h.LastCost(t, first, 45)
	if second := handlerstest.Made(t, p.Post("/create/text-to-video", form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.Post("/create/text-to-video", handlerstest.WithField(form, "token", secrets.NewToken())).Is(422).Shows("Now about 45 credits", "Nothing was sent")
}

func TestNobodyPaysMoreForARecipeThanItsPageSaid(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 30)
	path := fmt.Sprintf("/recipes/%d", h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Model, r.Ceiling, r.Options = "veo3", db.Credits{}, db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}
	}).ID)
	p.Get(path).Is(200).Has(`[name=price_shown][value="1 30"]`)
	form := handlerstest.FilledForm("token", secrets.NewToken(), "price_shown", "1 30", "blank:product", "cup", "blank:place", "oak")
	first := handlerstest.FilledRecipe(t, p.Post(path, form))
	h.Reaches(t, first, db.Success)
	h.LastCost(t, first, 45)
	if second := handlerstest.FilledRecipe(t, p.Post(path, form)); second != first {
		t.Errorf("a second press made %d beside %d", second, first)
	}
	p.Post(path, handlerstest.WithField(form, "token", secrets.NewToken())).Is(422).Shows("Now about 45 credits", "Nothing was sent").Has(`[name=price_shown][value="1 45"]`, "[value=cup]")
}

// The service's own price decides whether the credits are enough; an estimate may be wrong.
func TestAnEstimateBeyondTheCreditsIsNoRefusal(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 900)
	key, err := h.Sandbox.NewKey(t.Context(), "Kim", 500)
	must(t, err)
	p.Post("/settings/key", url.Values{"key": {key}}).Is(303)
	p.Get("/create/text-to-video?model=veo3").Is(200).Shows("About 900 credits")
	handlerstest.Made(t, p.Post("/create/text-to-video", url.Values{"model": {"veo3"}, "prompt": {"a tram"}}))
}

// With a real service, nobody knows how many credits are left.
func TestASubmissionToARealServiceWakesTheWatcher(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	h.Connect(t, "https://service.example.com")
	h.Run(t)
	woken := 0
	served := h.With(t, func(c *handlers.Config) {
		wake := c.Wake
		c.Wake = func() { woken++; wake() }
	})
	p := served.Stranger(t)
	p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303)
	h.Log.Take()
	p.Get("/create/text-to-video").Is(200)
	p.Post("/create/text-to-video", handlerstest.WithField(handlerstest.GoodForm(), "prompt", "")).Is(422)
	if woken != 0 {
		t.Error("a page woke the watcher")
	}
	handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.GoodForm()))
	if log := h.Log.Take(); woken != 1 || strings.Contains(log, "level=ERROR") {
		t.Errorf("woken %d times, the log is %s", woken, log)
	}
}

// A limit may change after a submission was checked and before it is stored. The reason
// given is that of the limit as it is then.
func TestALimitThatChangesDuringASubmissionIsNamed(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Joiner(t, h.Founder(t), "ada")
	var limits spending.Limits
	h.OnBalance = func() { must(t, h.Store.Limits.SetOfTeam(t.Context(), limits)) }
	h.LastCost(t, h.AddTask(t, 2, db.Success).ID, 30)
	priced := url.Values{"model": {"veo3"}, "prompt": {"a tram"}}
	unpriced := handlerstest.GoodForm()
	for name, tt := range map[string]struct {
		form  url.Values
		until spending.Limits
		want  string
	}{
		"too little is left":   {priced, spending.Limits{Default: db.CreditsOf(40)}, "About 20 credits short: 10 of 40 left this month."},
		"the price is unknown": {unpriced, spending.Limits{Default: db.CreditsOf(900), AskUnpriced: true}, "This has no fixed price, so an admin has to say yes first."},
	} {
		t.Run(name, func(t *testing.T) {
			p.T = t
			must(t, h.Store.Limits.SetOfTeam(t.Context(), spending.Limits{Default: db.CreditsOf(900)}))
			limits = tt.until
			p.Post("/create/text-to-video", handlerstest.WithField(tt.form, "token", secrets.NewToken())).Is(422).Shows(tt.want).Hides("leaves no room for this")
		})
	}
	if made := h.Mine(t, 2); len(made) != 1 {
		t.Errorf("%d videos, want only the one before", len(made))
	}
}

// Practice credits are not real ones: a page that showed those makes no real video.
func TestAPageOfAnotherServiceMakesNothing(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	practice := h.Desk.Current().ID
	p.Get("/create/text-to-video").Is(200).Has(fmt.Sprintf(`[name=service][value="%d"]`, practice))
	failed := h.AddTask(t, 1, db.Failed)
	now := h.Connect(t, "https://service.example.com")
	form := handlerstest.WithField(handlerstest.GoodForm(), "service", fmt.Sprint(practice))
	p.Post("/create/text-to-video", form).Is(422).Shows("Your team uses another video service now").Has(fmt.Sprintf(`[name=service][value="%d"]`, now.ID))
	p.Post(fmt.Sprintf("/tasks/%d/again", failed.ID), nil).Is(422).Shows("Your team uses another video service now")
	if n := len(h.Tasks(t)); n != 1 {
		t.Errorf("there are %d videos", n)
	}
	task, err := h.Store.Tasks.Task(t.Context(), handlerstest.Made(t, p.Post("/create/text-to-video", handlerstest.WithField(form, "service", fmt.Sprint(now.ID)))))
	must(t, err)
	if task.ServiceID != now.ID {
		t.Errorf("it is sent to service %d", task.ServiceID)
	}
}
