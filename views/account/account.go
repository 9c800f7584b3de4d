// Package account draws the pages about people and their settings: setup,
// signing in, joining, settings, usage and the keyboard's keys.
package account

import "dailies/views/part"

// An SignUpForm holds the form that makes an account, for setup and for
// joining. Passwords are never shown again.
type SignUpForm struct {
	Action string // the address it is sent to, token included
	Name   string
	Email  string
	Errors part.Errors
}

// A LoginForm holds the form that signs in.
type LoginForm struct {
	Email string
	Next  string // the local address to go to afterwards
	// Provider is what people call the provider at which they sign in; empty without
	// one. PasswordsOff says that there is no other way.
	Provider     string
	PasswordsOff bool
	Passkeys     bool // browsers use passkeys at this address
	Mail         bool // a link for a new password can be sent
	Errors       part.Errors
}

// passwordHint says what a new password needs, unless a message says it already.
func passwordHint(errors part.Errors) string {
	if errors["password"] != "" {
		return ""
	}
	return "At least 10 characters. A few words are easy to remember."
}

// A ResetForm holds the form that sets a new password.
type ResetForm struct {
	Action string // the address it is sent to, token included
	Email  string // whose password it sets; empty where the link cannot be used
	Errors part.Errors
}
