package account

import (
	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/views/input"
)

// Signing describes how the viewer signs in, for Settings.
type Signing struct {
	Provider     string // display name of the OpenID Connect provider; empty without one
	Identities   []signin.Identity
	HasPassword  bool
	PasswordsOff bool
	SecondSteps  signin.SecondSteps
	Passkeys     []signin.Passkey
	// Guessed is the audit entry about many wrong codes for the viewer's account; the
	// zero Entry if there is none, or the password was changed since.
	Guessed audit.Entry
}

// MayDisconnect reports whether the viewer could still sign in without connected
// accounts.
func (s Signing) MayDisconnect() bool { return s.HasPassword && !s.PasswordsOff }

// A Reauthentication asks for the password again before a change to how the viewer
// signs in. Users without a password sign in again instead.
type Reauthentication struct {
	Title, Path, Button string
	What                string  // name of the thing that is changed; empty if the title is enough
	Back                string  // the page with the form that was submitted
	Fields              []Typed // fields of that form
	HasPassword         bool
	Errors              input.Errors // "current"
}

// A Typed is a form field that is submitted again.
type Typed struct{ Name, Value string }

// sessionMethods say how a user signed in, unless it was in the usual way.
var sessionMethods = map[signin.Method]string{
	signin.ByCode:     "With a password and a code",
	signin.ByPasskey:  "With a passkey",
	signin.ByProvider: "With company sign-in",
	signin.ByLink:     "With a link made on the server",
}
