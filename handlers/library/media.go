package library

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/web"
)

// Media serves the files that are stored here.
type Media struct {
	files *video.Files
	log   *slog.Logger
	media *media.Store
	tasks *video.Tasks
}

// Show serves a stored file to users who may see its video.
func (h *Media) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	m, t, err := h.files.Media(r.Context(), id)
	if err != nil {
		return err
	}
	if !t.VisibleTo(site.Me(r).ID) {
		return web.NotFound()
	}
	file, err := h.open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	// The browser may cache the file but must revalidate it each time, so that after a
	// sign-out the cache shows nothing to the next user of the computer.
	w.Header().Set("Cache-Control", "private, no-cache")
	return h.play(w, r, m, file, t.Title)
}

// open opens the stored file. If it is missing or truncated, its task is marked
// accordingly.
func (h *Media) open(r *http.Request, m db.Media) (media.File, error) {
	open := h.media.Picture
	if m.Kind == db.Video {
		open = h.media.Whole
	}
	file, err := open(r.Context(), m.Hash, m.Size)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	h.log.Error("a kept file is missing", "media", m.ID, "err", err)
	if t, err := h.tasks.Task(r.Context(), m.TaskID); err == nil {
		h.checkFiles(r.Context(), t)
	}
	return nil, &web.Error{
		Status: http.StatusNotFound, Err: err,
		Message: fileGone,
	}
}

// checkTimeout limits how long a page waits for the media storage.
const checkTimeout = 2 * time.Second

// checkFiles checks whether the task's files are present and whole. It returns the task
// with their state, and stores a change. If the storage cannot tell, nothing changes.
func (h *Media) checkFiles(ctx context.Context, t db.Task) db.Task {
	whole := map[string]bool{} // by hash
	asking, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	for _, m := range t.Media {
		is, err := h.media.HasWhole(asking, m.Hash, m.Size)
		if err != nil {
			if !errors.Is(err, db.ErrUnavailable) && asking.Err() == nil { // the storage logs its own failures
				h.log.Error("cannot check whether a file is there", "media", m.ID, "err", err)
			}
			return t
		}
		whole[m.Hash] = is
	}
	look := func(t *db.Task) bool {
		t.Media = slices.Clone(t.Media)
		return t.Reconcile(func(m db.Media) bool {
			is, asked := whole[m.Hash]
			return is || !asked && m.LostAt.IsZero()
		}, db.Now())
	}
	if !look(&t) {
		return t
	}
	if _, err := h.tasks.UpdateTask(ctx, t.ID, func(t *db.Task) error { look(t); return nil }); err != nil {
		h.log.Error("cannot write down what became of a file", "task", t.ID, "err", err)
	}
	return t
}

// play serves the file and supports ranges. A download gets a file name with the title,
// and may be redirected to the bucket.
func (h *Media) play(w http.ResponseWriter, r *http.Request, m db.Media, file media.File, title string) error {
	header := w.Header()
	if r.FormValue("download") != "" {
		name := m.Name(title)
		to, err := h.media.Link(r.Context(), m.Hash, name, m.Type)
		if err != nil {
			return err
		}
		if to != "" {
			header.Set("Cache-Control", "no-store")
			http.Redirect(w, r, to, http.StatusFound)
			return nil
		}
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	header.Set("Content-Type", m.Type)
	header.Set("ETag", `"`+m.Hash+`"`)
	http.ServeContent(web.WithRollingDeadline(w), r, "", m.CreatedAt, file)
	return nil
}
