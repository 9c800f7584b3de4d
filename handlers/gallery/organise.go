package gallery

import (
	"errors"
	"net/http"
	"slices"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Star adds or removes the stars of videos. An htmx request gets the new star.
func (h *Gallery) Star(w http.ResponseWriter, r *http.Request) error {
	ids, on, err := site.ChosenAndOn(r)
	if err != nil {
		return err
	}
	done, err := h.tasks.StarTasks(r.Context(), site.Me(r), ids, on)
	if err != nil || len(done) == 0 {
		return site.OrNotFound(err)
	}
	told := func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.BackWith(w, r, ids, site.CameFrom(r), libraryview.Starred(len(done), on))
	}
	if len(ids) > 1 {
		return told(w, r)
	}
	t, err := h.tasks.Task(r.Context(), done[0])
	if err != nil {
		return err
	}
	star := libraryview.Star(&part.Card{Task: t})
	if r.PostFormValue("place") == "viewer" {
		star = libraryview.ViewerStar(part.Card{Task: t})
	}
	return web.Part(w, r, http.StatusOK, star, told)
}

// Tag adds tags to videos and removes others.
func (h *Gallery) Tag(w http.ResponseWriter, r *http.Request) error {
	ids, err := site.FormIDs(r)
	if err != nil {
		return err
	}
	add, remove := gallery.TagNames(r.PostFormValue("add")), gallery.TagNames(r.PostFormValue("remove"))
	if len(add)+len(remove) == 0 {
		return site.Unprocessable(noTag)
	}
	done, err := h.tags.TagTasks(r.Context(), site.Me(r), ids, add, remove, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return site.Unprocessable(tagFull)
	}
	if err != nil || len(done) == 0 {
		return site.OrNotFound(err)
	}
	return h.pages.BackWith(w, r, ids, site.CameFrom(r), libraryview.Tagged(len(done), add, remove))
}

// Hide makes videos private to the viewer, or shows them to the team.
func (h *Gallery) Hide(w http.ResponseWriter, r *http.Request) error {
	ids, on, err := site.ChosenAndOn(r)
	if err != nil {
		return err
	}
	done, err := h.tasks.PrivateTasks(r.Context(), site.Me(r), ids, on)
	if err != nil {
		return err
	}
	left, err := h.unchanged(r, ids, done)
	if err != nil || len(done)+len(left) == 0 {
		return site.OrNotFound(err)
	}
	return h.pages.BackWith(w, r, ids, site.CameFrom(r), libraryview.Hidden(len(done), len(left), on))
}

// unchanged returns the chosen videos that the viewer can see and that were not changed.
func (h *Gallery) unchanged(r *http.Request, ids, done []int64) ([]db.Task, error) {
	rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(done, id) })
	if len(rest) == 0 {
		return nil, nil
	}
	return h.search.TasksOf(r.Context(), site.Me(r).ID, rest)
}
