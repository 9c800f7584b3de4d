package video_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/db/audit"
	"dailies/handlers/handlerstest"
)

func TestTakesAreOneTileThatOpens(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	other := h.Joiner(t, owner, "Other")
	viewer := h.Joiner(t, owner, "Viewer")
	owner.Post("/members/3/role", url.Values{"role": {"viewer"}}).Is(303)
	first, second, third := h.KeptFilm(t, 1, "a boat"), h.KeptFilm(t, 1, "a red boat"), h.KeptFilm(t, 1, "a tram")
	page := func(task db.Task) string { return fmt.Sprintf("/tasks/%d", task.ID) }
	stack := func(p *handlerstest.Browser, task db.Task, with string) *handlerstest.Answer {
		return p.Post(page(task)+"/stack", url.Values{"with": {with}})
	}
	stack(other, first, fmt.Sprint(second.ID)).Is(303).LeadsTo(page(first))
	for _, p := range []*handlerstest.Browser{owner, viewer} {
		p.Get("/gallery").Is(200).Lacks("#task-1").Has(
			`#task-2 .takes-no[popovertarget=tile-takes][hx-get="/gallery/takes?id=2"]`, `#task-2 a.takes-no[href="/tasks/2#takes"]`, "#tile-takes[popover]", "#task-3").
			Lacks("#task-3 .takes-no")
		p.Get("/gallery/takes?id=2").Is(200).Has(`[href="/tasks/1"]`, `[href="/tasks/2"]`, `[href="/compare?id=1&id=2"]`)
		p.Get("/gallery?q=boat").Is(200).Has(`#task-1 a.takes-no[href="/tasks/1?q=boat#takes"]`, "#task-2 a.takes-no").Lacks(".fan")
		p.Get(page(first)).Is(200).Shows("take 1 of 2").Has(`#takes [href="/tasks/1"][aria-current=page]`, `#takes [href="/tasks/2"]`, `#takes [href="/compare?id=1&id=2"]`)
	}
	viewer.Get(page(first)).Lacks("#stack")
	stack(viewer, first, "").Is(403)
	owner.Get(page(first)).Has(`#stack form[action="/tasks/1/stack"] [name=with]`)
	// A link to the other video's page names it, too.
	stack(owner, third, "http://example.com/tasks/1?q=boat#notes").Is(303)
	owner.Get(page(third)).Shows("take 3 of 3")
	h.Alter(t, second.ID, func(t *db.Task) { t.Private = true })
	other.Get(page(third)).Shows("take 2 of 2").Lacks(`#takes [href="/tasks/2"]`)
	other.Get("/gallery").Lacks(`[href="/tasks/2"]`)
	for _, with := range []string{"1", "4711", "-1", "x", "2", "http://example.com/tasks/"} { // itself, unknown, invisible
		stack(other, first, with).Is(422).Has("#stack-error", `#stack-with[value="`+with+`"]`)
	}
	h.Alter(t, second.ID, func(t *db.Task) { t.Private = false })
	stack(owner, second, "").Is(303)
	stack(owner, second, "").Is(303)
	owner.Get(page(second)).Lacks("#takes")
	entries, err := h.Store.Audit.Entries(t.Context(), audit.Search{Noun: "take", Limit: 9})
	must(t, err)
	if len(entries) != 3 {
		t.Errorf("%+v", entries)
	}
}
