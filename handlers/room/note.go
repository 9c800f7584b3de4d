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
	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/views/part"
	roomview "dailies/views/room"
	"dailies/web"
	"dailies/web/throttle"
)

// Notes shows what was said about the videos of a link, and takes what guests say.
type Notes struct {
	films *site.Films
	links *video.Links
	page  *Page
	tries *site.Tries
}

// notesOfGuest returns the limit of what one guest may write.
func notesOfGuest(a review.Author) throttle.Rate {
	return throttle.Rate{Name: fmt.Sprintf("notes of guest %d and person %d", a.GuestID, a.UserID), Burst: 10, Every: 6 * time.Second}
}

// task returns the video of the link, or the take of one, that the request is about.
func (h *Notes) task(r *http.Request, link gallery.Share) (db.Task, error) {
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

// Show shows the page of the link with one of its videos; a script gets the notes alone.
func (h *Notes) Show(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	t, err := h.task(r, link)
	if err != nil {
		return err
	}
	return h.page.draw(w, r, http.StatusOK, link, t.ID, func(*roomview.Page) {})
}

// Add adds a note, or a reply to one.
func (h *Notes) Add(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	if _, err := site.FormValues(r); err != nil {
		return err
	}
	t, err := h.task(r, link)
	if err != nil {
		return err
	}
	n, form := h.films.ReadNote(r, t)
	n.Internal, n.ShareID, form.Internal, form.Name, form.Email = false, link.ID, false, r.PostFormValue("name"), r.PostFormValue("email")
	if r.PostForm.Has("answer") {
		return h.step(w, r, link, t, form)
	}
	refuse := func(status int, sentence string) error {
		form.Error = sentence
		return h.page.draw(w, r, status, link, t.ID, func(p *roomview.Page) { p.Talk.Form = form })
	}
	if form.Error != "" {
		return refuse(http.StatusUnprocessableEntity, form.Error)
	}
	wr, err := h.writes(w, r, link)
	switch {
	case err != nil:
		return err
	case wr.nameError != "" || wr.mailError != "":
		form.NameError, form.EmailError = wr.nameError, wr.mailError
		return refuse(http.StatusUnprocessableEntity, "")
	case wr.wait != "":
		return refuse(http.StatusTooManyRequests, wr.wait)
	}
	if n.Author = wr.who; wr.isNew {
		err = h.page.talks.notes.AddFirstNote(r.Context(), &wr.guest, &n)
	} else {
		err = h.page.talks.notes.AddNote(r.Context(), &n, nil)
	}
	switch {
	case errors.Is(err, review.ErrManyMails):
		form.EmailError = emailMany
		return refuse(http.StatusTooManyRequests, "")
	case errors.Is(err, db.ErrFull) && wr.isNew && wr.guest.Number == 0:
		return refuse(http.StatusTooManyRequests, tooManyGuests)
	case errors.Is(err, db.ErrFull):
		return refuse(http.StatusTooManyRequests, tooManyNotes)
	case errors.Is(err, db.ErrNotFound) && n.IsReply():
		form.ReplyTo = 0
		return refuse(http.StatusUnprocessableEntity, part.NoteNoParent)
	case err != nil:
		return err
	}
	return h.done(w, h.known(w, r, link, wr), link, t.ID, "#note-"+strconv.FormatInt(n.ID, 10))
}

// step shows a step of the guest's answer with what was typed as a note, which a browser without
// script sends along. An approval for which nothing is missing is given with it.
func (h *Notes) step(w http.ResponseWriter, r *http.Request, link gallery.Share, t db.Task, form part.NoteForm) error {
	who, err := h.page.talks.who(r, link)
	if err != nil {
		return err
	}
	step := roomview.Step(r.PostFormValue("answer"))
	form.Error = ""
	if step == roomview.Approving && link.May.Allows(gallery.Decide) && who.GuestID != 0 && form.Body == "" {
		return h.decide(w, r, link, t, review.Approved)
	}
	w.Header().Set("Cache-Control", "private, no-cache") // Back to what was not stored would be an error of the browser
	return h.page.draw(w, r, http.StatusOK, link, t.ID, func(p *roomview.Page) {
		if p.Verdict == nil {
			p.Talk.Form = form
			return
		}
		p.Verdict.Step = step
		switch form.Answering = step == roomview.Step(review.Changes); {
		case step == roomview.Approving:
			p.Verdict.Form, p.Talk.Form.Approving = form, true
		case form.Answering:
			form.ReplyTo = 0
			p.Talk.Form = form
		default:
			p.Talk.Form = p.Talk.About(form, site.ParseID(r.PostFormValue("edit")))
		}
	})
}

// A writer is who wants to write on the page of a link.
type writer struct {
	who       review.Author
	guest     review.Guest // who gives a name now
	isNew     bool         // it is guest
	nameError string       // a sentence about the name; empty if nothing is wrong
	mailError string       // the same about the address
	wait      string       // a sentence that says how long to wait; empty if they need not
}

// writes returns who writes: whom the browser remembers, or who gives a name with the form.
// Each request counts against the limits.
func (h *Notes) writes(w http.ResponseWriter, r *http.Request, link gallery.Share) (wr writer, err error) {
	if wr.who, err = h.page.talks.who(r, link); err != nil {
		return wr, err
	}
	limits := []throttle.Rate{h.tries.NotesFrom(r)}
	if wr.isNew = wr.who == (review.Author{}); wr.isNew {
		if wr.guest, wr.nameError, wr.mailError = h.page.talks.newcomer(r, link); wr.nameError != "" || wr.mailError != "" {
			return wr, nil
		}
		wr.guest.Source = h.tries.Source(r)
		if wr.guest.Email != "" {
			limits = append(limits, h.tries.AddressesFrom(r))
		}
	} else {
		limits = append(limits, notesOfGuest(wr.who))
	}
	_, wait, err := h.tries.Take(r.Context(), limits...)
	if err == nil && wait > 0 {
		wr.wait = site.TooMany(w, wait)
	}
	return wr, err
}

// known makes the browser remember a guest who has given a name with the request, and returns
// the request as it would be if it did already.
func (h *Notes) known(w http.ResponseWriter, r *http.Request, link gallery.Share, wr writer) *http.Request {
	if !wr.isNew {
		return r
	}
	h.page.talks.remember(w, link, wr.guest.Token)
	r = r.Clone(r.Context())
	r.AddCookie(&http.Cookie{Name: guestCookie, Value: wr.guest.Token})
	return r
}

// done answers a script with the notes and the answer, and other browsers with the page of the
// video.
func (h *Notes) done(w http.ResponseWriter, r *http.Request, link gallery.Share, taskID int64, anchor string) error {
	if !web.IsPartial(r) {
		return web.SeeOther(w, r, fmt.Sprintf("%s/notes?task=%d%s", roomview.Path(link.Token), taskID, anchor))
	}
	return h.page.draw(w, r, http.StatusOK, link, taskID, func(*roomview.Page) {})
}

// find returns the note in the path, if guests of the link see it.
func (h *Notes) find(r *http.Request, link gallery.Share) (review.Note, review.Author, error) {
	id, err := site.ID(r)
	if err != nil {
		return review.Note{}, review.Author{}, err
	}
	n, err := h.page.talks.notes.Note(r.Context(), id)
	if err != nil {
		return n, review.Author{}, err
	}
	if _, _, err := h.links.VideoOn(r.Context(), link.Token, n.TaskID, db.Now()); err != nil {
		return n, review.Author{}, err
	}
	who, err := h.page.talks.who(r, link)
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

// Change replaces the words of the guest's own note.
func (h *Notes) Change(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	n, who, err := h.find(r, link)
	switch {
	case err != nil:
		return h.gone(w, r, link, err)
	case n.IsGone():
		return h.anew(w, r, link, n.TaskID, http.StatusForbidden, part.NoteGoneNew)
	case !n.ChangeableBy(who, db.Now()):
		return h.anew(w, r, link, n.TaskID, http.StatusForbidden, part.NoteLateNew)
	}
	body, sentence := site.NoteBody(r.PostFormValue("body"))
	if sentence != "" {
		return h.page.draw(w, r, http.StatusUnprocessableEntity, link, n.TaskID, func(p *roomview.Page) {
			p.Talk.Form = part.NoteForm{Body: body, Change: n.ID, Error: sentence}
		})
	}
	err = h.page.talks.notes.ChangeNote(r.Context(), n.ID, who, body, db.Now())
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
func (h *Notes) gone(w http.ResponseWriter, r *http.Request, link gallery.Share, err error) error {
	if web.AsError(err).Status != http.StatusNotFound {
		return err
	}
	t, unknown := h.task(r, link)
	switch {
	case unknown != nil:
		return err
	case r.PostFormValue("body") == "":
		return h.anew(w, r, link, t.ID, http.StatusNotFound, part.NoteGone)
	}
	return h.anew(w, r, link, t.ID, http.StatusNotFound, part.NoteGoneNew)
}

// anew shows the words that a note cannot get in the form for a new note.
func (h *Notes) anew(w http.ResponseWriter, r *http.Request, link gallery.Share, taskID int64, status int, sentence string) error {
	body, _ := site.NoteBody(r.PostFormValue("body"))
	return h.page.draw(w, r, status, link, taskID, func(p *roomview.Page) { p.Talk.Form = part.NoteForm{Body: body, Error: sentence} })
}

// Delete deletes the guest's own note. Replies to it stay; an answer is withdrawn.
func (h *Notes) Delete(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	n, who, err := h.find(r, link)
	if err != nil {
		return h.gone(w, r, link, err)
	}
	if err := h.page.talks.notes.DeleteNote(r.Context(), n.ID, who, db.Now()); err != nil {
		return h.gone(w, r, link, err)
	}
	return web.SeeOther(w, r, fmt.Sprintf("%s/notes?task=%d#talk", roomview.Path(link.Token), n.TaskID)) // also a script: sent again, there would be no such note
}

// Name gives the guest a name, or another one, and an address for mails.
func (h *Notes) Name(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	wr, err := h.writes(w, r, link)
	if err != nil {
		return err
	}
	name, nameError := site.GuestName(r.PostFormValue("name"))
	email, mailError := h.page.talks.email(r)
	if sentence := cmp.Or(nameError, mailError); sentence != "" {
		return &web.Error{Status: http.StatusUnprocessableEntity, Message: sentence}
	}
	if !wr.isNew && email != "" && wr.wait == "" {
		_, wait, err := h.tries.Take(r.Context(), h.tries.AddressesFrom(r))
		if err != nil {
			return err
		}
		if wait > 0 {
			wr.wait = site.TooMany(w, wait)
		}
	}
	switch {
	case wr.wait != "":
		return &web.Error{Status: http.StatusTooManyRequests, Message: wr.wait}
	case wr.isNew:
		err = h.page.talks.guests.AddGuest(r.Context(), &wr.guest)
	case wr.who.GuestID != 0 && (wr.who.Name != name || email != ""):
		err = h.page.talks.guests.RenameGuest(r.Context(),
			&review.Guest{ID: wr.who.GuestID, ShareID: link.ID, Name: name, Number: wr.who.Number, Email: email}, db.Now())
	}
	switch {
	case errors.Is(err, db.ErrFull):
		return &web.Error{Status: http.StatusTooManyRequests, Message: tooManyGuests}
	case errors.Is(err, review.ErrManyMails):
		return &web.Error{Status: http.StatusTooManyRequests, Message: emailMany}
	case err != nil:
		return err
	}
	if wr.isNew {
		h.page.talks.remember(w, link, wr.guest.Token)
	}
	return web.SeeOther(w, r, roomview.Path(link.Token)+"#talk")
}

// Decide stores what the guest decides about a video.
func (h *Notes) Decide(w http.ResponseWriter, r *http.Request, link gallery.Share) error {
	if _, err := site.FormValues(r); err != nil {
		return err
	}
	t, err := h.task(r, link)
	if err != nil {
		return err
	}
	return h.decide(w, r, link, t, review.Answer(r.PostFormValue("verdict")))
}

func (h *Notes) decide(w http.ResponseWriter, r *http.Request, link gallery.Share, t db.Task, answer review.Answer) error {
	v, form := h.verdict(r, link, t, answer)
	refuse := func(status int) error {
		return h.page.draw(w, r, status, link, t.ID, func(p *roomview.Page) { refused(p, v.Answer, form) })
	}
	if form.Error != "" {
		return refuse(http.StatusUnprocessableEntity)
	}
	wr, err := h.writes(w, r, link)
	switch {
	case err != nil:
		return err
	case wr.nameError != "" || wr.mailError != "":
		form.NameError, form.EmailError = wr.nameError, wr.mailError
		return refuse(http.StatusUnprocessableEntity)
	case wr.wait != "":
		form.Error = wr.wait
		return refuse(http.StatusTooManyRequests)
	case wr.who.UserID != 0:
		return web.Forbidden(guestsDecide)
	}
	if v.Guest = wr.guest; !wr.isNew {
		v.Guest = review.Guest{ID: wr.who.GuestID}
	}
	err = h.page.talks.guests.Decide(r.Context(), v)
	switch {
	case errors.Is(err, db.ErrFull):
		form.Error = tooManyGuests
		return refuse(http.StatusTooManyRequests)
	case errors.Is(err, review.ErrManyMails):
		form.EmailError = emailMany
		return refuse(http.StatusTooManyRequests)
	case err != nil:
		return err
	}
	return h.done(w, h.known(w, r, link, wr), link, t.ID, "#verdict")
}

// verdict reads the answer in the request's form, which must have been parsed. What should
// change is a note: it is about a moment of the video, or about no moment if none is sent. It
// returns the form as it was filled in, with a sentence if it is not valid.
func (h *Notes) verdict(r *http.Request, link gallery.Share, t db.Task, answer review.Answer) (review.Verdict, part.NoteForm) {
	v := review.Verdict{TaskID: t.ID, ShareID: link.ID, Answer: answer,
		Position: review.Position{At: review.NoTime, Frame: -1}, ChangedAt: db.Now()}
	n, form := review.Note{}, part.NoteForm{}
	switch {
	case v.Answer == review.Changes && cmp.Or(r.PostFormValue("at"), r.PostFormValue("until"), r.PostFormValue("mark")) != "":
		n, form = h.films.ReadNote(r, t)
		v.Position, v.Mark = n.Position, n.Mark
	default:
		form.Body, form.Error = site.NoteBody(r.PostFormValue("body"))
		n.Body = form.Body
	}
	switch {
	case !v.Answer.Valid():
		form.Error = roomview.NoAnswer
	case n.Body == "" && v.Answer == review.Approved:
		form.Error = ""
	case n.Body == "":
		form.Error = roomview.NoChanges
	}
	v.Body = n.Body
	form.Answering, form.ReplyTo, form.Internal = v.Answer == review.Changes, 0, false
	form.Name, form.Email = r.PostFormValue("name"), r.PostFormValue("email")
	return v, form
}

// refused shows why the answer was not taken, in the form with which it was given.
func refused(p *roomview.Page, answer review.Answer, form part.NoteForm) {
	if p.Verdict == nil || answer == review.Changes {
		p.Talk.Form = form
		return
	}
	v := p.Verdict
	v.Form, v.Step = form, roomview.Again
	if answer == review.Approved && (v.Names || form.Body != "") {
		v.Step, p.Talk.Form.Approving = roomview.Approving, form.Body != ""
		return
	}
	p.Talk.Form.Body = form.Body
}
