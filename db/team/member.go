package team

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"dailies/db"
)

// A Member is a person's account, with what admins see beside it.
type Member struct {
	db.User
	Limit Limit
	Spent float64 // what the limits count of this month
	Key   KeyInUse
}

// A KeyInUse says which key somebody's next video is sent with.
type KeyInUse struct {
	IsOwn    bool
	Team     string // the name of the team's key; empty where it is none of the team's
	LastFour string
}

// ReturnLife is how long somebody who was deactivated can be activated again.
const ReturnLife = 30 * 24 * time.Hour

// CanReturn reports whether the person was deactivated and can be activated again:
// their address was not given free either.
func CanReturn(u db.User, now time.Time) bool {
	return !u.IsActive() && u.Email != "" && now.Before(u.DeactivatedAt.Add(ReturnLife))
}

// Errors of changes of the members.
var (
	// ErrLastAdmin says that nobody would be left who can look after the team.
	ErrLastAdmin = errors.New("this is the only admin")
	// ErrNoHeir says that there is nobody to whom something can be left: they are not
	// active, do not make videos, or are the person who leaves.
	ErrNoHeir = errors.New("nobody to leave it to")
	// ErrUnfinished says that private videos are not over yet, so that nobody would see
	// what was paid for.
	ErrUnfinished = errors.New("private videos are not over yet, and nobody gets them")
	// ErrTooLate says that ReturnLife is over.
	ErrTooLate = errors.New("deactivated for too long")
	// ErrOtherAddress says that an invitation is for another e-mail address.
	ErrOtherAddress = errors.New("the invitation is for another e-mail address")
)

// A Leaving says what becomes of somebody's things when they leave.
type Leaving struct {
	UserID   int64
	HandTo   int64 // who gets them; 0 leaves them under the person's name
	Bin      bool  // private videos go to the bin instead
	EndLinks bool  // the links that they shared are turned off
	At       time.Time
	// Reseal seals the token of a shared link, sealed for the person, for HandTo.
	Reseal func(sealed []byte) ([]byte, error)
}

// Belongings count what somebody has.
type Belongings struct {
	Videos      int // finished, private ones too, without the bin
	Private     int // finished and private
	Running     int // sent, and not at their end
	Waiting     int // not sent yet
	Unsettled   int // that may have been paid, and wait for a decision
	Recipes     int
	Collections int
	Links       int // shared ones that work
	JoinLinks   int // that work
	Browsers    int // signed in
	HasKey      bool
	HasWebhook  bool
}

// MembersShown is how many members a page shows.
const MembersShown = 100

// Find returns the members whose name or address has all words of the text, in the
// order of their names: active ones first.
func Find(members []Member, text string) []Member {
	return find(members, text, func(m Member) db.User { return m.User })
}

// FindUsers is Find for accounts alone.
func FindUsers(users []db.User, text string) []db.User {
	return find(users, text, func(u db.User) db.User { return u })
}

func find[P any](people []P, text string, account func(P) db.User) []P {
	type entry struct {
		person P
		user   db.User
		name   string
	}
	words := strings.Fields(folded(text))
	var found []entry
	for _, p := range people {
		u := account(p)
		name, address := folded(u.Name), folded(u.Email)
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(name+" "+address, word) }) {
			found = append(found, entry{p, u, name})
		}
	}
	slices.SortFunc(found, func(a, b entry) int {
		if a.user.IsActive() != b.user.IsActive() {
			if a.user.IsActive() {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.user.ID, b.user.ID))
	})
	list := make([]P, len(found))
	for i, e := range found {
		list[i] = e.person
	}
	return list
}

// folded returns the text as it is compared: without accents, in lower case.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 { // combining marks
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(text)))
}
