package video

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/review"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// A takeDecisions is how a video and its takes stand.
type takeDecisions struct {
	takes  []db.Task // of the video, itself included; none if it is a take of no other
	byTask map[int64]review.Approval
}

// readDecisions reads the takes of the video that the viewer may see, and what guests decided about
// all of them.
func (h *Video) readDecisions(r *http.Request, task db.Task) (s takeDecisions, err error) {
	if s.takes, err = h.takes.Of(r.Context(), site.Me(r).ID, task.Stack); err != nil {
		return s, err
	}
	ids := []int64{task.ID}
	for _, take := range s.takes {
		if take.ID != task.ID {
			ids = append(ids, take.ID)
		}
	}
	s.byTask, err = h.guests.Approvals(r.Context(), ids, db.Now())
	return s, err
}

// discussion returns the notes on the video for a page of the team. What the viewer sees there is not
// new any more.
func (h *Video) discussion(r *http.Request, task db.Task, s takeDecisions) (part.Discussion, error) {
	me := site.Me(r)
	discussion := part.Discussion{
		TaskID: task.ID, Path: notesPath(task.ID), One: "/notes/", Me: memberOf(me), Team: &me, Now: db.Now(),
		Length: int64(task.Options.Duration+1) * 1000, Writes: task.Ready(), Form: new(part.NoteForm),
	}
	var err error
	if discussion.Notes, err = h.notes.Of(r.Context(), task.ID); err != nil {
		return discussion, err
	}
	discussion.Approval = s.byTask[task.ID]
	if discussion.People, err = h.mentionable(r.Context(), discussion.Notes); err != nil {
		return discussion, err
	}
	if err := h.fillAnswers(r, task, s.takes, &discussion); err != nil {
		return discussion, err
	}
	discussion.Answers(r.URL.Query())
	return discussion, h.see(r.Context(), me.ID, discussion)
}

// fillAnswers says which takes answer the notes, and whether the viewer can make another one.
// Most videos have no notes, and nothing is looked for there.
func (h *Video) fillAnswers(r *http.Request, task db.Task, takes []db.Task, discussion *part.Discussion) error {
	if len(discussion.Notes) == 0 {
		return nil
	}
	if site.Me(r).Makes() && task.Ready() {
		discussion.NextTake = max(1, len(takes)) + 1
	}
	answers, err := h.takes.Answers(r.Context(), task.ID)
	discussion.Answered = map[int64][]part.TakeRef{}
	for note, ids := range answers {
		for i, take := range takes {
			if slices.Contains(ids, take.ID) {
				ref := part.TakeRef{Number: i + 1, Path: site.TaskPath(take.ID), Ready: take.Ready()}
				discussion.Answered[note] = append(discussion.Answered[note], ref)
			}
		}
	}
	return err
}

// see removes what the viewer sees from what is new. Most videos have no notes, and nothing new
// is looked for there.
func (h *Video) see(ctx context.Context, viewer int64, discussion part.Discussion) error {
	if len(discussion.Notes) == 0 && !discussion.Approval.IsAsked() {
		return nil
	}
	has, err := h.notes.HasNewsOf(ctx, viewer, discussion.TaskID)
	if err != nil || !has {
		return err
	}
	return h.notes.See(ctx, viewer, discussion.TaskID)
}

// mentionable returns the people whom notes may mention, if one has an @.
func (h *Video) mentionable(ctx context.Context, notes []review.Note) ([]db.User, error) {
	for _, n := range notes {
		if strings.Contains(n.Body, "@") && !n.Author.IsGuest() {
			return h.accounts.ActiveNames(ctx)
		}
	}
	return nil, nil
}

func memberOf(u db.User) review.Author { return review.Author{UserID: u.ID, Name: u.Name} }

func notesPath(id int64) string { return site.TaskPath(id) + "/notes" }

// ShowNotes shows the page of the video with its notes; a script gets the notes alone.
func (h *Video) ShowNotes(w http.ResponseWriter, r *http.Request) error {
	page, err := h.find(r)
	if err != nil {
		return err
	}
	return h.drawNotes(w, r, http.StatusOK, page, nil)
}

// drawNotes shows the page of the video with the form as it was filled in, if there is one; a
// script gets the notes alone.
func (h *Video) drawNotes(w http.ResponseWriter, r *http.Request, status int, page libraryview.TaskPage, form *part.NoteForm) error {
	page.NoteForm, page.Writing = form, true
	if !web.IsPartial(r) {
		return h.draw(w, r, status, page)
	}
	decisions, err := h.readDecisions(r, page.Card.Task)
	if err != nil {
		return err
	}
	discussion, err := h.discussion(r, page.Card.Task, decisions)
	if err != nil {
		return err
	}
	if form != nil {
		discussion.Form = form
	}
	return web.Fragment(w, r, status, part.ShowDiscussion(discussion))
}

