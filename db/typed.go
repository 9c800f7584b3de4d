package db

import (
	"encoding/json"
	"net/url"
	"time"
)

// A Typed is a form that was sent after the person's session had ended. It is kept
// until the same browser has signed in again.
type Typed struct {
	UserID int64      `json:"user"` // who was signed in on the page; 0 if that is not known
	Page   string     `json:"page"` // the address of the page with the form
	Values url.Values `json:"values"`
	At     time.Time  `json:"at"`
}

// Limits of stored forms, because anybody may send a form without a session.
const (
	TypedLife = 2 * time.Hour
	MaxTyped  = 256 << 10 // bytes of one, as JSON
	MostTyped = 64        // forms kept at one time; the oldest is dropped first
)

// Fits reports whether the form is small enough to be kept.
func (t Typed) Fits() bool {
	text, err := json.Marshal(t)
	return err == nil && len(text) <= MaxTyped
}

// For reports whether the form may be shown to the person at the time.
func (t Typed) For(userID int64, now time.Time) bool {
	return (t.UserID == 0 || t.UserID == userID) && now.Before(t.At.Add(TypedLife))
}
