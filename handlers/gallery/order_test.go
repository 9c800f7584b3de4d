package gallery_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestAStarIsSharedByTheTeam(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	boats := []db.Task{h.AddTask(t, 1, db.Success), h.AddTask(t, 2, db.Success)}
	failed := h.AddTask(t, 1, db.Failed)
	ada.Post("/tasks/star", handlerstest.ChosenForm(boats, "on", "true", "next", "/gallery?who=me")).Is(303).LeadsTo("/gallery?who=me")
	ada.Get("/gallery").Is(200).Shows("2 videos starred.").Hides(`aria-pressed="false" aria-label="Star`)
	kim.Get("/tasks/1").Is(200).Has("[aria-pressed=true]")
	part := kim.Post("/tasks/star", handlerstest.ChosenForm(boats[:1], "on", "false"), "HX-Request-Type", "partial").Is(200)
	part.Has("#star-1", "[aria-pressed=false]", "[value=true]").Hides("<html", "star now")
	ada.Post("/tasks/star", handlerstest.ChosenForm([]db.Task{failed}, "on", "true")).Is(404)
	ada.Post("/tasks/star", handlerstest.ChosenForm(boats)).Is(422)
	kim.Post("/tasks/star", url.Values{"on": {"true"}, "id": {"1", "x"}}).Is(404)
	kim.Post("/tasks/star", url.Values{"on": {"true"}, "id": strings.Fields(strings.Repeat("1 ", 501))}).Is(422)
}

func TestAFormThatNamesNoPageLeadsBack(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	form := handlerstest.ChosenForm([]db.Task{h.AddTask(t, 1, db.Success)}, "on", "true")
	kim.Post("/tasks/star", form, "Referer", h.URL+"/gallery?q=boat").Is(303).LeadsTo("/gallery?q=boat")
	kim.Post("/tasks/star", form, "Referer", "https://evil.example.com/gallery").Is(303).LeadsTo("/gallery")
	kim.Post("/tasks/star", form).Is(303).LeadsTo("/gallery")
	form.Set("next", "//evil.example.com")
	kim.Post("/tasks/star", form).Is(303).LeadsTo("/")
}

func TestTagsAreAddedAndTakenAway(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	boats := []db.Task{h.AddTask(t, 1, db.Success), h.AddTask(t, 1, db.Success)}
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats, "add", "harbour, <b>fog</b>", "next", "/tasks/1")).Is(303).LeadsTo("/tasks/1")
	kim.Get("/tasks/1").Is(200).Shows("2 videos tagged “harbour”, “&lt;b&gt;fog&lt;/b&gt;”.").Has(`[href="/gallery?tag=harbour"]`, "[value=harbour]").Hides("<b>fog")
	kim.Get("/tasks/1").Is(200).Has(`[href="/gallery?tag=%3Cb%3Efog%3C%2Fb%3E"]`)
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats[:1], "remove", "HARBOUR")).Is(303)
	kim.Get("/tasks/1").Is(200).Shows("No longer tagged “HARBOUR”.").Hides(`?tag=harbour"`)
	kim.Get("/tasks/2").Is(200).Has(`[href="/gallery?tag=harbour"]`)
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats, "add", " , ")).Is(422)
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprint("tag", i)
	}
	kim.Post("/tasks/tag", handlerstest.ChosenForm(boats, "add", strings.Join(many, ","))).Is(422).Shows("20 tags at most")
}

func TestAPrivateVideoIsVisibleOnlyToItsMaker(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	hers, mine := h.AddTask(t, 2, db.Success), h.AddTask(t, 1, db.Success)
	ada.Get("/tasks/1").Is(200).Has("#private-false[checked]")
	ada.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{hers, mine}, "on", "true", "next", "/tasks/1")).Is(303)
	ada.Get("/tasks/1").Is(200).Shows("Private: only you see it. 1 isn’t yours and stays as it is.").Has("#private-true[checked]")
	for _, path := range []string{"/tasks/1", "/tasks/1/status", "/tasks/1/recipe", "/tasks/download?id=1"} {
		kim.Get(path).Is(404)
	}
	kim.Get("/gallery").Is(200).Hides(`"/tasks/1"`)
	ada.Get("/gallery").Is(200).Shows(`"/tasks/1"`, "Private")
	kim.Get("/tasks/2").Is(200).Has("[name=on][value=true][type=radio]")
	ada.Get("/tasks/2").Is(200).Hides("Only me", "Only you")
	kim.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{hers}, "on", "false")).Is(404)
	ada.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{mine}, "on", "true")).Is(303)
	ada.Get("/gallery").Is(200).Shows("It isn’t yours, so it stays as it is.")
	ada.Post("/tasks/private", handlerstest.ChosenForm([]db.Task{hers}, "on", "false")).Is(303)
	kim.Get("/tasks/1").Is(200)
}

