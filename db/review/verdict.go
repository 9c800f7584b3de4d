package review

import (
	"cmp"
	"slices"
	"time"
)

// An Answer is a guest's decision about one take of a video.
type Answer string

// The answers.
const (
	Approved Answer = "approved"
	Changes  Answer = "changes"
)

// Valid reports whether it is one of the answers.
func (a Answer) Valid() bool { return a == Approved || a == Changes }

// Waiting is the value of the gallery's filter for videos on a working link that lets guests
// decide, of whom none has decided about this take. The other values are Approved and Changes,
// which wins over Approved.
const Waiting Answer = "waiting"

// Answers returns the values of the gallery's filter.
func Answers() []Answer { return []Answer{Changes, Approved, Waiting} }

// A Verdict is the answer of one guest to one take. It is never carried over to another.
type Verdict struct {
	TaskID    int64
	ShareID   int64
	Guest     Guest
	Answer    Answer
	Body      string // what should change, or a word of thanks; may be empty
	Position         // what the words are about; filled in when it is given
	Mark      Mark   // the same
	NoteID    int64  // the note with the words
	ChangedAt time.Time
}

// A Guest is a person without an account, with the name they gave on the page of a link.
type Guest struct {
	ID        int64
	ShareID   int64
	Token     string // in the cookie; known only when it is made
	Name      string
	Number    int // among those of the link who gave the same name, from 1
	CreatedAt time.Time
	Link      string // title of the link, filled in when read; empty if it has none
	Email     string // where they want mails; known only when it is typed
	Source    string // stands for the network address from which they gave the name; known only then
}

// A Visitor is a guest of a link with what they decided and how much they wrote.
type Visitor struct {
	Guest
	Verdicts []Verdict // the newest first
	Notes    int
}

// Author returns the guest as the author of a note.
func (g Guest) Author() Author { return Author{GuestID: g.ID, Name: g.Name, Number: g.Number} }

// An Approval says what guests have decided about a video. Its zero value says that nobody was
// asked.
type Approval struct {
	Asked    bool      // a working link lets guests decide
	Verdicts []Verdict // the newest first
	Silent   []Guest   // who gave a name on such a link and has not decided
}

// Answer returns what the guests decided together: changes win over approvals, and Waiting
// means that nobody has decided. It is empty if nobody was asked.
func (s Approval) Answer() Answer {
	is := func(a Answer) bool {
		return slices.ContainsFunc(s.Verdicts, func(v Verdict) bool { return v.Answer == a })
	}
	switch {
	case is(Changes):
		return Changes
	case is(Approved):
		return Approved
	case s.Asked:
		return Waiting
	}
	return ""
}

// IsAsked reports whether guests were asked, or have decided.
func (s Approval) IsAsked() bool { return s.Asked || len(s.Verdicts) > 0 }

// HasDecided reports whether the guest has decided.
func (s Approval) HasDecided(guestID int64) bool {
	return slices.ContainsFunc(s.Verdicts, func(v Verdict) bool { return v.Guest.ID == guestID })
}

// Wants reports whether the guest wants changes.
func (s Approval) Wants(guestID int64) bool {
	return slices.ContainsFunc(s.Verdicts, func(v Verdict) bool { return guestID != 0 && v.Guest.ID == guestID && v.Answer == Changes })
}

// Of returns the guests who gave the answer, the first of them first.
func (s Approval) Of(a Answer) (guests []Guest) {
	for _, v := range s.Verdicts {
		if v.Answer == a {
			guests = append(guests, v.Guest)
		}
	}
	slices.SortFunc(guests, func(a, b Guest) int { return cmp.Compare(a.ID, b.ID) })
	return guests
}

// Guests returns how many guests were asked and have given a name.
func (s Approval) Guests() int { return len(s.Verdicts) + len(s.Silent) }
