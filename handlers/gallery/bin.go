package gallery

import (
	"net/http"
	"strconv"
	"time"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
)

// ShowBin lists the videos that the viewer has deleted and can restore. Admins see
// everybody's deleted videos that are not private.
func (h *Gallery) ShowBin(w http.ResponseWriter, r *http.Request) error {
	b := libraryview.Bin{All: site.Me(r).IsAdmin()}
	tasks, err := h.bin.Tasks(r.Context(), site.Me(r), site.ParseID(r.FormValue("before")), wall.PerPage+1)
	if err != nil {
		return err
	}
	if len(tasks) > wall.PerPage {
		tasks = tasks[:wall.PerPage]
		b.Last = tasks[wall.PerPage-1].ID
	}
	b.Now = db.Now()
	if b.Own, err = h.bin.BinnedBy(r.Context(), site.Me(r).ID, b.Now); err != nil {
		return err
	}
	if b.Cards, err = h.cards.Of(r, tasks); err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Bin", libraryview.ShowBin(b))
}

// purgeBatch limits how many videos one transaction purges, because it blocks all
// other writes.
const purgeBatch = 5

// EmptyBin permanently deletes the videos that the viewer had in the bin when the page was
// rendered. Videos that others have deleted stay.
func (h *Gallery) EmptyBin(w http.ResponseWriter, r *http.Request) error {
	now := db.Now()
	until := now
	if at, err := strconv.ParseInt(r.PostFormValue("until"), 10, 64); err == nil && at < now.UnixMilli() {
		until = time.UnixMilli(at)
	}
	emptied := 0
	for n := purgeBatch; n == purgeBatch; emptied += n {
		var err error
		if n, err = h.bin.EmptyBin(r.Context(), site.Me(r).ID, until, now, purgeBatch); err != nil {
			return err
		}
	}
	return h.pages.BackTo(w, r, "/bin", libraryview.Emptied(emptied))
}

// Delete moves videos to the bin. The next page offers to undo that.
func (h *Gallery) Delete(w http.ResponseWriter, r *http.Request) error {
	ids, err := site.FormIDs(r)
	if err != nil {
		return err
	}
	done, err := h.bin.DeleteTasks(r.Context(), site.Me(r), ids, db.Now())
	if err != nil {
		return err
	}
	left, err := h.unchanged(r, ids, done)
	if err != nil {
		return err
	}
	if len(done)+len(left) == 0 {
		return h.alreadyDeleted(w, r, ids[0])
	}
	if err := h.flashes.LeaveUndo(w, r, done); err != nil {
		return err
	}
	return h.pages.BackTo(w, r, site.CameFrom(r), libraryview.Deleted(len(done), left, site.Me(r)))
}

// Restore takes videos out of the bin.
func (h *Gallery) Restore(w http.ResponseWriter, r *http.Request) error {
	ids, err := site.FormIDs(r)
	if err != nil {
		return err
	}
	done, err := h.bin.RestoreTasks(r.Context(), site.Me(r), ids)
	if err != nil {
		return err
	}
	if len(done) == 0 { // perhaps the form was sent twice
		if there, err := h.search.TasksOf(r.Context(), site.Me(r).ID, ids); err != nil || len(there) == 0 {
			return site.OrNotFound(err)
		}
	}
	return h.pages.BackTo(w, r, site.CameFrom(r), libraryview.Restored(max(len(done), 1)))
}

// alreadyDeleted handles a form that was sent twice: if the video is in the bin already,
// it answers as if it had just been deleted.
func (h *Gallery) alreadyDeleted(w http.ResponseWriter, r *http.Request, id int64) error {
	t, err := h.tasks.Task(r.Context(), id)
	if err != nil || t.DeletedAt.IsZero() || !t.PurgedAt.IsZero() || !t.DeletableBy(site.Me(r)) {
		return site.OrNotFound(err)
	}
	return h.pages.BackTo(w, r, site.CameFrom(r), libraryview.Deleted(1, nil, site.Me(r)))
}