func TestDeletingIsUndone(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	tasks := []db.Task{h.AddTask(t, 1, db.Success), h.AddTask(t, 1, db.Failed), h.AddTask(t, 1, db.Processing)}
	kim.Post("/tasks/delete", handlerstest.ChosenForm(tasks, "next", "/gallery?status=all")).Is(303).LeadsTo("/gallery?status=all")
	page := kim.Get("/gallery?status=all").Is(200)
	page.Shows("2 videos are in the bin. 1 isn’t done yet and stays.", "Undo").Has(`[action="/tasks/restore"]`, "[name=id][value=2]", `[value="/gallery?status=all"]`)
	page.Hides(`id="task-1"`, `id="task-2"`).Shows(`id="task-3"`)
	kim.Get("/gallery").Is(200).Hides("Undo")
	ada.Get("/tasks/1").Is(404)
	kim.Get("/tasks/1").Is(200).Shows("is in the bin", "30 days left", "Restore")
	ada.Post("/tasks/restore", handlerstest.ChosenForm(tasks)).Is(404)
	kim.Post("/tasks/delete", handlerstest.ChosenForm(tasks[:1])).Is(303) // the same form once more
	kim.Post("/tasks/restore", handlerstest.ChosenForm(tasks[:2], "next", "/gallery?status=all")).Is(303)
	kim.Post("/tasks/restore", handlerstest.ChosenForm(tasks[:2])).Is(303)
	kim.Get("/gallery?status=all").Is(200).Shows(`id="task-1"`, `id="task-2"`)
	ada.Get("/tasks/1").Is(200)
}

func TestOnlyTheMakerAndAdminsDelete(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t) // an admin
	ada := h.Joiner(t, kim, "ada")
	mine, hers := h.AddTask(t, 1, db.Success), h.AddTask(t, 2, db.Success)
	ada.Get("/tasks/1").Is(200).Lacks(`[action="/tasks/delete"]`)
	kim.Get("/tasks/2").Is(200).Has(`[action="/tasks/delete"]`)
	ada.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{mine})).Is(303)
	ada.Get("/gallery").Is(200).Shows("It isn’t yours, so it stays.", `"/tasks/1"`).Hides("Undo")
	kim.Post("/tasks/delete", handlerstest.ChosenForm([]db.Task{hers})).Is(303)
	kim.Get("/gallery").Is(200).Shows("It’s in the bin.", "Undo").Hides(`"/tasks/2"`)
	ada.Get("/tasks/2").Is(200).Shows("Restore")
}

func TestAnUndoOfManyLeadsToTheBin(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	form := url.Values{}
	for range 400 {
		form.Add("id", fmt.Sprint(h.AddTask(t, 1, db.Success).ID))
	}
	kim.Post("/tasks/delete", form).Is(303)
	kim.Get("/usage").Is(200).Shows("400 videos are in the bin.").Has(`[href="/bin"]`).Hides("Undo")
}

func TestACookieIsNeverTooLarge(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	var ids []string
	other := h.AddTask(t, 1, db.Success)
	for range 315 {
		ids = append(ids, fmt.Sprint(h.AddTask(t, 1, db.Success).ID))
	}
	selection := url.Values{"id": append(ids[:1:1], "1000000000", "2000000000"), "on": {"true"}, "selected": {"1"}, "next": {"/usage"}}
	for i := range 400 {
		selection.Add("id", fmt.Sprint(3_000_000_000+1000*i))
	}
	tags := make([]string, 20)
	for i := range tags {
		tags[i] = strings.Repeat(string(rune('一'+i)), 40)
	}
	kim.Post("/tasks/star", selection).Is(303)
	kim.Post("/tasks/delete", url.Values{"id": ids}).Is(303)
	kim.Get("/usage").Is(200).Has(`[action="/tasks/restore"]`)
	kim.Post("/tasks/tag", url.Values{"id": {fmt.Sprint(other.ID)}, "add": {strings.Join(tags, ",")}}).Is(303)
	kim.Get("/usage").Is(200).Shows("Tagged")
}

func TestAMalformedQueryIsNoServerError(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	form := handlerstest.ChosenForm([]db.Task{h.AddTask(t, 1, db.Success)}, "on", "true")
	kim.Post("/tasks/star?x=%zz;", form).Is(303)
}

func TestDeletedVideosAreNotAmongTheLatest(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	boat := []db.Task{h.AddTask(t, 1, db.Failed)}
	kim.Get("/tasks/latest").Is(200).Shows("a paper boat")
	kim.Post("/tasks/delete", handlerstest.ChosenForm(boat)).Is(303)
	kim.Get("/tasks/latest").Is(200).Hides("a paper boat")
	kim.Post("/tasks/restore", handlerstest.ChosenForm(boat)).Is(303)
	kim.Get("/tasks/latest").Is(200).Shows("a paper boat")
}

func TestTheMessageAboutManyTagsIsShort(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%s%02d", strings.Repeat("港", 38), i))
	}
	kim.Post("/tasks/tag", handlerstest.ChosenForm([]db.Task{h.AddTask(t, 1, db.Success)}, "add", strings.Join(names, ","))).Is(303)
	kim.Get("/gallery").Is(200).Shows("Tagged “"+names[0]+"”", "17 more.")
}
