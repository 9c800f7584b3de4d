package handlers

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

// maxPoster bounds the request with a poster: the picture and what is around it.
const maxPoster = picture.MaxStillBytes + 16<<10

// addPoster takes the picture that the browser of a video's maker, or of an
// admin, has drawn from a kept video that came without one: whoever else could
// send any picture, and the whole team would see it. The answer says where the video's picture is,
// be it this one or another that was first.
func (a *App) addPoster(w http.ResponseWriter, r *http.Request) error {
	t, err := a.Task(r)
	if err != nil {
		return err
	}
	if _, has := t.Cover(); !has {
		if !t.NeedsCover() {
			return db.ErrConflict
		}
		if !t.PosedBy(site.Me(r)) {
			return &web.Error{Status: http.StatusForbidden, Message: "The picture of a video comes from its maker, or from an admin."}
		}
		still, err := a.readPoster(w, r)
		if err != nil {
			return err
		}
		if t, err = a.keepPoster(r.Context(), t.ID, still); err != nil {
			return err
		}
	}
	w.Header().Set("Location", libraryview.CoverPath(t))
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// readPoster is the picture in the request, drawn anew.
func (a *App) readPoster(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	end, err := a.Intake.StartSending(w, r)
	if err != nil {
		return nil, err
	}
	defer end()
	a.Intake.Patient(w, r)
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
	leave, err := a.Intake.Judges.Take(r.Context(), site.PersonKey(site.Me(r).ID, site.EachJudged))
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
	return &web.Error{Status: http.StatusUnprocessableEntity, Message: "This is no picture that a card can show.", Err: err}
}

// keepPoster keeps the picture, if the video still has none. One is kept after
// the other, so that a second one of the same video finds the first.
func (a *App) keepPoster(ctx context.Context, id int64, still []byte) (db.Task, error) {
	a.posters.Lock()
	defer a.posters.Unlock()
	t, err := a.Store.Task(ctx, id)
	if err != nil || !t.NeedsCover() {
		return t, err
	}
	if room, err := a.roomFor(ctx, len(still)); err != nil || !room {
		return t, errors.Join(err, db.ErrConflict)
	}
	m := db.Media{Type: "image/jpeg", CreatedAt: db.Now()}
	// A second process may have been first; then the blob of this one is an
	// orphan that the next check names.
	if m.Hash, m.Size, err = a.Media.Put(ctx, bytes.NewReader(still), picture.MaxBytes); err != nil {
		return t, err
	}
	kept, err := a.Store.UpdateTask(ctx, id, func(t *db.Task) error { return t.TakeCover(m) })
	if errors.Is(err, db.ErrConflict) {
		return a.Store.Task(ctx, id)
	}
	return kept, err
}

// removePoster takes the picture away that a browser has drawn of a video, so
// that it is drawn anew. It is for the video's maker and admins.
func (a *App) removePoster(w http.ResponseWriter, r *http.Request) error {
	t, err := a.Task(r)
	if err != nil {
		return err
	}
	if !t.PosedBy(site.Me(r)) {
		return web.NotFound()
	}
	if err := a.Store.RemovePoster(r.Context(), t.ID, db.Now()); err != nil {
		return err
	}
	return a.BackTo(w, r, site.TaskPath(t.ID), "The picture is gone. A new one is drawn when you look at the video in the gallery.")
}
