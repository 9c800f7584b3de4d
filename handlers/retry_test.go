package handlers_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"dailies/db"
)

// formIn returns the fields of the form that makes a video, as the page has them.
func formIn(t *testing.T, a *answer) url.Values {
	t.Helper()
	values := url.Values{}
	_, body, _ := strings.Cut(a.body, `<form id="make"`)
	body, _, _ = strings.Cut(body, "</form>")
	for _, input := range regexp.MustCompile(`<input[^>]*>`).FindAllString(body, -1) {
		part := func(name string) string {
			found := regexp.MustCompile(`\s` + name + `="([^"]*)"`).FindStringSubmatch(input)
			if found == nil {
				return ""
			}
			return found[1]
		}
		if name := part("name"); name != "" && (part("type") != "radio" || strings.Contains(input, " checked")) {
			values.Add(name, part("value"))
		}
	}
	values.Set("prompt", "a paper boat")
	if len(values) < 5 {
		t.Fatalf("the form holds %v", values)
	}
	return values
}

func TestAnotherTryAsksForTheKeyFirst(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.addTask(t, 1, db.Failed)
	h.addTask(t, 1, db.Unconfirmed)
	p.post("/settings/key/delete", nil).is(303)
	for id, verb := range []string{"again", "resend"} {
		p.post(fmt.Sprintf("/tasks/%d/%s", id+1, verb), nil).is(422).shows("There is no API key yet", "what you typed is kept here", "a paper boat")
	}
	p.get("/create/text-to-video").is(200).shows("a paper boat")
	if tasks, err := h.store.LatestTasks(t.Context(), 1, 9); err != nil || len(tasks) != 2 {
		t.Errorf("%d videos, %v", len(tasks), err)
	}
	if old, err := h.store.Task(t.Context(), 2); err != nil || !old.DecidedAt.IsZero() {
		t.Errorf("what was not sent again is decided: %v, %v", old.DecidedAt, err)
	}
}

func TestAnotherTryTellsFirstThatThePriceRose(t *testing.T) {
	for verb, state := range map[string]db.State{"again": db.Failed, "resend": db.Unconfirmed} {
		t.Run(verb, func(t *testing.T) {
			h := newHouse(t)
			p := h.founder(t)
			h.work(t)
			old := h.addTask(t, 1, state)
			h.change(t, old.ID, func(t *db.Task) error {
				t.Quoted, t.Charged, t.Private = db.CreditsOf(30), db.Credits{}, true
				return nil
			})
			h.lastCost(t, h.addTask(t, 1, db.Success).ID, 45)
			path := fmt.Sprintf("/tasks/%d/%s", old.ID, verb)
			page := p.post(path, nil).is(422).shows("the price is about 45 credits", "Nothing was sent", "a paper boat", `name="price_shown" value="1 45"`)
			if now, err := h.store.Task(t.Context(), old.ID); err != nil || !now.DecidedAt.IsZero() {
				t.Fatalf("the old one is decided: %v, %v", now.DecidedAt, err)
			}
			id := made(t, p.post("/create/text-to-video", formIn(t, page)))
			again, err := h.store.Task(t.Context(), id)
			must(t, err)
			if again.ParentID != old.ID || again.Bond != db.Retried || !again.Private || again.Quoted != db.CreditsOf(45) {
				t.Errorf("from the form came %+v", again)
			}
			now, err := h.store.Task(t.Context(), old.ID)
			must(t, err)
			if decided := !now.DecidedAt.IsZero(); decided != (state == db.Unconfirmed) {
				t.Errorf("the old one is decided: %v", decided)
			}
		})
	}
}

func TestAnotherTryAtTheToldPriceIsMade(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	old := h.addTask(t, 1, db.Failed)
	h.lastCost(t, h.addTask(t, 1, db.Success).ID, 45)
	path := fmt.Sprintf("/tasks/%d/again", old.ID)
	p.post(path, nil).is(422)
	first := p.post(path, url.Values{"price_shown": {"1 45"}}).is(303).Header.Get("Location")
	h.lastCost(t, old.ID, 60)
	p.post(path, nil).is(303).leadsTo(first) // a second press, whatever it costs by now
}

func TestSendingAgainLeavesTheButtonWhereNothingCanBeWritten(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	old := h.addTask(t, 1, db.Unconfirmed)
	path := fmt.Sprintf("/tasks/%d/resend", old.ID)
	mend := h.refuse(t, "UPDATE OF decided_at ON tasks")
	p.post(path, nil).is(503).shows(cannotWrite, "a paper boat")
	if tasks, err := h.store.LatestTasks(t.Context(), 1, 9); err != nil || len(tasks) != 1 || !tasks[0].DecidedAt.IsZero() {
		t.Fatalf("%+v, %v", tasks, err)
	}
	mend()
	p.get("/tasks/latest").is(200).shows(`action="` + path + `"`)
	p.post(path, nil).is(303)
	if now, err := h.store.Task(t.Context(), old.ID); err != nil || now.DecidedAt.IsZero() {
		t.Errorf("sent again, and not decided: %v", err)
	}
}
