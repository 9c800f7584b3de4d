package video

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
	"dailies/web/picture"
)

// hasSpace reports whether there is space for so many bytes that are not part of a video.
func (h *Video) hasSpace(ctx context.Context, bytes int) (bool, error) {
	if h.space == nil {
		return true, nil
	}
	space, err := h.space(ctx)
	return int64(bytes) <= space.ForUploads(), err
}

// maxCover limits, in bytes, a request with a cover: the picture and the multipart
// encoding around it.
const maxCover = picture.MaxStillBytes + 16<<10

// AddCover accepts a cover that a browser has drawn from a stored video that came without
// one. Only the video's maker and admins may send it, because it could be any picture,
// and the whole team would see it. The Location header of the answer is the path of the
// video's cover, be it this one or an earlier one.
func (h *Video) AddCover(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.Task(r)
	if err != nil {
		return err
	}
	if _, has := t.Cover(); !has {
		if !t.NeedsCover() {
			return db.ErrConflict
		}
		if !site.Me(r).MayDrawCover(t) {
			return &web.Error{Status: http.StatusForbidden, Message: libraryview.ThumbnailDenied}
		}
		still, err := h.readCover(w, r)
		if err != nil {
			return err
		}
		if t, err = h.storeCover(r.Context(), t.ID, still); err != nil {
			return err
		}
	}
	w.Header().Set("Location", libraryview.CoverPath(t))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// readCover returns the picture in the request, re-encoded as a JPEG.
func (h *Video) readCover(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	end, err := h.uploads.StartSending(w, r, site.Me(r).ID)
	if err != nil {
		return nil, err
	}
	defer end()
	h.uploads.Patient(w, r)
	file, _, err := r.FormFile("poster")
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, site.CutOff(err)
	case err != nil:
		return nil, noPoster(err)
	}
	defer file.Close()
	leave, err := h.uploads.Judges.Take(r.Context(), site.PersonKey(site.Me(r).ID, site.EachJudged))
	if err != nil {
		return nil, err
	}
	defer leave()
	still, _, err := picture.Still(file)
	if err != nil {
		return nil, noPoster(err)
	}
	return still, nil
}

func noPoster(err error) error {
	return &web.Error{Status: http.StatusUnprocessableEntity, Message: libraryview.ThumbnailOdd, Err: err}
}

// storeCover stores the picture if the video still has no cover. Within this process, covers
// are stored one at a time, so that a second one for the same video finds the first;
// between processes, the database decides.
func (h *Video) storeCover(ctx context.Context, id int64, still []byte) (db.Task, error) {
	h.storing.Lock()
	defer h.storing.Unlock()
	t, err := h.tasks.Task(ctx, id)
	if err != nil || !t.NeedsCover() {
		return t, err
	}
	if has, err := h.hasSpace(ctx, len(still)); err != nil || !has {
		return t, errors.Join(err, db.ErrConflict)
	}
	m := db.Media{Type: "image/jpeg", CreatedAt: db.Now()}
	if m.Hash, m.Size, err = h.media.Put(ctx, bytes.NewReader(still), picture.MaxBytes); err != nil {
		return t, err
	}
	kept, err := h.tasks.UpdateTask(ctx, id, func(t *db.Task) error { return t.TakeCover(m) })
	if errors.Is(err, db.ErrConflict) { // another process was first
		if err := h.files.LeaveOver(ctx, m.CreatedAt, m.Hash); err != nil {
			return t, err
		}
		return h.tasks.Task(ctx, id)
	}
	return kept, err
}

// RemoveCover removes a cover that a browser has drawn, so that it is drawn again. Only the
// video's maker and admins may do so.
func (h *Video) RemoveCover(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.Task(r)
	if err != nil {
		return err
	}
	if !site.Me(r).MayDrawCover(t) {
		return web.NotFound()
	}
	if err := h.files.RemovePoster(r.Context(), t.ID, db.Now()); err != nil {
		return err
	}
	return h.pages.BackTo(w, r, site.TaskPath(t.ID), libraryview.NewThumbnail)
}

// ShowFile serves a stored file to users who may see its video. A download gets a file name
// with the title, and may be redirected to the bucket.
func (h *Video) ShowFile(w http.ResponseWriter, r *http.Request, id int64) error {
	m, t, err := h.files.Media(r.Context(), id)
	if err != nil {
		return err
	}
	if !t.VisibleTo(site.Me(r).ID) {
		return web.NotFound()
	}
	file, err := h.stored.Open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	// The browser may cache the file but must revalidate it each time, so that after a
	// sign-out the cache shows nothing to the next user of the computer.
	w.Header().Set("Cache-Control", "private, no-cache")
	name := ""
	if r.FormValue("download") != "" {
		name = m.Title(t.Heading())
		if done, err := h.stored.Redirect(w, r, m, name); done || err != nil {
			return err
		}
	}
	return h.stored.Play(w, r, m, file, name)
}
