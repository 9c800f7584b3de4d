package library

import (
	"net/http"

	"dailies/db"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
)

// Deletion moves videos to the bin and takes them out again.
type Deletion struct {
	bin     *video.Bin
	flashes *site.Flashes
	pages   *site.Pages
	search  *video.Search
	tasks   *video.Tasks
}

// Delete moves videos to the bin. The next page offers to undo that.
func (d *Deletion) Delete(w http.ResponseWriter, r *http.Request) error {
	ids, err := formIDs(r)
	if err != nil {
		return err
	}
	done, err := d.bin.DeleteTasks(r.Context(), site.Me(r), ids, db.Now())
	if err != nil {
		return err
	}
	left, err := unchanged(r.Context(), d.search, site.Me(r).ID, ids, done)
	if err != nil {
		return err
	}
	if len(done)+len(left) == 0 {
		return d.alreadyDeleted(w, r, ids[0])
	}
	if err := d.flashes.LeaveUndo(w, r, done); err != nil {
		return err
	}
	return d.pages.BackTo(w, r, site.CameFrom(r), libraryview.Deleted(len(done), left, site.Me(r)))
}

// Restore takes videos out of the bin.
func (d *Deletion) Restore(w http.ResponseWriter, r *http.Request) error {
	ids, err := formIDs(r)
	if err != nil {
		return err
	}
	done, err := d.bin.RestoreTasks(r.Context(), site.Me(r), ids)
	if err != nil {
		return err
	}
	if len(done) == 0 { // perhaps the form was sent twice
		if there, err := d.search.TasksOf(r.Context(), site.Me(r).ID, ids); err != nil || len(there) == 0 {
			return orNotFound(err)
		}
	}
	return d.pages.BackTo(w, r, site.CameFrom(r), libraryview.Restored(max(len(done), 1)))
}

// alreadyDeleted handles a form that was sent twice: if the video is in the bin already,
// it answers as if it had just been deleted.
func (d *Deletion) alreadyDeleted(w http.ResponseWriter, r *http.Request, id int64) error {
	t, err := d.tasks.Task(r.Context(), id)
	if err != nil || t.DeletedAt.IsZero() || !t.PurgedAt.IsZero() || !t.DeletableBy(site.Me(r)) {
		return orNotFound(err)
	}
	return d.pages.BackTo(w, r, site.CameFrom(r), libraryview.Deleted(1, nil, site.Me(r)))
}
