package create_test

import (
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/handlers/handlerstest"
)

// formIn returns the fields and values of the form that makes a video in the page.
func formIn(t *testing.T, a *handlerstest.Answer) url.Values {
	t.Helper()
	values := url.Values{}
	_, body, _ := strings.Cut(a.Text, `<form id="make"`)
	body, _, _ = strings.Cut(body, "</form>")
	for _, input := range regexp.MustCompile(`<input[^>]*>`).FindAllString(body, -1) {
		part := func(name string) string {
			found := regexp.MustCompile(`\s` + name + `="([^"]*)"`).FindStringSubmatch(input)
			if found == nil {
				return ""
			}
			return found[1]
		}
		if name := part("name"); name != "" &&
			(part("type") != "radio" && part("type") != "checkbox" || strings.Contains(input, " checked")) {
			values.Add(name, part("value"))
		}
	}
	values.Set("prompt", "a paper boat")
	if len(values) < 5 {
		t.Fatalf("the form holds %v", values)
	}
	return values
}

func TestARetryAsksForTheKeyFirst(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.AddTask(t, 1, db.Failed)
	h.AddTask(t, 1, db.Unconfirmed)
	p.Post("/settings/key/delete", nil).Is(303)
	for id, verb := range []string{"again", "resend"} {
		p.Post(fmt.Sprintf("/tasks/%d/%s", id+1, verb), nil).Is(422).Shows("Add a key first", "Your prompt is kept", "a paper boat")
	}
	p.Get("/create/text-to-video").Is(200).Shows("a paper boat")
	if tasks, err := h.Store.Tasks.LatestTasks(t.Context(), 1, 9); err != nil || len(tasks) != 2 {
		t.Errorf("%d videos, %v", len(tasks), err)
	}
	if old, err := h.Store.Tasks.Task(t.Context(), 2); err != nil || !old.DecidedAt.IsZero() {
		t.Errorf("what was not sent again is decided: %v, %v", old.DecidedAt, err)
	}
}

func TestARetryThatIsNoLongerPossibleSaysWhy(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for verb, state := range map[string]db.State{"again": db.Failed, "resend": db.Unconfirmed} {
		id := h.AddTask(t, 1, state).ID
		h.Change(t, id, func(t *db.Task) error { t.Model = "withdrawn"; return nil })
		p.Post(fmt.Sprintf("/tasks/%d/%s", id, verb), nil).Is(422).Shows("Choose one of these models", "a paper boat")
	}
	if tasks := h.Mine(t, 1); len(tasks) != 2 {
		t.Errorf("%d videos", len(tasks))
	}
}

// Whoever saw the form in place of the video that is being made would pay for another.
func TestARepeatedRetryFindsTheFirstAlthoughTheModelHasLeft(t *testing.T) {
	for verb, state := range map[string]db.State{"again": db.Failed, "resend": db.Unconfirmed} {
		h := handlerstest.New(t)
		p := h.Founder(t)
		h.Run(t)
		id := h.AddTask(t, 1, state).ID
		path, made := fmt.Sprintf("/tasks/%d/%s", id, verb), fmt.Sprintf("/tasks/%d", id+1)
		p.Post(path, nil).Is(303).LeadsTo(made)
		h.Change(t, id, func(t *db.Task) error { t.Model = "withdrawn"; return nil })
		p.Post(path, nil).Is(303).LeadsTo(made)
		if tasks := h.Mine(t, 1); len(tasks) != 2 {
			t.Errorf("%s: %d videos", verb, len(tasks))
		}
	}
}

func TestARetryFirstReportsThatThePriceHasRisen(t *testing.T) {
	for verb, state := range map[string]db.State{"again": db.Failed, "resend": db.Unconfirmed} {
		t.Run(verb, func(t *testing.T) {
			h := handlerstest.New(t)
			p := h.Founder(t)
			h.Run(t)
			old := h.AddTask(t, 1, state)
			h.Change(t, old.ID, func(t *db.Task) error {
				t.Quoted, t.Charged, t.Private = db.CreditsOf(30), db.Credits{}, true
				return nil
			})
			h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 45)
			path := fmt.Sprintf("/tasks/%d/%s", old.ID, verb)
			page := p.Post(path, nil).Is(422).Shows(
				"Now about 45 credits", "Nothing was sent", "a paper boat", `name="price_shown" value="1 45"`,
			)
			if now, err := h.Store.Tasks.Task(t.Context(), old.ID); err != nil || !now.DecidedAt.IsZero() {
				t.Fatalf("the old one is decided: %v, %v", now.DecidedAt, err)
			}
			id := handlerstest.Made(t, p.Post("/create/text-to-video", formIn(t, page)))
			again, err := h.Store.Tasks.Task(t.Context(), id)
			must(t, err)
			if again.ParentID != old.ID || again.Reuse != db.Retried || !again.Private || again.Quoted != db.CreditsOf(45) {
				t.Errorf("from the form came %+v", again)
			}
			now, err := h.Store.Tasks.Task(t.Context(), old.ID)
			must(t, err)
			if decided := !now.DecidedAt.IsZero(); decided != (state == db.Unconfirmed) {
				t.Errorf("the old one is decided: %v", decided)
			}
		})
	}
}

