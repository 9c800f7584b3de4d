package room

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/handlers/site"
	"dailies/views/part"
	roomview "dailies/views/room"
	"dailies/web"
	"dailies/web/throttle"
)

// notesOfGuest returns the limit of what one guest may write.
func notesOfGuest(a review.Author) throttle.Rate {
	return throttle.Rate{Name: fmt.Sprintf("notes of guest %d and person %d", a.GuestID, a.UserID), Burst: 10, Every: 6 * time.Second}
}

// task returns the video of the link, or the take of one, that the request is about.
func (h *Room) task(r *http.Request, link gallery.Share) (db.Task, error) {
	id := site.ParseID(r.FormValue("task"))
	if id != 0 || r.Method != http.MethodGet {
		_, t, err := h.links.VideoOn(r.Context(), link.Token, id, db.Now())
		return t, err
	}
	_, videos, err := h.links.OpenShare(r.Context(), link.Token, gallery.Opening{}, db.Now())
	if err != nil {
		return db.Task{}, err
	}
	if len(videos.Tasks) == 0 {
		return db.Task{}, web.NotFound()
	}
	return videos.Tasks[0], nil
}

// ShowNotes shows the page of the link with one of its videos; a script gets the notes alone.
func (h *Room) ShowNotes(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	t, err := h.task(r, link)
	if err != nil {
		return err
	}
	return h.draw(w, r, http.StatusOK, link, t.ID, func(*roomview.Page) {})
}

// AddNote adds a note, or a reply to one.
func (h *Room) AddNote(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	if _, err := site.FormValues(r); err != nil {
		return err
	}
	t, err := h.task(r, link)
	if err != nil {
		return err
	}
	n, form := h.films.ReadNote(r, t, part.NewNoteForm())
	n.Internal, n.ShareID, form.Internal = false, link.ID, false
	form.Name.Value, form.Email.Value = r.PostFormValue("name"), r.PostFormValue("email")
	if r.PostForm.Has("answer") {
		return h.showStep(w, r, link, t, form)
	}
	show := func(p *roomview.Page) { p.Discussion.Form = &form }
	if form.Body.Error != "" {
		return h.draw(w, r, http.StatusUnprocessableEntity, link, t.ID, show)
	}
	return h.submit(w, r, link, t.ID, &form, show, func(wr *writer) (anchor string, err error) {
		if n.Author = wr.who; wr.isNew {
			err = h.notes.AddFirstNote(r.Context(), &wr.guest, &n)
		} else {
			err = h.notes.AddNote(r.Context(), &n, nil)
		}
		return "#note-" + strconv.FormatInt(n.ID, 10), err
	})
}

// submit stores what the guest sends: store does so, and returns the part of the page that shows it.
// If that is refused, the page shows the form with the sentences, as show puts it there.
func (h *Room) submit(w http.ResponseWriter, r *http.Request, link gallery.Share, taskID int64, form *part.NoteForm,
	show func(*roomview.Page), store func(*writer) (anchor string, err error)) error {
	wr, err := h.writer(w, r, link)
	anchor := ""
	if err == nil {
		anchor, err = store(&wr)
	}
	if errors.Is(err, db.ErrNotFound) && form.ReplyTo != 0 {
		form.ReplyTo = 0
		err = &refusal{status: http.StatusUnprocessableEntity, note: part.NoteNoParent}
	}
	if no := (*refusal)(nil); errors.As(wr.refused(err), &no) {
		form.Name.Error, form.Email.Error, form.Body.Error = no.name, no.email, no.note
		return h.draw(w, r, no.status, link, taskID, show)
	}
	if err != nil {
		return err
	}
	return h.done(w, h.known(w, r, link, wr), link, taskID, anchor)
}

// drawForm shows the page of the link with the form for a note as it was filled in.
func (h *Room) drawForm(w http.ResponseWriter, r *http.Request, status int, link gallery.Share, taskID int64, form part.NoteForm) error {
	return h.draw(w, r, status, link, taskID, func(p *roomview.Page) { p.Discussion.Form = &form })
}

