// Package people stores the team: accounts and how people sign in, members, keys, limits,
// mail, webhooks, the audit and settings. Each noun has a small store of its own. It knows
// nothing of package video; what concerns both is in package store.
package people

import (
	"time"

	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// People are the small stores of this package.
type People struct {
	Accounts    *Accounts
	Sessions    *Sessions
	SignOn      *SignOn
	SecondSteps *SecondSteps
	Guesses     *Guesses
	Members     *Members
	Invites     *Invites
	Keys        *Keys
	Limits      *Limits
	Mail        *Mail
	Webhooks    *Webhooks
	Audit       *Audit
	Services    *Services
	Programs    *Programs
	Settings    *Settings
}

// Waiting ends the tasks that wait to be sent, for this package, which knows nothing of
// videos: somebody who becomes a viewer makes none any more.
type Waiting interface {
	// EndWaiting rejects the person's queued tasks, with the reason why.
	EndWaiting(tx *engine.Tx, id int64, why string, now time.Time)
}

// On returns the stores on the database.
func On(d *teamdb.DB, waiting Waiting) People {
	members := &Members{d, waiting}
	audit := &Audit{d}
	return People{
		Accounts:    &Accounts{d},
		Sessions:    &Sessions{db: d, recent: engine.NewRecents[secrets.TokenHash, signedIn]()},
		SignOn:      &SignOn{d, members},
		SecondSteps: &SecondSteps{d, audit},
		Guesses:     &Guesses{d},
		Members:     members,
		Invites:     &Invites{d},
		Keys:        &Keys{d},
		Limits:      &Limits{d},
		Mail:        &Mail{d},
		Webhooks:    &Webhooks{d},
		Audit:       audit,
		Services:    &Services{d},
		Programs:    &Programs{d},
		Settings:    &Settings{d},
	}
}
