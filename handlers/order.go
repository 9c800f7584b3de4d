package handlers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// starTasks stars videos, or takes their stars away. A card that asks for a
// part gets its star.
func (a *App) starTasks(w http.ResponseWriter, r *http.Request) error {
	ids, on, err := chosenAndOn(r)
	if err != nil {
		return err
	}
	done, err := a.Store.StarTasks(r.Context(), site.Me(r), ids, on)
	if err != nil || len(done) == 0 {
		return orNotFound(err)
	}
	told := func(w http.ResponseWriter, r *http.Request) error {
		return a.BackTo(w, r, site.CameFrom(r), libraryview.Starred(len(done), on))
	}
	if len(ids) > 1 {
		return told(w, r)
	}
	t, err := a.Store.Task(r.Context(), done[0])
	if err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.Star(part.Card{Task: t}), told)
}

// tagTasks files videos under tags, or takes them out of some.
func (a *App) tagTasks(w http.ResponseWriter, r *http.Request) error {
	ids, err := collectedIDs(r)
	if err != nil {
		return err
	}
	add, remove := db.TagNames(r.PostFormValue("add")), db.TagNames(r.PostFormValue("remove"))
	if len(add)+len(remove) == 0 {
		return unfit("Type a tag first.")
	}
	done, err := a.Store.TagTasks(r.Context(), site.Me(r), ids, add, remove, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return unfit("A video has 20 tags at most. Nothing was changed.")
	}
	if err != nil || len(done) == 0 {
		return orNotFound(err)
	}
	return a.BackTo(w, r, site.CameFrom(r), libraryview.Tagged(len(done), add, remove))
}

// hideTasks makes videos private to the viewer, or shows them to the team.
func (a *App) hideTasks(w http.ResponseWriter, r *http.Request) error {
	ids, on, err := chosenAndOn(r)
	if err != nil {
		return err
	}
	done, err := a.Store.PrivateTasks(r.Context(), site.Me(r), ids, on)
	if err != nil {
		return err
	}
	left, err := a.leftOut(r.Context(), site.Me(r).ID, ids, done)
	if err != nil || len(done)+len(left) == 0 {
		return orNotFound(err)
	}
	return a.BackTo(w, r, site.CameFrom(r), libraryview.Hidden(len(done), len(left), on))
}

// deleteTasks puts videos into the bin. The page after it offers to undo that.
func (a *App) deleteTasks(w http.ResponseWriter, r *http.Request) error {
	ids, err := collectedIDs(r)
	if err != nil {
		return err
	}
	done, err := a.Store.DeleteTasks(r.Context(), site.Me(r), ids, db.Now())
	if err != nil {
		return err
	}
	left, err := a.leftOut(r.Context(), site.Me(r).ID, ids, done)
	if err != nil {
		return err
	}
	if len(done)+len(left) == 0 {
		return a.deletedBefore(w, r, ids[0])
	}
	if err := a.LeaveUndo(w, r, done); err != nil {
		return err
	}
	return a.BackTo(w, r, site.CameFrom(r), libraryview.Deleted(len(done), left, site.Me(r)))
}

// restoreTasks takes videos out of the bin.
func (a *App) restoreTasks(w http.ResponseWriter, r *http.Request) error {
	ids, err := collectedIDs(r)
	if err != nil {
		return err
	}
	done, err := a.Store.RestoreTasks(r.Context(), site.Me(r), ids)
	if err != nil {
		return err
	}
	if len(done) == 0 { // a second press, perhaps
		if there, err := a.Store.TasksOf(r.Context(), site.Me(r).ID, ids); err != nil || len(there) == 0 {
			return orNotFound(err)
		}
	}
	return a.BackTo(w, r, site.CameFrom(r), libraryview.Restored(max(len(done), 1)))
}

// deletedBefore answers a second press: the video is in the bin already.
func (a *App) deletedBefore(w http.ResponseWriter, r *http.Request, id int64) error {
	t, err := a.Store.Task(r.Context(), id)
	if err != nil || t.DeletedAt.IsZero() || !t.PurgedAt.IsZero() || !t.DeletableBy(site.Me(r)) {
		return orNotFound(err)
	}
	return a.BackTo(w, r, site.CameFrom(r), libraryview.Deleted(1, nil, site.Me(r)))
}

// chosenAndOn are the videos that came with the form, and which way.
func chosenAndOn(r *http.Request) ([]int64, bool, error) {
	ids, err := collectedIDs(r)
	if err != nil {
		return nil, false, err
	}
	on, err := strconv.ParseBool(r.PostFormValue("on"))
	if err != nil {
		return nil, false, unfit("The form does not say which way.")
	}
	return ids, on, nil
}

// leftOut are the chosen videos that the viewer sees and that nothing was done
// with.
func (a *App) leftOut(ctx context.Context, viewer int64, ids, done []int64) ([]db.Task, error) {
	rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(done, id) })
	if len(rest) == 0 {
		return nil, nil
	}
	return a.Store.TasksOf(ctx, viewer, rest)
}

// orderPage fills in what the page of a video needs to file it.
func (a *App) orderPage(r *http.Request, page *libraryview.TaskPage) error {
	page.MayDelete = page.Card.Task.DeletableBy(site.Me(r))
	tags, err := a.Store.Tags(r.Context(), site.Me(r).ID)
	for _, t := range tags {
		page.Tags = append(page.Tags, t.Name)
	}
	return err
}
