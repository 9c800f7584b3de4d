package team

import (
	"time"

	"dailies/db/secrets"
)

// A Key is one of the team's keys for the video service. It has a name, and several
// people may use it.
type Key struct {
	secrets.Key // whose TeamKeyID is its ID
	Name        string
	Standard    bool // used by everybody who has no other key
	// DeletedAt is when it was deleted; zero if it exists. Its name is kept,
	// because the usage shows what was spent with it.
	DeletedAt time.Time

	People  int // people whose next video is sent with it
	Queued  int // videos of these people that wait to be sent
	Running int // videos that were sent with it and have not ended
}

// MaxKeyName limits the name of a key, in characters.
const MaxKeyName = 60

// MaxKeys limits how many keys a team has at a time.
const MaxKeys = 200

// OwnKeysSetting is the name of the setting that says whether people may use keys
// of their own. With the value OwnKeysForbidden nobody may.
const (
	OwnKeysSetting   = "own keys"
	OwnKeysForbidden = "forbidden"
)
