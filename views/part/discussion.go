package part

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/views/input"
)

// A Discussion holds the notes on a video, as far as the viewer sees them, and the form for another
// one. Pages of the team and of guests show it.
type Discussion struct {
	TaskID   int64
	Notes    []review.Note
	Path     string        // where the notes are, and where the form is sent
	One      string        // the beginning of the paths of single notes
	Me       review.Author // zero for a guest who has not given a name
	Team     *db.User      // nil for a guest
	People   []db.User     // whom notes of the team may mention
	Length   int64         // of the video, in milliseconds
	Form     *NoteForm     // never nil; a pointer, because each component of the page copies the rest
	Approval review.Approval
	Poll     string // where a script looks for new notes; empty if it does not
	NamePath string // where a guest gives another name; empty on pages of the team
	// AnswerPath is where a guest's answer with words is sent; empty for those who do not decide.
	AnswerPath string
	Newcomer   string // sent with a guest's name, so that a form that is sent twice adds one guest
	Writes     bool   // the viewer may write notes
	NextTake   int    // the number of the take that could answer notes; 0 if the viewer cannot make it
	// Answered has the takes that were made to answer each note, by its ID, as far as the
	// viewer sees them.
	Answered map[int64][]TakeRef
	Mail     review.Mailing
	Now      time.Time
}

// mailSays says why the guest gets no mails.
func mailSays(m review.Mailing) string {
	if !m.Sub.StoppedAt.IsZero() {
		return "Emails are off."
	}
	return fmt.Sprintf("We sent an email to %s. Confirm there that it’s yours.", m.Sub.Address)
}

// A NoteForm is the form for a note, a reply, or other words for a note, with what was typed.
// The error of Body is about the whole form, except for the guest.
type NoteForm struct {
	GuestForm
	Body, At, Until input.Text
	Mark            string
	ReplyTo, Change int64 // the note that it is about; 0 for none
	Answering       bool  // a guest says what should change
	Approving       bool  // a guest approves: the form for that has the words, and this one is not shown
	Internal        bool
}

// NewNoteForm returns the empty form.
func NewNoteForm() NoteForm {
	text := func(name, id string, rules ...input.Rule) input.Text {
		return input.Text{Field: input.Field{Name: name, ID: id, Rules: rules}}
	}
	f := NoteForm{
		GuestForm: NewGuestForm(NameMissing),
		Body:      text("body", "note", input.Required(NoteEmpty), input.Max(review.MaxBody, NoteLong)),
		At:        text("at", "", input.Valid("required,moment", NoteNoTime)),
		Until:     text("until", "", input.Valid("moment", NoteNoTime), input.Valid("not_before", NoteBackwards).With("at")),
	}
	f.Body.Rows, f.At.Plain, f.Until.Plain = 1, true, true
	return f
}

// A GuestForm has the fields with which a guest gives a name.
type GuestForm struct{ Name, Email input.Text }

// NewGuestForm returns the empty form. The sentence missing asks for the name.
func NewGuestForm(missing string) GuestForm {
	return GuestForm{
		Name: input.Text{Field: input.Field{
			Name: "name", ID: "note-name", Rules: input.Rules{input.Required(missing), input.Max(review.MaxName, NameLong)},
		}},
		Email: input.Text{
			Field: input.Field{
				Name: "email", ID: "note-email", Rules: input.Rules{input.Valid("bytes=254,email,excludes= ,unmistakable", emailWrong)},
			},
			Kind: "email",
		},
	}
}

// Inputs returns the fields. There is one for an address if mails can be sent.
func (f *GuestForm) Inputs(canMail bool) []input.Input {
	if !canMail {
		return []input.Input{&f.Name}
	}
	return []input.Input{&f.Name, &f.Email}
}

// A TakeRef is another take of the video.
type TakeRef struct {
	Number int
	Path   string
	Ready  bool
}

// A remark is a note with the replies to it.
type remark struct {
	review.Note
	replies []review.Note
}

// remarks returns the notes that are done, or those that are not, each with its replies.
func (t Discussion) remarks(done bool) (found []remark) {
	for _, n := range t.Notes {
		if n.IsReply() || n.IsDone() != done {
			continue
		}
		r := remark{Note: n}
		for _, other := range t.Notes {
			if other.ParentID == n.ID {
				r.replies = append(r.replies, other)
			}
		}
		found = append(found, r)
	}
	return found
}

// Open returns how many notes are not done. An approval without words asks for nothing.
func (t Discussion) Open() (n int) {
	for _, note := range t.Notes {
		if note.IsOpen() {
			n++
		}
	}
	return n
}

func (t Discussion) path(id int64) string { return t.One + strconv.FormatInt(id, 10) }

// with returns the address of the page with a field that the form follows.
func (t Discussion) with(field, value string) string {
	return t.Path + "?" + url.Values{"task": {strconv.FormatInt(t.TaskID, 10)}, field: {value}}.Encode() + "#note-form"
}

