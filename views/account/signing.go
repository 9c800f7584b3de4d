package account

import (
	"dailies/db"
	"dailies/db/team"
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
