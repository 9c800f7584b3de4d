package gallery

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Organise stars, tags and hides videos.
type Organise struct {
	pages  *site.Pages
	search *video.Search
	tags   *video.Tags
	tasks  *video.Tasks
}

// Star adds or removes the stars of videos. An htmx request gets the new star.
func (o *Organise) Star(w http.ResponseWriter, r *http.Request) error {
	ids, on, err := site.ChosenAndOn(r)
	if err != nil {
		return err
	}
	done, err := o.tasks.StarTasks(r.Context(), site.Me(r), ids, on)
	if err != nil || len(done) == 0 {
		return site.OrNotFound(err)
	}
	told := func(w http.ResponseWriter, r *http.Request) error {
		return o.pages.BackWith(w, r, ids, site.CameFrom(r), libraryview.Starred(len(done), on))
	}
	if len(ids) > 1 {
		return told(w, r)
	}
	t, err := o.tasks.Task(r.Context(), done[0])
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
func (o *Organise) Tag(w http.ResponseWriter, r *http.Request) error {
	ids, err := site.FormIDs(r)
	if err != nil {
		return err
	}
	add, remove := gallery.TagNames(r.PostFormValue("add")), gallery.TagNames(r.PostFormValue("remove"))
	if len(add)+len(remove) == 0 {
		return site.Unprocessable(noTag)
	}
	done, err := o.tags.TagTasks(r.Context(), site.Me(r), ids, add, remove, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return site.Unprocessable(tagFull)
	}
	if err != nil || len(done) == 0 {
		return site.OrNotFound(err)
	}
	return o.pages.BackWith(w, r, ids, site.CameFrom(r), libraryview.Tagged(len(done), add, remove))
}

// Hide makes videos private to the viewer, or shows them to the team.
func (o *Organise) Hide(w http.ResponseWriter, r *http.Request) error {
	ids, on, err := site.ChosenAndOn(r)
	if err != nil {
		return err
	}
	done, err := o.tasks.PrivateTasks(r.Context(), site.Me(r), ids, on)
	if err != nil {
		return err
	}
	left, err := unchanged(r.Context(), o.search, site.Me(r).ID, ids, done)
	if err != nil || len(done)+len(left) == 0 {
		return site.OrNotFound(err)
	}
	return o.pages.BackWith(w, r, ids, site.CameFrom(r), libraryview.Hidden(len(done), len(left), on))
}

// unchanged returns the chosen videos that the viewer can see and that were not changed.
func unchanged(ctx context.Context, search *video.Search, viewer int64, ids, done []int64) ([]db.Task, error) {
	rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(done, id) })
	if len(rest) == 0 {
		return nil, nil
	}
	return search.TasksOf(ctx, viewer, rest)
}
