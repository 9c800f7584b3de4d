package library

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/review"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// NoteList lists the notes on all videos.
type NoteList struct {
	cards  *site.Cards
	guests *video.Guests
	notes  *video.Notes
	pages  *site.Pages
	search *video.Search
}

// listedNotes limits how many notes a page lists.
const listedNotes = 200

// Show lists the notes and the answers that the viewer has not seen; with the field show, the
// notes that are open or done.
func (h *NoteList) Show(w http.ResponseWriter, r *http.Request) error {
	p := libraryview.NoteList{Show: libraryview.NotesShown(r.URL.Query().Get("show")), Makes: site.Me(r).Makes(), Now: db.Now()}
	if err := h.read(r, &p); err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Notes", func(f part.Frame) templ.Component { return libraryview.ShowNoteList(f, p) })
}

// read fills in the notes and answers, and the videos that they are about.
func (h *NoteList) read(r *http.Request, p *libraryview.NoteList) error {
	me := site.Me(r).ID
	var notes []review.Note
	var err error
	if p.Show == libraryview.NewNotes {
		notes, err = h.notes.New(r.Context(), me, listedNotes)
	} else {
		notes, err = h.notes.Open(r.Context(), me, p.Show == libraryview.DoneNotes, listedNotes)
	}
	if err != nil {
		return err
	}
	p.Add(notes)
	tasks, err := h.search.TasksOf(r.Context(), me, p.TaskIDs())
	if err != nil {
		return err
	}
	standings, err := h.guests.Standings(r.Context(), p.TaskIDs(), db.Now())
	if err != nil {
		return err
	}
	for _, t := range tasks {
		p.Describe(h.cards.One(r, t), standings[t.ID])
	}
	return nil
}

// See marks all notes and answers as seen.
func (h *NoteList) See(w http.ResponseWriter, r *http.Request) error {
	err := h.notes.See(r.Context(), site.Me(r).ID, 0)
	return h.pages.Done(w, r, err, "/notes", notesSeen)
}
