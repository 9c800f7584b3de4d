package account

import (
	"dailies/db"
	"dailies/db/team"
	"dailies/views/part"
)

// Signing holds how a person signs in, for Settings.
type Signing struct {
	Provider     string // what people call the provider; empty without one
	Identities   []team.Identity
	HasPassword  bool
	PasswordsOff bool
	Factors      team.Factors
	Passkeys     []team.Passkey
}

// MayDisconnect reports whether there is another way to sign in.
func (s Signing) MayDisconnect() bool { return s.HasPassword && !s.PasswordsOff }

// An AgainPage asks for the password once more, before a change of how somebody signs
// in. Without a password they sign in again.
type AgainPage struct {
	Title, Path, Button string
	What                string // the name of what is changed; empty where the title says all
	Back                string // the page that the form stands on
	Fields              []Typed
	HasPassword         bool
	Errors              part.Errors // "current"
}

// A Typed field is sent once more.
type Typed struct{ Name, Value string }

// sessionMethod says how a session began, empty for the usual way.
func sessionMethod(m db.Method) string {
	switch m {
	case db.ByCode:
		return "With a password and a code"
	case db.ByPasskey:
		return "With a passkey"
	case db.ByProvider:
		return "With a connected account"
	case db.ByLink:
		return "With a link from whoever runs the server"
	}
	return ""
}