// about returns the address of the page with the form for a note that is about another.
func (t Discussion) about(field string, id int64) string {
	return t.with(field, strconv.FormatInt(id, 10))
}

// find returns the note with the ID; the zero Note if there is none.
func (t Discussion) find(id int64) review.Note {
	for _, n := range t.Notes {
		if n.ID == id {
			return n
		}
	}
	return review.Note{}
}

// Answers fills in the form that the query asks for: a reply to a note, other words for it, or
// a note at a moment.
func (t *Discussion) Answers(q url.Values) {
	id := func(name string) int64 {
		n, err := strconv.ParseInt(q.Get(name), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	if to := t.find(id("reply")); to.ID != 0 && !to.IsReply() {
		t.Form.ReplyTo = to.ID
	}
	if to := t.find(id("edit")); t.changes(to) {
		t.Form.Change, t.Form.Body.Value = to.ID, to.Body
	}
	if at, ok := review.ParseTime(q.Get("at")); ok && at <= t.Length {
		t.Form.At.Value = review.FormatTime(at)
	}
	t.Form.Answering = t.answers() && review.Answer(q.Get("answer")) == review.Changes
}

// About returns the form as the one for the reply, or the other words for a note, that it was
// sent from.
func (t Discussion) About(form NoteForm, change int64) NoteForm {
	if to := t.find(form.ReplyTo); to.ID == 0 || to.IsReply() {
		form.ReplyTo = 0
	}
	if t.changes(t.find(change)) {
		form.Change = change
	}
	return form
}

// answers reports whether the form can be sent as an answer.
func (t Discussion) answers() bool {
	return t.AnswerPath != "" && t.Form.ReplyTo == 0 && t.Form.Change == 0
}

// names reports whether a guest has to give a name with the note. Colleagues write under their
// own.
func (t Discussion) names() bool { return t.Team == nil && t.Me == (review.Author{}) }

func (t Discussion) mine(n review.Note) bool { return n.Author.Is(t.Me) }

func (t Discussion) changes(n review.Note) bool { return n.ID != 0 && n.ChangeableBy(t.Me, t.Now) }

func (t Discussion) deletes(n review.Note) bool {
	return t.mine(n) && !n.IsGone() || t.Team != nil && n.DeletableBy(*t.Team)
}

// closes reports whether the viewer may close the note.
func (t Discussion) closes(n review.Note) bool {
	return t.Team != nil && t.Team.Makes() && !n.IsReply() && !n.IsGone()
}

// whoIs says what the name alone does not.
func (t Discussion) whoIs(n review.Note) string {
	switch {
	case n.Internal:
		return "Only for us"
	case t.mine(n):
		return "You"
	case n.Author.IsGuest() && t.Team != nil:
		return "(name typed by a guest)"
	case n.Author.IsGuest():
		return "Guest"
	}
	return ""
}

// initials returns one or two letters for the author.
func initials(a review.Author) string { return db.User{Name: naming.Clean(a.Name)}.Initials() }

// calledAt returns the author of the note with the moment that it is about.
func calledAt(n review.Note) string {
	if !n.IsTimed() {
		return n.Author.Called()
	}
	return fmt.Sprintf("%s at %s", n.Author.Called(), stamp(n))
}

// stampName says where the button with a note's time leads.
func stampName(n review.Note) string { return fmt.Sprintf("Go to %s", stamp(n)) }

// stamp formats the moment, or the span, of the note.
func stamp(n review.Note) string {
	if n.IsSpan() {
		return fmt.Sprintf("%s–%s", review.FormatTime(n.At), review.FormatTime(n.Until))
	}
	return review.FormatTime(n.At)
}

// place returns what a script needs to know of the note: where it stands, how its point looks
// and what is drawn.
func (t Discussion) place(n review.Note) templ.Attributes {
	kind := "ours"
	switch {
	case n.IsDone():
		kind = "done"
	case n.Internal:
		kind = "only"
	case n.Author.IsGuest():
		kind = "guest"
	}
	place := templ.Attributes{"data-kind": kind, "data-name": calledAt(n)}
	if n.IsTimed() {
		place["data-at"] = strconv.FormatInt(n.At, 10)
	}
	if n.IsSpan() {
		place["data-until"] = strconv.FormatInt(n.Until, 10)
	}
	if n.IsOpen() {
		place["data-asks"] = ""
	}
	if !n.Mark.IsZero() {
		place["data-mark"] = n.Mark.JSON()
	}
	return place
}

// picks reports whether the note can be chosen for the next take.
func (t Discussion) picks(n review.Note) bool { return t.NextTake > 0 && n.IsOpen() }

// picked reports whether the note is chosen at first: what those guests ask for who want
// changes, unless a take answers it already. What they said with an earlier approval is not.
func (t Discussion) picked(n review.Note) bool {
	return n.Author.IsGuest() && len(t.Answered[n.ID]) == 0 && n.Answer != review.Approved && t.Approval.Wants(n.Author.GuestID)
}

// canPick reports whether any note can be chosen for the next take.
func (t Discussion) canPick() bool { return slices.ContainsFunc(t.Notes, t.picks) }

// pickName names the choice of a note for the next take.
func (t Discussion) pickName(n review.Note) string {
	return fmt.Sprintf("Note of %s for the next take", calledAt(n))
}

// nextTakeOf returns the path of the form for the next take that answers the note alone.
func (t Discussion) nextTakeOf(n review.Note) string {
	return NextTakePath(t.TaskID) + "?note=" + strconv.FormatInt(n.ID, 10)
}

// noteID returns the ID of a note's element.
func noteID(n review.Note) string { return "note-" + strconv.FormatInt(n.ID, 10) }

// A phrase is a piece of a note's text, which may mention a person.
type phrase struct {
	text     string
	mentions bool
}

// phrases splits the text of a note at the people whom it mentions.
func (t Discussion) phrases(n review.Note) (all []phrase) {
	at := 0
	if !n.Author.IsGuest() {
		for _, m := range review.Mentions(n.Body, t.People) {
			all = append(all, phrase{n.Body[at:m.From], false}, phrase{n.Body[m.From:m.To], true})
			at = m.To
		}
	}
	return append(all, phrase{n.Body[at:], false})
}

// heading names the form for screen readers.
func (f NoteForm) heading() string {
	switch {
	case f.Change != 0:
		return "Change your note"
	case f.ReplyTo != 0:
		return "Reply"
	case f.Answering:
		return WhatChanges
	}
	return "Write a note"
}

// WhatChanges asks a guest who wants changes for them.
const WhatChanges = "What should change?"

// label names the form's text field.
func (f NoteForm) label() string {
	if f.Answering {
		return WhatChanges
	}
	return "Note"
}

// hint is shown in the empty text field.
func (f NoteForm) hint() string {
	if f.Answering {
		return "Write a note"
	}
	return f.heading()
}

// at returns the moment in the form's field.
func (f NoteForm) at() string {
	if f.At.Value == "" {
		return review.FormatTime(0)
	}
	return f.At.Value
}

// action returns where the form is sent.
func (t Discussion) action() string {
	switch {
	case t.Form.Change != 0:
		return t.path(t.Form.Change)
	case t.Form.Answering:
		return t.AnswerPath
	}
	return t.Path
}

// isOpen reports whether a guest's form is open, although nothing was pressed in it: on a phone
// it is one line otherwise.
func (t Discussion) isOpen() bool {
	f := t.Form
	return t.Team == nil && (f.Body.Value != "" || f.Answering || f.ReplyTo != 0 || f.Change != 0 ||
		input.AreWrong(&f.Body, &f.Name, &f.Email))
}

// cancel returns the address of the page with the form for a note, which keeps what was typed
// if there is a script.
func (t Discussion) cancel() templ.SafeURL {
	return templ.SafeURL(t.Path + "?" + url.Values{"task": {strconv.FormatInt(t.TaskID, 10)}}.Encode() + "#note-form")
}

// replying says to whom the form replies.
func (t Discussion) replying() string {
	return fmt.Sprintf("Reply to %s", t.find(t.Form.ReplyTo).Author.Called())
}

// The sentences about a note that cannot be added or changed.
const (
	NoteEmpty     = "Write something first."
	NoteLong      = "A note has 2,000 characters at most. This one has %s."
	NoteNoTime    = "At which moment? Type a time such as 0:02.4."
	NoteBeyond    = "The video ends at %s."
	NoteBackwards = "The end comes before the beginning."
	NoteMark      = "That drawing didn’t arrive. Draw it again."
	NoteTooMany   = "This video has 500 notes. Delete some first."
	NoteNoParent  = "The note that you reply to is gone."
	NoteLate      = "A note can be changed for 15 minutes."
	NoteGone      = "That note is gone: it was deleted."
	NoteGoneNew   = "That note was deleted. Your text is kept: send it as a new one."
	NoteLateNew   = "A note can be changed for 15 minutes. Send this as a new one."
	NoteOfOthers  = "You can only do this to your own notes."
	NoteAnswer    = "Only the guest can delete an answer. You can mark it done."
	NameMissing   = "Add your name, so that they know who wrote this."
	NameLong      = "A name has 100 characters at most."
	emailWrong    = "That’s not an email address. Leave it empty if you want no emails."
)

// BeyondEnd returns the sentence about a moment after the end of the video.
func BeyondEnd(length int64) string { return fmt.Sprintf(NoteBeyond, review.FormatTime(length)) }

// newNotes says how many notes and answers are new.
func newNotes(n int) string { return Plural(n, "%s new note", "%s new notes") }

// mentionHint says how colleagues are mentioned. In a template, an @ would begin a component.
const mentionHint = "@ to mention"
