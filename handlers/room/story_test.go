package room_test

import (
	"fmt"
	"net/url"
	"testing"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// Notes and answers of guests of a storyline are about single scenes.
func TestGuestsOfAStorylineWriteAboutItsScenes(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	first, other := h.KeptFilm(t, 1, "a paper boat"), h.KeptFilm(t, 1, "a tram")
	second := h.Film(t, 1, func(t *db.Task) { t.ParentID, t.Reuse = first.ID, db.Continued })
	link := owner.Share(fmt.Sprintf("/story/%d", first.ID), "Our film", "may", "decide")
	guest := h.Stranger(t)
	about := func(task db.Task, more ...string) url.Values {
		form := url.Values{"task": {fmt.Sprint(task.ID)}, "at": {"0"}, "name": {"Mara"}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return form
	}
	guest.Get(link).Is(200).Has("#note-form", "#verdict").Shows("Scene 1 of 2")
	guest.Post(link+"/notes", about(second, "body", "a larger crane")).Is(303)
	guest.Post(link+"/notes", about(other, "body", "elsewhere")).Is(404)
	guest.Post(link+"/verdict", about(second, "verdict", "approved")).Is(303)
	guest.Post(link+"/verdict", about(other, "verdict", "approved")).Is(404)
	scene := fmt.Sprintf("%s/notes?task=%d", link, second.ID)
	guest.Get(scene).Is(200).Shows("a larger crane", "Scene 2 of 2", "You approved this").Has(fmt.Sprintf(`[data-reel-list] a[href="%s?video=%d"]`, link, first.Media[0].ID))
	guest.Get(link).Is(200).Hides("a larger crane", "You approved this")
	owner.Get(fmt.Sprintf("/tasks/%d/notes", second.ID)).Is(200).Shows("a larger crane", "Approved by Mara")
	owner.Get("/gallery?verdict=approved").Is(200).Has(fmt.Sprintf("#task-%d", second.ID)).Lacks(fmt.Sprintf("#task-%d", first.ID))
	owner.Get("/gallery?verdict=waiting").Is(200).Has(fmt.Sprintf("#task-%d", first.ID)).Lacks(fmt.Sprintf("#task-%d", second.ID), fmt.Sprintf("#task-%d", other.ID))
	// What becomes of the video that somebody watches.
	for _, change := range []func(*db.Task){func(t *db.Task) { t.Private = true }, func(t *db.Task) { t.Private, t.DeletedAt = false, db.Now() }} {
		h.Alter(t, second.ID, change)
		guest.Get(scene).Is(404)
		guest.Post(link+"/notes", about(second, "body", "too late")).Is(404)
	}
}

// A take of a scene is shown in its place, and compared with the others; the film goes on with the
// other scenes.
func TestTakesOfAScene(t *testing.T) {
	h := handlerstest.New(t)
	owner := h.Founder(t)
	first := h.KeptFilm(t, 1, "a paper boat")
	scene := h.Film(t, 1, func(t *db.Task) { t.ParentID, t.Reuse = first.ID, db.Continued })
	link := owner.Share(fmt.Sprintf("/story/%d", first.ID), "Our film", "may", "decide", "takes", "on", "download", "on")
	guest := h.Stranger(t)
	mark := seen(guest.Get(link).Is(200).Lacks("#takes"))
	second := stacked(t, h, 1, "a tram", scene)
	guest.Get(link + "/state?seen=" + mark).Is(200).Shows("something new")
	old, fresh := scene.Media[0].ID, second.Media[0].ID
	take := func(t db.Task) string { return fmt.Sprintf("%s?take=%d", link, t.ID) }
	plays := func(scene, file int64) string {
		return fmt.Sprintf(`[data-reel-list] [data-task="%d"][data-download="%s/media/%d?download=1"]`, scene, link, file)
	}
	guest.Get(link).Is(200).Has("#takes", plays(first.ID, first.Media[0].ID), plays(second.ID, fresh), `[data-reel-download]`).Lacks("#takes a")
	guest.Get(take(second)).Is(200).Shows("Is take 2 the one?", "Scene 2 of 2").Has(fmt.Sprintf(`#takes [href="%s"]`, take(scene)), plays(second.ID, fresh))
	guest.Get(take(scene)).Is(200).Shows("Is take 1 the one?", "Scene 2 of 2").Has(plays(scene.ID, old), plays(first.ID, first.Media[0].ID))
	// What leads to a scene in the list of such a page, leads to the same take.
	guest.Get(fmt.Sprintf("%s?video=%d", link, old)).Is(200).Shows("Is take 1 the one?", "Scene 2 of 2")
	guest.Get(fmt.Sprintf("%s/compare?take=%d&take=%d", link, scene.ID, second.ID)).Is(200).Shows("Take 1", "Take 2").Has(fmt.Sprintf(`.together video[src="%s/media/%d"]`, link, fresh))
	guest.Post(link+"/verdict", url.Values{"task": {fmt.Sprint(second.ID)}, "verdict": {"approved"}, "name": {"Mara"}}).Is(303)
	guest.Get(take(second)).Is(200).Shows("You approved this")
	guest.Get(take(scene)).Is(200).Hides("You approved this")
	owner.Get(fmt.Sprintf("/tasks/%d", second.ID)).Is(200).Shows("Approved by Mara")
	// On a link that shows no takes, one press shows it.
	closed := owner.Share(fmt.Sprintf("/story/%d", first.ID), "Closed", "may", "decide")
	guest.Get(closed).Is(200).Lacks("#takes")
	owner.Get(fmt.Sprintf("/tasks/%d", second.ID)).Is(200).Has(`form[action="/shares/2/takes"]`)
	owner.Post("/shares/2/takes", url.Values{"task": {fmt.Sprint(second.ID)}}).Is(303)
	guest.Get(closed).Is(200).Has("#takes")
}

// A guest who watches a video is told when it is deleted, made private or replaced.
func TestAnOpenPageIsToldWhatBecomesOfItsVideo(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*testing.T, *handlerstest.Server, db.Task)
		want   int
	}{
		"deleted": {func(t *testing.T, h *handlerstest.Server, task db.Task) {
			h.Alter(t, task.ID, func(t *db.Task) { t.DeletedAt = db.Now() })
		}, 404},
		"private": {func(t *testing.T, h *handlerstest.Server, task db.Task) {
			h.Alter(t, task.ID, func(t *db.Task) { t.Private = true })
		}, 404},
		"with another file": {func(t *testing.T, h *handlerstest.Server, task db.Task) {
			h.Alter(t, task.ID, func(t *db.Task) { t.Media[0].Hash = "0123456789abcdef" })
		}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			h := handlerstest.New(t)
			owner := h.Founder(t)
			film := h.KeptFilm(t, 1, "a paper boat")
			link := h.Joiner(t, owner, "ada").Share(page(film), "Our boat", "may", "decide")
			guest := h.Stranger(t)
			mark := seen(guest.Get(link).Is(200))
			guest.Get(link + "/state?seen=" + mark).Is(204)
			tt.change(t, h, film)
			guest.Get(link + "/state?seen=" + mark).Is(tt.want)
		})
	}
}
