// Package team defines who is in the team, the keys that its members share, and what
// becomes of a person's things when they leave.
package team

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"dailies/db"
	"dailies/db/spending"
)

// A Member is a person's account, with what admins see about it.
type Member struct {
	db.User
	Limit spending.Limit
	Spent float64 // what counts against the limits this month
	// OtherCredits is the same in credits that do not count now: practice credits while the team
	// uses a real service, or real ones in practice mode.
	OtherCredits float64
	Key          KeyInUse
}

// A KeyInUse says which key a person's next video is sent with.
type KeyInUse struct {
	IsOwn    bool
	Team     string // name of the team's key; empty if it is not one of the team's
	LastFour string
}

// ReturnLife is how long a deactivated person can be activated again.
const ReturnLife = 30 * 24 * time.Hour

// CanReturn reports whether the person is deactivated and can be activated again.
// They cannot if their e-mail address was released.
func CanReturn(u db.User, now time.Time) bool {
	return !u.IsActive() && u.Email != "" && now.Before(u.DeactivatedAt.Add(ReturnLife))
}

// Errors of changes to members.
var (
	// ErrLastAdmin says that the team would be left without an admin.
	ErrLastAdmin = errors.New("this is the only admin")
	// ErrNoHeir says that the person to whom things are to be handed over cannot
	// get them: they are not active, do not make videos, or are the one who leaves.
	ErrNoHeir = errors.New("nobody to leave it to")
	// ErrUnfinished says that private videos have not ended, so that nobody would
	// see what was paid for.
	ErrUnfinished = errors.New("private videos are not over yet, and nobody gets them")
	// ErrTooLate says that ReturnLife has passed.
	ErrTooLate = errors.New("deactivated for too long")
	// ErrOtherAddress says that an invitation is for another e-mail address.
	ErrOtherAddress = errors.New("the invitation is for another e-mail address")
)

// A Leaving says what happens to a person's things when they leave.
type Leaving struct {
	UserID   int64
	HandTo   int64 // the person who gets them; 0 leaves them under the name of the one who leaves
	Bin      bool  // whether private videos go to the bin instead
	EndLinks bool  // whether the links that they shared are revoked
	At       time.Time
	// Reseal returns the token of a shared link, which is sealed for UserID, sealed
	// for HandTo.
	Reseal func(sealed []byte) ([]byte, error)
}

// Belongings counts what a person has.
type Belongings struct {
	Videos      int // finished ones, including private ones, but not the bin
	Private     int // finished and private
	Running     int // sent, and not ended
	Waiting     int // not sent yet
	Unsettled   int // may have been paid for, and wait for a decision
	Recipes     int
	Collections int
	Links       int // shared links that work
	JoinLinks   int // join links that work
	Browsers    int // signed-in browsers
	Tokens      int // tokens of their programs that work
	Webhooks    int // their own webhooks
	TeamHooks   int // webhooks of the team that they have made
	HasKey      bool
}

// Tally describes in words what a person has.
func Tally(b Belongings) string {
	return fmt.Sprintf("videos: %d, private: %d, recipes: %d, collections: %d, shared links: %d, running: %d, not sent: %d, tokens: %d, webhooks: %d",
		b.Videos, b.Private, b.Recipes, b.Collections, b.Links, b.Running, b.Waiting, b.Tokens, b.Webhooks)
}

// MembersShown is how many members a page shows.
const MembersShown = 100

// Find returns the members whose name and address contain all words of the text,
// active ones first, and then by name.
func Find(members []Member, text string) []Member {
	return find(members, text, func(m Member) db.User { return m.User })
}

// FindUsers is like Find, but for accounts.
func FindUsers(users []db.User, text string) []db.User {
	return find(users, text, func(u db.User) db.User { return u })
}

func find[P any](people []P, text string, account func(P) db.User) []P {
	type entry struct { // small, because sorting moves it
		at     int
		id     int64
		active bool
		name   string
	}
	words := strings.Fields(folded(text))
	var found []entry
	for i, p := range people {
		u := account(p)
		name, text := folded(u.Name), ""
		if len(words) > 0 {
			text = name + " " + folded(u.Email)
		}
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			found = append(found, entry{i, u.ID, u.IsActive(), name})
		}
	}
	slices.SortFunc(found, func(a, b entry) int {
		if a.active != b.active {
			if a.active {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	list := make([]P, len(found))
	for i, e := range found {
		list[i] = people[e.at]
	}
	return list
}

// folded returns the text in the form for comparisons: in lower case, without
// accents.
func folded(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 { // combining marks
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(text)))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