// AddNote adds a note, or a reply to one.
func (h *Video) AddNote(w http.ResponseWriter, r *http.Request) error {
	page, err := h.find(r)
	if err != nil {
		return err
	}
	t := page.Card.Task
	if _, err := site.FormValues(r); err != nil {
		return err
	}
	if !t.Ready() {
		return db.ErrConflict
	}
	n, form := h.films.ReadNote(r, t, part.NewNoteForm())
	if form.Body.Error != "" {
		return h.drawNotes(w, r, http.StatusUnprocessableEntity, page, &form)
	}
	n.Author = memberOf(site.Me(r))
	mentioned, err := h.mentioned(r.Context(), n)
	if err != nil {
		return err
	}
	err = h.notes.AddNote(r.Context(), &n, mentioned)
	switch {
	case errors.Is(err, db.ErrFull):
		form.Body.Error = part.NoteTooMany
	case errors.Is(err, db.ErrNotFound) && n.IsReply():
		form.Body.Error, form.ReplyTo = part.NoteNoParent, 0
	case err != nil:
		return err
	}
	if form.Body.Error != "" {
		return h.drawNotes(w, r, http.StatusUnprocessableEntity, page, &form)
	}
	return h.added(w, r, t, n.ID)
}

// mentioned returns whom the note mentions.
func (h *Video) mentioned(ctx context.Context, n review.Note) ([]int64, error) {
	people, err := h.mentionable(ctx, []review.Note{n})
	return review.Mentioned(n.Body, people), err
}

// mostMentionable limits how many people are offered after an @.
const mostMentionable = 8

// People lists the colleagues whom a note may mention and who fit what was typed after an @ (?q=).
func (h *Video) People(w http.ResponseWriter, r *http.Request) error {
	people, err := h.accounts.ActiveNames(r.Context())
	if err != nil {
		return err
	}
	found := review.Mentionable(people, site.Clip(site.PlainText(r.URL.Query().Get("q")), 100))
	found = slices.DeleteFunc(found, func(u db.User) bool { return u.ID == site.Me(r).ID })
	return web.Fragment(w, r, http.StatusOK, libraryview.FoundPeople(found[:min(mostMentionable, len(found))]))
}

// added answers a script with the notes, and other browsers with the page of the video.
func (h *Video) added(w http.ResponseWriter, r *http.Request, task db.Task, id int64) error {
	if !web.IsPartial(r) {
		return web.SeeOther(w, r, notesPath(task.ID)+"#note-"+strconv.FormatInt(id, 10))
	}
	decisions, err := h.readDecisions(r, task)
	if err != nil {
		return err
	}
	discussion, err := h.discussion(r, task, decisions)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, part.ShowDiscussion(discussion))
}

// findNote returns the note and its video, if the viewer may see that.
func (h *Video) findNote(r *http.Request, id int64) (review.Note, db.Task, error) {
	n, err := h.notes.Note(r.Context(), id)
	if err != nil {
		return n, db.Task{}, err
	}
	t, err := h.named.VisibleTask(r, n.TaskID)
	return n, t, err
}

// gone shows the words for a note that was deleted meanwhile in the form for a new note.
func (h *Video) gone(w http.ResponseWriter, r *http.Request, missing error) error {
	t, err := h.named.VisibleTask(r, site.ParseID(r.PostFormValue("task")))
	if err != nil {
		return missing
	}
	page, err := h.page(r, t)
	if err != nil {
		return err
	}
	form := part.NewNoteForm()
	site.Refill(r, &form.Body)
	form.Body.Error = part.NoteGoneNew
	return h.drawNotes(w, r, http.StatusNotFound, page, &form)
}

// ChangeNote replaces the words of the viewer's own note.
func (h *Video) ChangeNote(w http.ResponseWriter, r *http.Request, id int64) error {
	n, t, err := h.findNote(r, id)
	if errors.Is(err, db.ErrNotFound) {
		return h.gone(w, r, err)
	}
	if err != nil {
		return err
	}
	me := memberOf(site.Me(r))
	if !n.Author.Is(me) {
		return web.Forbidden(part.NoteOfOthers)
	}
	if !n.ChangeableBy(me, db.Now()) {
		return web.Forbidden(part.NoteLate)
	}
	form := part.NewNoteForm()
	if form.Change = id; !site.ReadForm(r, &form.Body) {
		page, err := h.page(r, t)
		if err != nil {
			return err
		}
		return h.drawNotes(w, r, http.StatusUnprocessableEntity, page, &form)
	}
	if err := h.notes.ChangeNote(r.Context(), id, me, form.Body.Value, db.Now()); err != nil {
		return err
	}
	return h.added(w, r, t, id)
}

