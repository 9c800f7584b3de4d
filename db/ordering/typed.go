package ordering

import (
	"encoding/json"
	"net/url"
	"time"

	"dailies/db/secrets"
)

// A Typed is a form that was sent after the person's session had ended. It is kept
// until the same browser has signed in again.
type Typed struct {
	UserID int64      `json:"user"` // who was signed in on the page; 0 if that is not known
	Page   string     `json:"page"` // the address of the page with the form
	Values url.Values `json:"values"`
	At     time.Time  `json:"at"`
}

// A Typist is a browser without a session that has sent a form.
type Typist struct {
	Browser secrets.TokenHash // of a token in the browser's cookie
	Owner   secrets.TokenHash // whose limit the form counts for: the browser's, or a stranger's network address
	Known   bool              // the browser has signed in before
}

// Limits of stored forms, because anybody may send a form without a session. Sizes are
// in bytes, as JSON, and include typedRow. Forms of strangers and of browsers that have
// signed in before are limited apart, so that neither pushes out the other.
const (
	TypedLife       = 2 * time.Hour
	MaxTyped        = 256 << 10 // one form
	MaxTypedOfOne   = 1 << 20   // all forms of one Owner
	MaxTypedKnown   = 64 << 20  // all forms of browsers that have signed in before
	MaxTypedUnknown = 8 << 20   // all forms of strangers

	typedRow = 1 << 10 // for each form, so that there are not many small ones
)

// Size returns what the form counts towards the limits.
func (t Typed) Size() int {
	text, err := json.Marshal(t)
	if err != nil {
		return MaxTyped + 1
	}
	return len(text) + typedRow
}

// Fits reports whether the form is small enough to be kept.
func (t Typed) Fits() bool { return t.Size() <= MaxTyped }

// MaxTypedOf returns the limit of all forms of browsers that have signed in before, or
// of strangers.
func MaxTypedOf(known bool) int {
	if known {
		return MaxTypedKnown
	}
	return MaxTypedUnknown
}

// TypedToken returns the hash under which the browser with the token keeps what was
// typed on the page.
func TypedToken(browser, page string) secrets.TokenHash {
	return secrets.HashToken(browser + " " + page)
}

// For reports whether the form may be shown to the person at the time.
func (t Typed) For(userID int64, now time.Time) bool {
	return (t.UserID == 0 || t.UserID == userID) && now.Before(t.At.Add(TypedLife))
}