// showStep shows a step of the guest's answer with what was typed as a note, which a browser without
// script sends along. An approval for which nothing is missing is given with it.
func (h *Room) showStep(w http.ResponseWriter, r *http.Request, link gallery.Share, t db.Task, form part.NoteForm) error {
	who, err := h.author(r, link)
	if err != nil {
		return err
	}
	step := roomview.Step(r.PostFormValue("answer"))
	form.Body.Error = ""
	if step == roomview.Approving && link.May.Allows(gallery.Decide) && who.GuestID != 0 && form.Body.Value == "" {
		return h.decide(w, r, link, t, review.Approved)
	}
	w.Header().Set("Cache-Control", "private, no-cache") // Back to what was not stored would be an error of the browser
	return h.draw(w, r, http.StatusOK, link, t.ID, func(p *roomview.Page) {
		if p.Verdict == nil {
			p.Discussion.Form = &form
			return
		}
		p.Verdict.Step = step
		switch form.Answering = step == roomview.Step(review.Changes); {
		case step == roomview.Approving:
			p.Verdict.Form, p.Discussion.Form.Approving = &form, true
		case form.Answering:
			form.ReplyTo = 0
			p.Discussion.Form = &form
		default:
			form = p.Discussion.About(form, site.ParseID(r.PostFormValue("edit")))
			p.Discussion.Form = &form
		}
	})
}

// A writer is the person who sends a form of the page: guest if isNew, or else who.
type writer struct {
	who   review.Author
	guest review.Guest // gives a name with this form
	isNew bool
}

// A refusal is an error that says why a guest cannot write, with sentences about the fields
// of the form.
type refusal struct {
	status            int
	name, email, note string // empty if nothing is wrong with them
}

func (e *refusal) Error() string { return cmp.Or(e.name, e.email, e.note) }

// Unwrap returns the response to a form that cannot show the sentences beside its fields.
func (e *refusal) Unwrap() error { return &web.Error{Status: e.status, Message: e.Error()} }

// refused returns the refusal for an error of the store, and any other error as it is.
func (wr writer) refused(err error) error {
	switch {
	case errors.Is(err, review.ErrManyMails):
		return &refusal{status: http.StatusTooManyRequests, email: emailMany}
	case errors.Is(err, db.ErrFull) && wr.isNew && wr.guest.Number == 0: // the guest was not added
		return &refusal{status: http.StatusTooManyRequests, note: tooManyGuests}
	case errors.Is(err, db.ErrFull):
		return &refusal{status: http.StatusTooManyRequests, note: tooManyNotes}
	}
	return err
}

// writer returns who writes: whom the browser remembers, or who gives a name with the form.
// Each request counts against the limits. The error may be a refusal.
func (h *Room) writer(w http.ResponseWriter, r *http.Request, link gallery.Share) (wr writer, err error) {
	if wr.who, err = h.author(r, link); err != nil {
		return wr, err
	}
	if wr.isNew = wr.who == (review.Author{}); !wr.isNew {
		return wr, h.count(w, r, h.attempts.NotesFrom(r), notesOfGuest(wr.who))
	}
	if wr.guest, err = h.newcomer(r, link); err != nil {
		return wr, err
	}
	wr.guest.Source = h.attempts.Source(r)
	limits := []throttle.Rate{h.attempts.NotesFrom(r)}
	if wr.guest.Email != "" {
		limits = append(limits, h.attempts.AddressesFrom(r))
	}
	return wr, h.count(w, r, limits...)
}

// count counts the request against the limits. It returns a refusal if one is reached.
func (h *Room) count(w http.ResponseWriter, r *http.Request, limits ...throttle.Rate) error {
	_, wait, err := h.attempts.Take(r.Context(), limits...)
	if err == nil && wait > 0 {
		err = &refusal{status: http.StatusTooManyRequests, note: site.TooMany(w, wait)}
	}
	return err
}

// known makes the browser remember a guest who has given a name with the request, and returns
// the request as it would be if it did already.
func (h *Room) known(w http.ResponseWriter, r *http.Request, link gallery.Share, wr writer) *http.Request {
	if !wr.isNew {
		return r
	}
	h.remember(w, link, guestCookie, wr.guest.Token)
	r = r.Clone(r.Context())
	r.AddCookie(&http.Cookie{Name: guestCookie, Value: wr.guest.Token})
	return r
}

