package library

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/review"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// NoteFiles sends the notes on a video as files for other programs.
type NoteFiles struct {
	films *site.Films
	named *site.Named
	notes *video.Notes
}

// CSV sends the notes as a table. Nothing in it begins a formula.
func (h *NoteFiles) CSV(w http.ResponseWriter, r *http.Request) error {
	t, notes, err := h.read(r)
	if err != nil {
		return err
	}
	rows := web.StartCSV(w, noteFileName(t, "csv"))
	_ = rows.Write([]string{"time", "frame", "until", "author", "guest", "body", "done", "internal"}) // the error stays with the writer
	for _, n := range notes {
		at, frame, until := "", "", ""
		if n.IsTimed() {
			at = review.FormatTime(n.At)
		}
		if n.Frame >= 0 {
			frame = strconv.Itoa(n.Frame)
		}
		if n.Until > 0 {
			until = review.FormatTime(n.Until)
		}
		_ = rows.Write([]string{
			at, frame, until, format.Cell(n.Author.Called()), strconv.FormatBool(n.Author.IsGuest()), format.Cell(n.Words()), strconv.FormatBool(n.IsDone()), strconv.FormatBool(n.Internal),
		})
	}
	rows.Flush()
	return nil
}

// EDL sends the notes as a list of markers in the format CMX 3600. Its timecode begins at the
// field "start" of the query.
func (h *NoteFiles) EDL(w http.ResponseWriter, r *http.Request) error {
	return h.markers(w, r, "edl", "text/plain; charset=utf-8", review.WriteEDL)
}

// FCPXML sends the notes as markers on the video in the format FCPXML 1.10.
func (h *NoteFiles) FCPXML(w http.ResponseWriter, r *http.Request) error {
	return h.markers(w, r, "fcpxml", "application/xml; charset=utf-8", review.WriteFCPXML)
}

func (h *NoteFiles) markers(w http.ResponseWriter, r *http.Request, ext, kind string, write func(io.Writer, review.Film, []review.Note) error) error {
	t, notes, err := h.read(r)
	if err != nil {
		return err
	}
	slices.SortStableFunc(notes, func(a, b review.Note) int { return cmp.Compare(max(0, a.At), max(0, b.At)) }) // also answers
	var file bytes.Buffer
	film := h.films.Of(r.Context(), t).Film
	var ok bool
	if film.Start, ok = review.ParseStart(r.FormValue("start")); !ok {
		return &web.Error{Status: http.StatusUnprocessableEntity, Message: libraryview.NoSuchStart}
	}
	if err := write(&file, film, notes); err != nil {
		return err
	}
	Attach(w, kind, noteFileName(t, ext))
	_, _ = w.Write(file.Bytes()) // the browser may have disconnected
	return nil
}

func (h *NoteFiles) read(r *http.Request) (db.Task, []review.Note, error) {
	t, err := h.named.Task(r)
	if err != nil {
		return t, nil, err
	}
	notes, err := h.notes.Of(r.Context(), t.ID)
	return t, notes, err
}

func noteFileName(t db.Task, ext string) string { return fmt.Sprintf("notes-%d.%s", t.ID, ext) }
