package create

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/handlers/form"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// BeginNextScene stores the frame picked from a video like any uploaded picture, and redirects
// to the form for the next scene, which starts with this picture, or to that of a new cast
// member.
func (h *Create) BeginNextScene(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.Task(r)
	if err != nil {
		return err
	}
	if !t.PlayableFor(site.Me(r).ID) {
		return fmt.Errorf("task %d has no next scene: %w", t.ID, db.ErrConflict)
	}
	if !h.network.CanFetchUploads() {
		return h.refuseFrame(w, r, createview.UploadsOff)
	}
	values, came, err := h.pictures.Receive(w, r)
	if err != nil {
		return err
	}
	note := createview.BadPicture(createview.FrameMissing)
	for _, one := range came {
		if one.Field == "frame" {
			note = one.Note
		}
	}
	if note.Bad {
		return h.refuseFrame(w, r, note.Text)
	}
	if slices.Contains(values["to"], "cast") {
		return web.SeeOther(w, r, "/cast/new?"+url.Values{"picture": {note.Address}}.Encode())
	}
	return h.pages.SeeOther(w, r, nextForm(t, note.Address), nextBegun(values.Get("at")))
}

// nextForm returns the URL of the form that starts with the frame. It reuses the
// video's settings, but not its prompt.
func nextForm(t db.Task, frame string) string {
	query := url.Values{"from": {strconv.FormatInt(t.ID, 10)}, "use": {string(db.Continued)}, "image_input": {frame}, "prompt": {""}}
	return "/create/" + string(videoapi.ImageToVideo) + "?" + query.Encode()
}

// unbinnedTask returns the video in the path, unless it is in the bin.
func (h *Create) unbinnedTask(r *http.Request) (db.Task, error) {
	t, err := h.named.Task(r)
	if err == nil && !t.DeletedAt.IsZero() {
		err = &web.Error{Status: http.StatusConflict, Message: createview.TakeBinned}
	}
	return t, err
}

// ShowNextTake shows the form for the next take of the video, with everything of it and with
// the notes that it answers. Nothing is made by that: the form is sent like any other.
func (h *Create) ShowNextTake(w http.ResponseWriter, r *http.Request) error {
	t, err := h.unbinnedTask(r)
	if err != nil {
		return err
	}
	f, err := h.making.Taken(r.Context(), t, db.Answered)
	if err != nil {
		return err
	}
	f.From, f.Use, f.NoteIDs = t.ID, db.Answered, form.NoteIDs(r.URL.Query()["note"])
	notes := f.Adapt(h.catalog)
	return h.draw(w, r, http.StatusOK, f, nil, notes)
}

// BeginNextTake leads to the form. A frame of the video that is sent along becomes its start
// or, in the scene that has them, a reference.
func (h *Create) BeginNextTake(w http.ResponseWriter, r *http.Request) error {
	t, err := h.unbinnedTask(r)
	if err != nil {
		return err
	}
	values, came, err := h.pictures.Receive(w, r)
	if err != nil {
		return err
	}
	query := url.Values{}
	for _, id := range form.NoteIDs(values["note"]) {
		query.Add("note", strconv.FormatInt(id, 10))
	}
	for _, one := range came {
		switch {
		case one.Field != "frame":
		case one.Note.Bad:
			return &web.Error{Status: http.StatusUnprocessableEntity, Message: one.Note.Text}
		default:
			f, err := h.making.Taken(r.Context(), t, db.Answered)
			if err != nil {
				return err
			}
			return web.SeeOther(w, r, framedTake(t, f.Pictures, one.Note.Address, query))
		}
	}
	return web.SeeOther(w, r, strings.TrimSuffix(part.NextTakePath(t.ID)+"?"+query.Encode(), "?"))
}

// framedTake returns the address of the form for the next take with the picture beside, or in
// place of, those that it has.
func framedTake(t db.Task, pictures []string, picture string, query url.Values) string {
	scene := videoapi.Scene(t.Scene)
	switch {
	case scene == videoapi.ReferenceToVideo:
		pictures = append(pictures, picture)
	case len(pictures) > 0:
		pictures[0] = picture
	default:
		scene, pictures = videoapi.ImageToVideo, []string{picture}
	}
	query.Set("from", strconv.FormatInt(t.ID, 10))
	query.Set("use", string(db.Answered))
	query["image_input"] = pictures
	return part.ScenePath(scene) + "?" + query.Encode()
}
