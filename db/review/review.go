// Package review defines what guests and the team say about a video: notes on its moments,
// marks on its picture, and the answers of guests.
package review

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/naming"
)

// Limits of what is written.
const (
	MaxBody  = 2000 // characters of a note, or of the sentence of an answer
	MaxName  = 100  // characters of a guest's name
	MaxNotes = 500  // notes and replies of the team on a video

	// The places of guests are not those of the team, and each network address has only a
	// part of them: nobody shuts out the others.
	MaxGuestNotes = 2000 // notes and replies of all guests on a video, not counting answers
	MaxNotesFrom  = 200  // of these, by guests from one network address
	MaxGuests     = 500  // guests of a link who have given a name
	MaxGuestsFrom = 50   // of these, from one network address

	// MaxEarlier is how many earlier answers of a guest to a video are kept.
	MaxEarlier = 50
)

// ChangeWithin is how long the author may change a note.
const ChangeWithin = 15 * time.Minute

// A Note is a text about a moment of a video, about a span of time, or in
// reply to another note. What a guest answers is a note, too.
type Note struct {
	ID       int64
	TaskID   int64
	ParentID int64 // of the note that it replies to; 0 for none
	ShareID  int64 // of the link on whose page it was written; 0 for the page of the video
	Author   Author
	Position
	Body      string
	Mark      Mark   // zero for none
	Internal  bool   // only the team sees it
	Answer    Answer // of the guest, if the note was written with one; it may have no words then
	IsCurrent bool   // the guest has not answered otherwise since
	CreatedAt time.Time
	ChangedAt time.Time // zero if it was never changed
	DoneAt    time.Time // when the team closed it; zero while it is open
	DeletedAt time.Time // when the author deleted it, if it stays without words for its replies
}

// NoTime is the moment of notes that are about no moment.
const NoTime = -1

// A Position is the moment, or the span, of a video that a note is about.
type Position struct {
	At    int64 // milliseconds from the beginning; NoTime for no moment
	Until int64 // the end of the span in milliseconds; 0 for a moment
	Frame int   // the frame that is shown at At, counted from 0; -1 if the file has no readable index
}

// An Author is a person of the team, or a guest. If both IDs are 0, it was a guest whose
// link is gone for good.
type Author struct {
	UserID  int64
	GuestID int64
	Name    string // filled in when read
	Number  int    // of a guest, among those of the link who gave the same name, from 1
}

// IsGuest reports whether the author has no account.
func (a Author) IsGuest() bool { return a.UserID == 0 }

// Is reports whether both are the same person or guest.
func (a Author) Is(b Author) bool {
	return a.UserID == b.UserID && a.GuestID == b.GuestID && (a.UserID != 0 || a.GuestID != 0)
}

// IsTimed reports whether it is about a moment or a span.
func (p Position) IsTimed() bool { return p.At >= 0 }

// IsSpan reports whether it is about a span.
func (p Position) IsSpan() bool { return p.IsTimed() && p.Until > p.At }

// IsDone reports whether the team has closed the note.
func (n Note) IsDone() bool { return !n.DoneAt.IsZero() }

// IsReply reports whether the note replies to another one.
func (n Note) IsReply() bool { return n.ParentID != 0 }

// IsAnswer reports whether the note is what its guest answers now.
func (n Note) IsAnswer() bool { return n.Answer != "" && n.IsCurrent }

// IsEarlier reports whether the note is an answer in whose place the guest has given another.
func (n Note) IsEarlier() bool { return n.Answer != "" && !n.IsCurrent }

// IsGone reports whether the author has deleted the note.
func (n Note) IsGone() bool { return !n.DeletedAt.IsZero() }

// IsWordless reports whether the note says nothing: it is an approval alone, or gone.
func (n Note) IsWordless() bool { return n.Body == "" }

// IsOpen reports whether the note may ask for something that is still to be done.
func (n Note) IsOpen() bool { return !n.IsReply() && !n.IsDone() && !n.IsWordless() }

// Words returns the note's words, or a sentence in the place of words that it does not have.
func (n Note) Words() string {
	switch {
	case n.IsGone() && n.Author.UserID == 0 && n.Author.GuestID == 0:
		return "Deleted"
	case n.IsGone():
		return "Deleted by its author"
	case n.IsWordless() && n.Answer == Approved:
		return "Approved"
	}
	return n.Body
}

// ChangeableBy reports whether the author may change the note's words now.
func (n Note) ChangeableBy(a Author, now time.Time) bool {
	return n.Author.Is(a) && !n.IsGone() && now.Before(n.CreatedAt.Add(ChangeWithin))
}

// DeletableBy reports whether the person of the team may delete the note: the author, and
// everybody who makes videos. Only the guest may delete an answer.
func (n Note) DeletableBy(u db.User) bool {
	return !n.IsAnswer() && !n.IsGone() && (n.Author.UserID == u.ID || u.Makes())
}

