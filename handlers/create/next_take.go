package create

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/review"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// NextTakes starts the form for the next take of a video, which answers notes.
type NextTakes struct {
	catalog  *videoapi.Catalog
	named    *site.Named
	origins  *Origins
	page     *formPage
	receiver *Receiver
}

// task returns the video in the path, unless it is in the bin.
func (h *NextTakes) task(r *http.Request) (db.Task, error) {
	t, err := h.named.Task(r)
	if err == nil && !t.DeletedAt.IsZero() {
		err = &web.Error{Status: http.StatusConflict, Message: createview.TakeBinned}
	}
	return t, err
}

// Show shows the form with everything of the video, and with the notes. Nothing is made by
// that: the form is sent like any other.
func (h *NextTakes) Show(w http.ResponseWriter, r *http.Request) error {
	t, err := h.task(r)
	if err != nil {
		return err
	}
	v, err := h.origins.Values(r.Context(), t, db.Answered)
	if err != nil {
		return err
	}
	v.Set("from", strconv.FormatInt(t.ID, 10))
	v.Set("use", string(db.Answered))
	v["note"] = r.URL.Query()["note"]
	f := ReadForm(videoapi.Scene(t.Scene), h.catalog, v)
	notes := f.Adapt(h.catalog)
	return h.page.draw(w, r, http.StatusOK, f, nil, notes)
}

// Begin leads to the form. A frame of the video that is sent along becomes its start or, in
// the scene that has them, a reference.
func (h *NextTakes) Begin(w http.ResponseWriter, r *http.Request) error {
	t, err := h.task(r)
	if err != nil {
		return err
	}
	values, came, err := h.receiver.Receive(w, r)
	if err != nil {
		return err
	}
	query := url.Values{}
	for _, id := range NoteIDs(values["note"]) {
		query.Add("note", strconv.FormatInt(id, 10))
	}
	for _, one := range came {
		switch {
		case one.Field != "frame":
		case one.Note.Bad:
			return &web.Error{Status: http.StatusUnprocessableEntity, Message: one.Note.Text}
		default:
			v, err := h.origins.Values(r.Context(), t, db.Answered)
			if err != nil {
				return err
			}
			return web.SeeOther(w, r, framedTake(t, v["image_input"], one.Note.Address, query))
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

// Insert puts the words of the note into the form's prompt, if the form answers it.
func (o *Origins) Insert(r *http.Request, f *Form, id int64) error {
	if id == 0 {
		return nil
	}
	if err := o.Settle(r, f); err != nil {
		return err
	}
	if at := slices.IndexFunc(f.Notes, func(n review.Note) bool { return n.ID == id }); at >= 0 && !strings.Contains(f.Prompt, f.Notes[at].Body) {
		f.Prompt = strings.TrimSpace(f.Prompt + "\n" + f.Notes[at].Body)
	}
	return nil
}
