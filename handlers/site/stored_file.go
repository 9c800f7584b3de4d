package site

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
	"dailies/web"
)

// StoredFiles opens and sends the files that are stored here.
type StoredFiles struct {
	files *video.Files
	log   *slog.Logger
	media *media.Store
	tasks *video.Tasks
}

// Open opens the stored file. If it is missing or truncated, its task is marked
// accordingly.
func (s *StoredFiles) Open(r *http.Request, m db.Media) (media.File, error) {
	open := s.media.Picture
	if m.Kind == db.Video {
		open = s.media.Whole
	}
	file, err := open(r.Context(), m.Hash, m.Size)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	s.log.Error("a kept file is missing", "media", m.ID, "err", err)
	if t, err := s.tasks.Task(r.Context(), m.TaskID); err == nil {
		s.Check(r.Context(), t)
	}
	return nil, &web.Error{
		Status: http.StatusNotFound, Err: err,
		Message: fileGone,
	}
}

// checkTimeout limits how long a page waits for the media storage.
const checkTimeout = 2 * time.Second

// Check checks whether the task's files are present and whole. It returns the task with
// their state, and stores a change. If the storage cannot tell, nothing changes.
func (s *StoredFiles) Check(ctx context.Context, t db.Task) db.Task {
	whole := map[string]bool{} // by hash
	asking, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	for _, m := range t.Media {
		is, err := s.media.HasWhole(asking, m.Hash, m.Size)
		if err != nil {
			if !errors.Is(err, db.ErrUnavailable) && asking.Err() == nil { // the storage logs its own failures
				s.log.Error("cannot check whether a file is there", "media", m.ID, "err", err)
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
	if _, err := s.tasks.UpdateTask(ctx, t.ID, func(t *db.Task) error { look(t); return nil }); err != nil {
		s.log.Error("cannot write down what became of a file", "task", t.ID, "err", err)
	}
	return t
}

// Redirect redirects a download, under the name, to the bucket if that has links of its
// own. It reports whether it did.
func (s *StoredFiles) Redirect(w http.ResponseWriter, r *http.Request, m db.Media, name string) (done bool, err error) {
	to, err := s.media.Link(r.Context(), m.Hash, name, m.Type)
	if err != nil || to == "" {
		return false, err
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusFound)
	return true, nil
}

// Play sends the file, or the range of it that the request names. With a name, browsers
// save it under that.
func (s *StoredFiles) Play(w http.ResponseWriter, r *http.Request, m db.Media, file media.File, name string) error {
	header := w.Header()
	if name != "" {
		header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	}
	header.Set("Content-Type", m.Type)
	header.Set("ETag", `"`+m.Hash+`"`)
	http.ServeContent(web.WithRollingDeadline(w), r, "", m.CreatedAt, file)
	return nil
}