// ShownTo reports whether somebody on the page of a link sees the note: it was written on that
// link, or by the team for the guests of all links. An answer about no moment is between its
// guest and the team.
func (n Note) ShownTo(shareID int64, viewer Author) bool {
	return !n.Internal && (n.ShareID == shareID || n.ShareID == 0) && (n.Answer == "" || n.IsTimed() || n.Author.Is(viewer))
}

// OnLink returns those of the notes on a video that somebody sees on the page of a link, with
// the replies to them.
func OnLink(notes []Note, shareID int64, viewer Author) (shown []Note) {
	seen := map[int64]bool{}
	for _, n := range notes {
		if !n.IsReply() {
			seen[n.ID] = n.ShownTo(shareID, viewer)
		}
	}
	for _, n := range notes {
		if seen[cmp.Or(n.ParentID, n.ID)] && n.ShownTo(shareID, viewer) {
			shown = append(shown, n)
		}
	}
	return shown
}

// Mentioned returns the IDs of those of the people whose names follow an @ in the text. Of
// several names that begin alike, the longest one that fits is meant.
func Mentioned(body string, people []db.User) (ids []int64) {
	for _, m := range Mentions(body, people) {
		if !slices.Contains(ids, m.UserID) {
			ids = append(ids, m.UserID)
		}
	}
	return ids
}

// A Mention is a part of a text, [From, To) in bytes, that names a person after an @.
type Mention struct {
	UserID   int64
	From, To int
}

// Mentions finds the people whose names, or first names if nobody else has the same, follow
// an @ at the beginning of a word.
func Mentions(body string, people []db.User) (found []Mention) {
	names := namesOf(people)
	for at := 0; at < len(body); {
		next := strings.IndexByte(body[at:], '@')
		if next < 0 {
			break
		}
		at += next
		m := Mention{From: at, To: at}
		if before, _ := utf8.DecodeLastRuneInString(body[:at]); at == 0 || !isWord(before) {
			for _, n := range names {
				if end, ok := hasName(body[at+1:], n.name); ok && at+1+end > m.To {
					m.UserID, m.To = n.id, at+1+end
				}
			}
		}
		at++
		if m.UserID != 0 {
			found = append(found, m)
			at = m.To
		}
	}
	return found
}

// A named person can be mentioned by this name.
type named struct {
	name string
	id   int64
}

// namesOf returns the names by which people can be mentioned: whole names, and first names
// that only one of them has. A name that several have mentions nobody.
func namesOf(people []db.User) (names []named) {
	whole, first := map[string][]int64{}, map[string][]int64{}
	for _, p := range people {
		if !p.IsActive() {
			continue
		}
		name := naming.Clean(p.Name)
		whole[name] = append(whole[name], p.ID)
		word, _, _ := strings.Cut(name, " ")
		first[word] = append(first[word], p.ID)
	}
	for _, of := range []map[string][]int64{whole, first} {
		for name, ids := range of {
			if name != "" && len(ids) == 1 {
				names = append(names, named{name, ids[0]})
			}
		}
	}
	return names
}

// Mentionable returns the people whom a note can mention by their whole names, of which a word
// begins with what was typed: in the order of their names.
func Mentionable(people []db.User, typed string) (found []db.User) {
	begin, names := naming.Key(typed), map[string]int{}
	for _, p := range people {
		names[naming.Clean(p.Name)]++
	}
	for _, p := range people {
		key := naming.Key(p.Name)
		if p.IsActive() && names[naming.Clean(p.Name)] == 1 && (strings.HasPrefix(key, begin) || strings.Contains(key, " "+begin)) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b db.User) int { return cmp.Compare(naming.Key(a.Name), naming.Key(b.Name)) })
	return found
}

// hasName reports whether the text begins with the name, whatever the case of its letters,
// and where the name ends. A longer word does not begin with it.
func hasName(text, name string) (end int, ok bool) {
	for _, letter := range name {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || unicode.ToLower(r) != unicode.ToLower(letter) {
			return 0, false
		}
		end += size
	}
	after, size := utf8.DecodeRuneInString(text[end:])
	return end, size == 0 || !isWord(after)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// A Subscription is the address at which guests of a link want mails about replies and new
// takes. Until it is confirmed, the address gets the one mail that asks for that.
type Subscription struct {
	ID          int64
	ShareID     int64
	Address     string
	CreatedAt   time.Time
	ConfirmedAt time.Time // zero until then
	StoppedAt   time.Time // zero while it is not stopped
}

// IsOn reports whether the address gets mails.
func (s Subscription) IsOn() bool { return !s.ConfirmedAt.IsZero() && s.StoppedAt.IsZero() }

// A Mailing says whether a guest can get mails about replies and new takes, and does.
type Mailing struct {
	Offered bool
	Path    string       // where they are turned off
	Sub     Subscription // zero if the guest has given no address
}

// ErrManyMails means that an address got several mails within an hour and is not asked now.
var ErrManyMails = errors.New("too many mails to this address")
