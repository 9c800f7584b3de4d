package video

import (
	"errors"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
)

// SaveTake makes the video a take of the one in the field with, or of no other if that is empty.
func (h *Video) SaveTake(w http.ResponseWriter, r *http.Request) error {
	page, err := h.find(r)
	if err != nil {
		return err
	}
	if _, err := site.FormValues(r); err != nil {
		return err
	}
	id, typed := page.Card.Task.ID, strings.TrimSpace(site.PlainText(r.PostFormValue("with")))
	with := videoIn(typed)
	switch {
	case typed != "" && with == id:
		page.Takes.Error = libraryview.SameVideo
	case typed != "" && with == 0:
		page.Takes.Error = libraryview.NoSuchVideo
	default:
		err = h.takes.Stack(r.Context(), site.Me(r), id, with)
	}
	if errors.Is(err, db.ErrNotFound) && with != 0 {
		page.Takes.Error, err = libraryview.NoSuchVideo, nil
	}
	if err != nil {
		return err
	}
	if page.Takes.Error != "" {
		page.Takes.With = typed
		return h.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	said := takeMoved
	if with == 0 {
		said = takeRemoved
	}
	return h.pages.SeeOther(w, r, site.TaskPath(id), said)
}

// videoIn returns the ID of the video whose number, or the address of whose page, was typed;
// 0 for anything else.
func videoIn(typed string) int64 {
	if _, after, ok := strings.Cut(typed, "/tasks/"); ok {
		typed = after
	}
	if end := strings.IndexAny(typed, "/?#"); end >= 0 {
		typed = typed[:end]
	}
	return site.ParseID(typed)
}