// done answers a script with the notes and the answer, and other browsers with the page of the
// video.
func (h *Room) done(w http.ResponseWriter, r *http.Request, link gallery.Share, taskID int64, anchor string) error {
	if !web.IsPartial(r) {
		return web.SeeOther(w, r, fmt.Sprintf("%s/notes?task=%d%s", roomview.Path(link.Token), taskID, anchor))
	}
	return h.draw(w, r, http.StatusOK, link, taskID, func(*roomview.Page) {})
}

// findNote returns the note in the path, if guests of the link see it.
func (h *Room) findNote(r *http.Request, link gallery.Share) (review.Note, review.Author, error) {
	id, err := site.ID(r)
	if err != nil {
		return review.Note{}, review.Author{}, err
	}
	n, err := h.notes.Note(r.Context(), id)
	if err != nil {
		return n, review.Author{}, err
	}
	if _, _, err := h.links.VideoOn(r.Context(), link.Token, n.TaskID, db.Now()); err != nil {
		return n, review.Author{}, err
	}
	who, err := h.author(r, link)
	switch {
	case err != nil:
		return n, who, err
	case !n.ShownTo(link.ID, who):
		return n, who, web.NotFound()
	case !n.Author.Is(who):
		return n, who, web.Forbidden(part.NoteOfOthers)
	}
	return n, who, nil
}

// ChangeNote replaces the words of the guest's own note.
func (h *Room) ChangeNote(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	n, who, err := h.findNote(r, link)
	switch {
	case err != nil:
		return h.gone(w, r, link, err)
	case n.IsGone():
		return h.showAnew(w, r, link, n.TaskID, http.StatusForbidden, part.NoteGoneNew)
	case !n.ChangeableBy(who, db.Now()):
		return h.showAnew(w, r, link, n.TaskID, http.StatusForbidden, part.NoteLateNew)
	}
	form := part.NewNoteForm()
	if form.Change = n.ID; !site.ReadForm(r, &form.Body) {
		return h.drawForm(w, r, http.StatusUnprocessableEntity, link, n.TaskID, form)
	}
	err = h.notes.ChangeNote(r.Context(), n.ID, who, form.Body.Value, db.Now())
	if errors.Is(err, db.ErrConflict) {
		err = db.ErrNotFound // it is deleted just now
	}
	if err != nil {
		return h.gone(w, r, link, err)
	}
	return h.done(w, r, link, n.TaskID, "#note-"+strconv.FormatInt(n.ID, 10))
}

// gone answers a request about a note that is no longer there, such as one that the guest has
// deleted in another tab, and returns any other error. Other words for it become a new note.
func (h *Room) gone(w http.ResponseWriter, r *http.Request, link gallery.Share, err error) error {
	if web.AsError(err).Status != http.StatusNotFound {
		return err
	}
	t, unknown := h.task(r, link)
	switch {
	case unknown != nil:
		return err
	case r.PostFormValue("body") == "":
		return h.showAnew(w, r, link, t.ID, http.StatusNotFound, part.NoteGone)
	}
	return h.showAnew(w, r, link, t.ID, http.StatusNotFound, part.NoteGoneNew)
}

// showAnew shows the words that a note cannot get in the form for a new note.
func (h *Room) showAnew(w http.ResponseWriter, r *http.Request, link gallery.Share, taskID int64, status int, sentence string) error {
	form := part.NewNoteForm()
	site.Refill(r, &form.Body)
	form.Body.Error = sentence
	return h.drawForm(w, r, status, link, taskID, form)
}

// DeleteNote deletes the guest's own note. Replies to it stay; an answer is withdrawn.
func (h *Room) DeleteNote(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	n, who, err := h.findNote(r, link)
	if err != nil {
		return h.gone(w, r, link, err)
	}
	if err := h.notes.DeleteNote(r.Context(), n.ID, who, db.Now()); err != nil {
		return h.gone(w, r, link, err)
	}
	// Also a script is led there: sent again, the request would find no such note.
	return web.SeeOther(w, r, fmt.Sprintf("%s/notes?task=%d#talk", roomview.Path(link.Token), n.TaskID))
}