func TestARetryAtTheShownPriceIsMade(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	old := h.AddTask(t, 1, db.Failed)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 45)
	path := fmt.Sprintf("/tasks/%d/again", old.ID)
	p.Post(path, nil).Is(422)
	first := p.Post(path, url.Values{"price_shown": {"1 45"}}).Is(303).Header.Get("Location")
	h.LastCost(t, old.ID, 60)
	p.Post(path, nil).Is(303).LeadsTo(first) // a repeated press, whatever the price is by now
}

func TestSendingAgainLeavesTheButtonWhereNothingCanBeWritten(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	old := h.AddTask(t, 1, db.Unconfirmed)
	path := fmt.Sprintf("/tasks/%d/resend", old.ID)
	mend := h.RefuseWrites(t, "UPDATE OF decided_at ON tasks")
	p.Post(path, nil).Is(503).Shows(handlerstest.CannotWrite, "a paper boat")
	if tasks, err := h.Store.Tasks.LatestTasks(t.Context(), 1, 9); err != nil || len(tasks) != 1 || !tasks[0].DecidedAt.IsZero() {
		t.Fatalf("%+v, %v", tasks, err)
	}
	mend()
	p.Get("/tasks/latest").Is(200).Shows(`action="` + path + `"`)
	p.Post(path, nil).Is(303)
	if now, err := h.Store.Tasks.Task(t.Context(), old.ID); err != nil || now.DecidedAt.IsZero() {
		t.Errorf("sent again, and not decided: %v", err)
	}
}

// The whole limit is held by a video whose create got no clear answer. A new video
// exceeds the limit, but the same one can be sent again in its place.
func TestSendingAgainUsesTheCreditsHeldForTheVideoItReplaces(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 30)
	h.Wire.Divert(func(r *http.Request) (*http.Response, error) { return jsonAnswer(r, "Bad Gateway"), nil })
	h.Run(t)
	form := url.Values{"model": {"veo3"}, "prompt": {"a boat"}}
	p.Post("/create/text-to-video", form).Is(303)
	h.Reaches(t, 2, db.Unconfirmed)
	old, err := h.Store.Tasks.Task(t.Context(), 2)
	must(t, err)
	must(t, h.Store.Limits.SetLimit(
		audit.Acting(t.Context(), audit.Actor{UserID: 1}), 1,
		spending.Limit{Allowance: spending.Own, Credits: 30 + old.Reserved},
	))
	h.Wire.Divert(nil)
	p.Post("/create/text-to-video", form).Is(422)
	p.Post("/tasks/2/resend", nil).Is(303)
	h.Reaches(t, 3, db.Success)
}

func TestResendsAtOnceMakeOneVideo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for verb, state := range map[string]db.State{"again": db.Failed, "resend": db.Unconfirmed} {
		old, before := h.AddTask(t, 1, state), len(h.Mine(t, 1))
		statuses := handlerstest.AtOnce(8, func(int) *handlerstest.Answer {
			return p.Post(fmt.Sprintf("/tasks/%d/%s", old.ID, verb), nil)
		})
		if made := len(h.Mine(t, 1)) - before; made != 1 || statuses[303] != 8 {
			t.Errorf("8 presses of %s made %d videos: %v", verb, made, statuses)
		}
	}
}

// The price has risen, so that "Send it again" led to the form. The form, and the
// button that another tab still shows, are submitted at the same moment, or one after
// the other.
func TestSendingAgainFromTwoPagesMakesOneVideo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	for _, atOnce := range []bool{true, false} {
		old := h.AddTask(t, 1, db.Unconfirmed)
		h.Change(t, old.ID, func(t *db.Task) error { t.Quoted, t.Charged = db.CreditsOf(30), db.Credits{}; return nil })
		h.LastCost(t, h.AddTask(t, 1, db.Success).ID, 45)
		button := fmt.Sprintf("/tasks/%d/resend", old.ID)
		form := formIn(t, p.Post(button, nil).Is(422))
		before := len(h.Mine(t, 1))
		press := func(i int) *handlerstest.Answer {
			if i%2 == 0 {
				return p.Post("/create/text-to-video", form)
			}
			return p.Post(button, url.Values{"price_shown": {"1 45"}})
		}
		if atOnce {
			handlerstest.AtOnce(6, press)
		} else {
			press(0).Is(303)
			press(1) // redirects to the first video, or shows the new price
		}
		if made := len(h.Mine(t, 1)) - before; made != 1 {
			t.Errorf("at once %v: %d videos", atOnce, made)
		}
	}
}

// While the pictures are being checked, the user enters in another tab the service's
// ID of this video.
func TestAVideoThatIsFoundMeanwhileIsNotResent(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var found func()
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found()
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 400, 300)))
	}))
	t.Cleanup(pictures.Close)
	old := h.Recipe(t, 1, db.Pending, func(t *db.Task) { t.Pictures = []string{pictures.URL + "/boat.png"} })
	h.Change(t, old.ID, func(t *db.Task) error { t.State = db.Unconfirmed; return nil })
	found = func() { h.Change(t, old.ID, func(t *db.Task) error { return t.Follow("r-found", db.Now()) }) }
	p.Post(fmt.Sprintf("/tasks/%d/resend", old.ID), nil).Is(409)
	now, err := h.Store.Tasks.Task(t.Context(), old.ID)
	must(t, err)
	if tasks := h.Mine(t, 1); len(tasks) != 1 || now.State != db.Pending || !now.DecidedAt.IsZero() {
		t.Errorf("%d videos; the old one is %s, decided at %v", len(tasks), now.State, now.DecidedAt)
	}
}
