package library

import (
	"cmp"
	"fmt"
	"slices"

	"dailies/db/review"
	"dailies/views/part"
)

// NotesShown says which notes the page with the notes on all videos shows.
type NotesShown string

// The notes that can be shown. Any other value stands for NewNotes.
const (
	NewNotes  NotesShown = ""
	OpenNotes NotesShown = "open"
	DoneNotes NotesShown = "done"
)

// A NoteList holds notes, with the answers of guests, by video.
type NoteList struct {
	Show   NotesShown
	Groups []NoteGroup
}

// A NoteGroup holds what was said about one video, the newest first.
type NoteGroup struct {
	Card     part.Card
	Approval review.Approval
	Items    []NoteItem
}

// A NoteItem is a note, or an answer of a guest.
type NoteItem struct{ Note review.Note }

// whoIs says what the name alone does not.
func (i NoteItem) whoIs() string {
	switch {
	case i.Note.Author.IsGuest():
		return "(name typed by a guest)"
	case i.Note.Internal:
		return "Only for us"
	}
	return ""
}

// Add adds the notes to the groups of their videos. The group with the newest of them is the
// first.
func (l *NoteList) Add(notes []review.Note) {
	for _, n := range notes {
		at := slices.IndexFunc(l.Groups, func(g NoteGroup) bool { return g.Card.Task.ID == n.TaskID })
		if at < 0 {
			at = len(l.Groups)
			l.Groups = append(l.Groups, NoteGroup{})
			l.Groups[at].Card.Task.ID = n.TaskID
		}
		l.Groups[at].Items = append(l.Groups[at].Items, NoteItem{Note: n})
	}
	newest := func(a, b NoteItem) int { return b.Note.CreatedAt.Compare(a.Note.CreatedAt) }
	for _, g := range l.Groups {
		slices.SortStableFunc(g.Items, newest)
	}
	slices.SortStableFunc(l.Groups, func(a, b NoteGroup) int {
		return cmp.Or(newest(a.Items[0], b.Items[0]), cmp.Compare(b.Card.Task.ID, a.Card.Task.ID))
	})
}

// TaskIDs returns the IDs of the videos.
func (l *NoteList) TaskIDs() (ids []int64) {
	for _, g := range l.Groups {
		ids = append(ids, g.Card.Task.ID)
	}
	return ids
}

// Describe fills in the video's card, and what guests decided about it.
func (l *NoteList) Describe(c part.Card, s review.Approval) {
	for i := range l.Groups {
		if l.Groups[i].Card.Task.ID == c.Task.ID {
			l.Groups[i].Card, l.Groups[i].Approval = c, s
		}
	}
}

// count returns how many notes and answers are listed.
func (l NoteList) count() (n int) {
	for _, g := range l.Groups {
		n += len(g.Items)
	}
	return n
}

// empty says that nothing is listed.
func (l NoteList) empty() string {
	switch l.Show {
	case OpenNotes:
		return "No open notes"
	case DoneNotes:
		return "Nothing done yet"
	}
	return "Nothing new"
}

// path returns the address of the page that shows others.
func (s NotesShown) path() string {
	if s == NewNotes {
		return "/notes"
	}
	return "/notes?show=" + string(s)
}

// to returns the address of the note on the video's page.
func (i NoteItem) to(c part.Card) string {
	return fmt.Sprintf("%s/notes#note-%d", c.Path(), i.Note.ID)
}

// isOpen reports whether the note can be closed.
func (i NoteItem) isOpen() bool { return !i.Note.IsReply() && !i.Note.IsDone() && !i.Note.IsGone() }

// notesTab names the tab of the video's page, with the number of open notes.
func notesTab(p TaskPage) string {
	if n := p.Discussion.Open(); n > 0 {
		return fmt.Sprintf("Notes %s", part.Number(n))
	}
	return "Notes"
}

// mayHaveNotes reports whether there are notes on the video, or can be.
func (p TaskPage) mayHaveNotes() bool { return p.Discussion.Writes || len(p.Discussion.Notes) > 0 }

// showsNotes reports whether the notes are shown with the form for another one. Most videos have
// none, and their pages need no styles and scripts for it.
func (p TaskPage) showsNotes() bool {
	return p.mayHaveNotes() && (len(p.Discussion.Notes) > 0 || p.Writing)
}
