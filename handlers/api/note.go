package api

import (
	"net/http"

	"dailies/db"
	"dailies/db/store/video"
	"dailies/views/record"
)

// Notes tells what was said about videos.
type Notes struct {
	*Videos
	guests *video.Guests
	notes  *video.Notes
}

// List answers with the notes on the video, and with what guests decided about it: those
// that its page shows the person. Nothing counts as seen, because a program reads it.
func (h *Notes) List(w http.ResponseWriter, r *http.Request, c Caller) error {
	t, err := h.find(r.Context(), r, c)
	if err != nil {
		return err
	}
	found, err := h.notes.Of(r.Context(), t.ID)
	if err != nil {
		return err
	}
	standings, err := h.guests.Standings(r.Context(), []int64{t.ID}, db.Now())
	if err != nil {
		return err
	}
	list := struct {
		Notes    []record.Note    `json:"notes"`
		Verdicts []record.Verdict `json:"verdicts"`
	}{[]record.Note{}, []record.Verdict{}}
	for _, n := range found {
		list.Notes = append(list.Notes, record.NoteOf(n))
	}
	for _, v := range standings[t.ID].Verdicts {
		list.Verdicts = append(list.Verdicts, record.VerdictOf(v))
	}
	return sendJSON(w, http.StatusOK, list)
}
