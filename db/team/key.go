package team

import (
	"time"
	"unicode/utf8"

	"dailies/db"
)

// A Key is one of the team's keys for the video service: it has a name, and several
// people use it.
type Key struct {
	db.Key   // its id is TeamKeyID
	Name     string
	Standard bool // everybody who has no other key uses it
	// DeletedAt is when it was deleted; zero for one that is there. Its name stays, for
	// what was spent with it.
	DeletedAt time.Time

	People  int // whose next video is sent with it
	Queued  int // videos of theirs that wait to be sent
	Running int // videos that were sent with it and are under way
}

// MaxKeyName bounds the name of a key, in characters.
const MaxKeyName = 60

// MaxKeys bounds how many keys a team has at a time.
const MaxKeys = 200

// NameFits reports whether a key may have the name.
func NameFits(name string) bool { return name != "" && utf8.RuneCountInString(name) <= MaxKeyName }

// OwnKeysSetting is the setting that says whether people may use keys of their own;
// with the value OwnKeysForbidden nobody may.
const (
	OwnKeysSetting   = "own keys"
	OwnKeysForbidden = "forbidden"
)