// SaveName gives the guest a name, or another one, and an address for mails.
func (h *Room) SaveName(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	form, refused := h.readGuest(r, part.NameMissing)
	name, email := form.Name.Value, form.Email.Value
	wr, err := h.writer(w, r, link)
	switch {
	case err != nil && !errors.As(err, new(*refusal)):
		return err
	case refused != nil:
		return refused
	case err == nil && !wr.isNew && email != "":
		err = h.count(w, r, h.attempts.AddressesFrom(r))
	}
	switch {
	case err != nil:
		return err
	case wr.isNew:
		err = h.guests.AddGuest(r.Context(), &wr.guest)
	case wr.who.GuestID != 0 && (wr.who.Name != name || email != ""):
		err = h.guests.RenameGuest(r.Context(),
			&review.Guest{ID: wr.who.GuestID, ShareID: link.ID, Name: name, Number: wr.who.Number, Email: email}, db.Now())
	}
	if err != nil {
		return wr.refused(err)
	}
	if wr.isNew {
		h.remember(w, link, guestCookie, wr.guest.Token)
	}
	return web.SeeOther(w, r, roomview.Path(link.Token)+"#talk")
}

// Decide stores what the guest decides about a video.
func (h *Room) Decide(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	if _, err := site.FormValues(r); err != nil {
		return err
	}
	t, err := h.task(r, link)
	if err != nil {
		return err
	}
	return h.decide(w, r, link, t, review.Answer(r.PostFormValue("verdict")))
}

func (h *Room) decide(w http.ResponseWriter, r *http.Request, link gallery.Share, t db.Task, answer review.Answer) error {
	v, form := h.verdict(r, link, t, answer)
	show := func(p *roomview.Page) { refuseVerdict(p, v.Answer, form) }
	if form.Body.Error != "" {
		return h.draw(w, r, http.StatusUnprocessableEntity, link, t.ID, show)
	}
	return h.submit(w, r, link, t.ID, &form, show, func(wr *writer) (string, error) {
		if wr.who.UserID != 0 {
			return "", web.Forbidden(guestsDecide)
		}
		if v.Guest = wr.guest; !wr.isNew {
			v.Guest = review.Guest{ID: wr.who.GuestID}
		}
		return "#verdict", h.guests.Decide(r.Context(), v)
	})
}

// verdict reads the answer in the request's form, which must have been parsed. What should
// change is a note: it is about a moment of the video, or about no moment if none is sent. It
// returns the form as it was filled in, with a sentence if it is not valid.
func (h *Room) verdict(r *http.Request, link gallery.Share, t db.Task, answer review.Answer) (review.Verdict, part.NoteForm) {
	v := review.Verdict{TaskID: t.ID, ShareID: link.ID, Answer: answer,
		Position: review.Position{At: review.NoTime, Frame: -1}, ChangedAt: db.Now()}
	form := part.NewNoteForm()
	form.Body.Rules[0].Sentence = roomview.NoChanges
	if answer != review.Changes {
		form.Body.Rules = form.Body.Rules[1:] // an approval needs no words
	}
	if answer == review.Changes && cmp.Or(r.PostFormValue("at"), r.PostFormValue("until"), r.PostFormValue("mark")) != "" {
		var n review.Note
		n, form = h.films.ReadNote(r, t, form)
		v.Position, v.Mark = n.Position, n.Mark
	} else {
		site.ReadForm(r, &form.Body)
	}
	if v.Body = form.Body.Value; !answer.Valid() {
		form.Body.Error = roomview.NoAnswer
	}
	form.Answering, form.ReplyTo, form.Internal = answer == review.Changes, 0, false
	form.Name.Value, form.Email.Value = r.PostFormValue("name"), r.PostFormValue("email")
	return v, form
}

// refuseVerdict shows why the answer was not taken, in the form with which it was given.
func refuseVerdict(p *roomview.Page, answer review.Answer, form part.NoteForm) {
	if p.Verdict == nil || answer == review.Changes {
		p.Discussion.Form = &form
		return
	}
	v := p.Verdict
	v.Form, v.Step = &form, roomview.Again
	if answer == review.Approved && (v.Names || form.Body.Value != "") {
		v.Step, p.Discussion.Form.Approving = roomview.Approving, form.Body.Value != ""
		return
	}
	p.Discussion.Form.Body.Value = form.Body.Value
}
