package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"dailies/db"
)

// chosen is a form about the tasks.
func chosen(tasks []db.Task, more ...string) url.Values {
	form := url.Values{}
	for _, t := range tasks {
		form.Add("id", fmt.Sprint(t.ID))
	}
	for i := 0; i+1 < len(more); i += 2 {
		form.Add(more[i], more[i+1])
	}
	return form
}

func TestAStarIsTheTeams(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	boats := []db.Task{h.addTask(t, 1, db.Success), h.addTask(t, 2, db.Success)}
	failed := h.addTask(t, 1, db.Failed)
	ada.post("/tasks/star", chosen(boats, "on", "true", "next", "/gallery?who=me")).is(303).leadsTo("/gallery?who=me")
	ada.get("/gallery").is(200).shows("2 videos have a star now.").hides(`aria-pressed="false" aria-label="Star`)
	kim.get("/tasks/1").is(200).shows(`aria-pressed="true"`)
	part := kim.post("/tasks/star", chosen(boats[:1], "on", "false"), "HX-Request-Type", "partial").is(200)
	part.shows(`id="star-1"`, `aria-pressed="false"`, `value="true"`).hides("<html", "star now")
	ada.post("/tasks/star", chosen([]db.Task{failed}, "on", "true")).is(404)
	ada.post("/tasks/star", chosen(boats)).is(422)
	kim.post("/tasks/star", url.Values{"on": {"true"}, "id": {"1", "x"}}).is(404)
	kim.post("/tasks/star", url.Values{"on": {"true"}, "id": strings.Fields(strings.Repeat("1 ", 501))}).is(422)
}

func TestAFormThatNamesNoPageLeadsBack(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	form := chosen([]db.Task{h.addTask(t, 1, db.Success)}, "on", "true")
	kim.post("/tasks/star", form, "Referer", h.URL+"/gallery?q=boat").is(303).leadsTo("/gallery?q=boat")
	kim.post("/tasks/star", form, "Referer", "https://evil.example.com/gallery").is(303).leadsTo("/gallery")
	kim.post("/tasks/star", form).is(303).leadsTo("/gallery")
	form.Set("next", "//evil.example.com")
	kim.post("/tasks/star", form).is(303).leadsTo("/")
}

func TestTagsAreAddedAndTakenAway(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	boats := []db.Task{h.addTask(t, 1, db.Success), h.addTask(t, 1, db.Success)}
	kim.post("/tasks/tag", chosen(boats, "add", "harbour, <b>fog</b>", "next", "/tasks/1")).is(303).leadsTo("/tasks/1")
	kim.get("/tasks/1").is(200).shows("2 videos are tagged “harbour”, “&lt;b&gt;fog&lt;/b&gt;”.", `href="/gallery?tag=harbour"`, `value="harbour"`).hides("<b>fog")
	kim.get("/gallery").is(200).shows(`href="/gallery?tag=%3Cb%3Efog%3C%2Fb%3E"`)
	kim.post("/tasks/tag", chosen(boats[:1], "remove", "HARBOUR")).is(303)
	kim.get("/tasks/1").is(200).shows("The video is no longer tagged “HARBOUR”.").hides(`?tag=harbour"`)
	kim.get("/tasks/2").is(200).shows(`href="/gallery?tag=harbour"`)
	kim.post("/tasks/tag", chosen(boats, "add", " , ")).is(422)
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprint("tag", i)
	}
	kim.post("/tasks/tag", chosen(boats, "add", strings.Join(many, ","))).is(422).shows("20 tags at most")
}

func TestAPrivateVideoIsItsMakersAlone(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	hers, mine := h.addTask(t, 2, db.Success), h.addTask(t, 1, db.Success)
	ada.get("/tasks/1").is(200).shows("The whole team sees this video")
	ada.post("/tasks/private", chosen([]db.Task{hers, mine}, "on", "true", "next", "/tasks/1")).is(303)
	ada.get("/tasks/1").is(200).shows("The video is private: only you see it. 1 belongs to somebody else and stays as it is.", "Only you see this video")
	for _, path := range []string{"/tasks/1", "/tasks/1/status", "/tasks/1/recipe", "/tasks/download?id=1"} {
		kim.get(path).is(404)
	}
	kim.get("/gallery").is(200).hides(`"/tasks/1"`)
	ada.get("/gallery").is(200).shows(`"/tasks/1"`, "Private")
	kim.get("/tasks/2").is(200).shows("Make it private")
	ada.get("/tasks/2").is(200).hides("Make it private", "Only you")
	kim.post("/tasks/private", chosen([]db.Task{hers}, "on", "false")).is(404)
	ada.post("/tasks/private", chosen([]db.Task{mine}, "on", "true")).is(303)
	ada.get("/gallery").is(200).shows("The video belongs to somebody else and stays as it is.")
	ada.post("/tasks/private", chosen([]db.Task{hers}, "on", "false")).is(303)
	kim.get("/tasks/1").is(200)
}