// DeleteNote deletes the note. Replies to a note of the viewer's own stay.
func (h *Video) DeleteNote(w http.ResponseWriter, r *http.Request, id int64) error {
	n, t, err := h.findNote(r, id)
	if err != nil {
		return err
	}
	switch {
	case n.IsAnswer():
		return web.Forbidden(part.NoteAnswer)
	case !n.DeletableBy(site.Me(r)):
		return web.Forbidden(part.NoteOfOthers)
	}
	if err := h.notes.DeleteNote(r.Context(), id, memberOf(site.Me(r)), db.Now()); err != nil {
		return err
	}
	return web.SeeOther(w, r, notesPath(t.ID)+"#talk") // also a script: sent again, there would be no such note
}

// CloseNote closes the note, or opens it again if the field done is false.
func (h *Video) CloseNote(w http.ResponseWriter, r *http.Request, id int64) error {
	_, t, err := h.findNote(r, id)
	if err != nil {
		return err
	}
	if err := h.notes.CloseNote(r.Context(), id, r.PostFormValue("done") != "false", db.Now()); err != nil {
		return err
	}
	if r.PostFormValue("next") != "" {
		return h.pages.BackTo(w, r, notesPath(t.ID), noteDone)
	}
	return h.added(w, r, t, id)
}

// CSV sends the notes as a table. Nothing in it begins a formula.
func (h *Video) CSV(w http.ResponseWriter, r *http.Request) error {
	t, notes, err := h.readNotes(r)
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
			at, frame, until, format.Cell(n.Author.Called()), strconv.FormatBool(n.Author.IsGuest()),
			format.Cell(n.Words()), strconv.FormatBool(n.IsDone()), strconv.FormatBool(n.Internal),
		})
	}
	rows.Flush()
	return nil
}

// EDL sends the notes as a list of markers in the format CMX 3600. Its timecode begins at the
// field "start" of the query.
func (h *Video) EDL(w http.ResponseWriter, r *http.Request) error {
	return h.markers(w, r, "edl", "text/plain; charset=utf-8", review.WriteEDL)
}

// FCPXML sends the notes as markers on the video in the format FCPXML 1.10.
func (h *Video) FCPXML(w http.ResponseWriter, r *http.Request) error {
	return h.markers(w, r, "fcpxml", "application/xml; charset=utf-8", review.WriteFCPXML)
}

func (h *Video) markers(w http.ResponseWriter, r *http.Request, ext, kind string,
	write func(io.Writer, review.Film, []review.Note) error) error {
	t, notes, err := h.readNotes(r)
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
	site.Attach(w, kind, noteFileName(t, ext))
	_, _ = w.Write(file.Bytes()) // the browser may have disconnected
	return nil
}

func (h *Video) readNotes(r *http.Request) (db.Task, []review.Note, error) {
	t, err := h.named.Task(r)
	if err != nil {
		return t, nil, err
	}
	notes, err := h.notes.Of(r.Context(), t.ID)
	return t, notes, err
}

func noteFileName(t db.Task, ext string) string { return fmt.Sprintf("notes-%d.%s", t.ID, ext) }

// listedNotes limits how many notes a page lists.
const listedNotes = 200

// ShowNoteList lists the notes and the answers that the viewer has not seen; with the field show, the
// notes that are open or done.
func (h *Video) ShowNoteList(w http.ResponseWriter, r *http.Request) error {
	p := libraryview.NoteList{Show: libraryview.NotesShown(r.URL.Query().Get("show"))}
	if err := h.fillNoteList(r, &p); err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Notes", libraryview.ShowNoteList(p))
}

// fillNoteList fills in the notes and answers, and the videos that they are about.
func (h *Video) fillNoteList(r *http.Request, p *libraryview.NoteList) error {
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
	approvals, err := h.guests.Approvals(r.Context(), p.TaskIDs(), db.Now())
	if err != nil {
		return err
	}
	for _, t := range tasks {
		p.Describe(h.cards.One(r, t), approvals[t.ID])
	}
	return nil
}

// SeeNotes marks all notes and answers as seen.
func (h *Video) SeeNotes(w http.ResponseWriter, r *http.Request) error {
	err := h.notes.See(r.Context(), site.Me(r).ID, 0)
	return h.pages.Done(w, r, err, "/notes", notesSeen)
}