func TestDeletingIsUndone(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	tasks := []db.Task{h.addTask(t, 1, db.Success), h.addTask(t, 1, db.Failed), h.addTask(t, 1, db.Processing)}
	kim.post("/tasks/delete", chosen(tasks, "next", "/gallery?status=all")).is(303).leadsTo("/gallery?status=all")
	page := kim.get("/gallery?status=all").is(200)
	page.shows("2 videos are in the bin. 1 is not done yet and stays.", "Undo", `action="/tasks/restore"`, `name="id" value="2"`, `value="/gallery?status=all"`)
	page.hides(`"/tasks/1"`, `"/tasks/2"`).shows(`"/tasks/3"`)
	kim.get("/gallery").is(200).hides("Undo")
	ada.get("/tasks/1").is(404)
	kim.get("/tasks/1").is(200).shows("In the bin", "Gone for good in 30 days", "Restore it")
	ada.post("/tasks/restore", chosen(tasks)).is(404)
	kim.post("/tasks/delete", chosen(tasks[:1])).is(303) // a second press
	kim.post("/tasks/restore", chosen(tasks[:2], "next", "/gallery?status=all")).is(303)
	kim.post("/tasks/restore", chosen(tasks[:2])).is(303)
	kim.get("/gallery?status=all").is(200).shows(`"/tasks/1"`, `"/tasks/2"`)
	ada.get("/tasks/1").is(200)
}

func TestOnlyTheMakerAndAdminsDelete(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t) // an admin
	ada := h.joiner(t, kim, "ada")
	mine, hers := h.addTask(t, 1, db.Success), h.addTask(t, 2, db.Success)
	ada.get("/tasks/1").is(200).hides(`action="/tasks/delete"`)
	kim.get("/tasks/2").is(200).shows(`action="/tasks/delete"`)
	ada.post("/tasks/delete", chosen([]db.Task{mine})).is(303)
	ada.get("/gallery").is(200).shows("The video belongs to somebody else and stays.", `"/tasks/1"`).hides("Undo")
	kim.post("/tasks/delete", chosen([]db.Task{hers})).is(303)
	kim.get("/gallery").is(200).shows("The video is in the bin.", "Undo").hides(`"/tasks/2"`)
	ada.get("/tasks/2").is(200).shows("Restore it")
}

func TestAnUndoOfManyLeadsToTheBin(t *testing.T) {
	alone(t)
	h := newHouse(t)
	kim := h.founder(t)
	form := url.Values{}
	for range 400 {
		form.Add("id", fmt.Sprint(h.addTask(t, 1, db.Success).ID))
	}
	kim.post("/tasks/delete", form).is(303)
	kim.get("/usage").is(200).shows("400 videos are in the bin.", `href="/bin"`).hides("Undo")
}

func TestAnAddressWithMistakesIsNoFault(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	form := chosen([]db.Task{h.addTask(t, 1, db.Success)}, "on", "true")
	kim.post("/tasks/star?x=%zz;", form).is(303)
}

func TestWhatIsDeletedIsNotAmongTheLatest(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	boat := []db.Task{h.addTask(t, 1, db.Failed)}
	kim.get("/tasks/latest").is(200).shows("a paper boat")
	kim.post("/tasks/delete", chosen(boat)).is(303)
	kim.get("/tasks/latest").is(200).hides("a paper boat")
	kim.post("/tasks/restore", chosen(boat)).is(303)
	kim.get("/tasks/latest").is(200).shows("a paper boat")
}

func TestManyLongTagsAreToldInShort(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("%s%02d", strings.Repeat("港", 38), i))
	}
	kim.post("/tasks/tag", chosen([]db.Task{h.addTask(t, 1, db.Success)}, "add", strings.Join(names, ","))).is(303)
	kim.get("/gallery").is(200).shows("The video is tagged “"+names[0]+"”", "17 more.")
}
