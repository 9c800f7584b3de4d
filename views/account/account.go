// Package account renders the pages about users and their settings: setup,
// signing in, joining, settings, usage and the keyboard shortcuts.
package account

import "dailies/views/part"

// A SignUpForm holds the form that creates an account, at setup or after an
// invitation. Passwords are never shown again.
type SignUpForm struct {
	Action string // address to which the form is sent, including the token
	Name   string
	Email  string
	Errors part.Errors
}

// A LoginForm holds the form that signs in.
type LoginForm struct {
	Email string
	Next  string // path within this site to go to afterwards
	// Provider is the display name of the OpenID Connect provider; empty without
	// one. PasswordsOff means that users cannot sign in with a password.
	Provider     string
	PasswordsOff bool
	Passkeys     bool // browsers can use passkeys for this site's address
	Mail         bool // a link for a new password can be sent by mail
	Errors       part.Errors
}

// passwordHint says what a new password needs, unless an error message says it
// already.
func passwordHint(errors part.Errors) string {
	if errors["password"] != "" {
		return ""
	}
	return "At least 10 characters. A few words are easy to remember."
}

// A ResetForm holds the form that sets a new password.
type ResetForm struct {
	Action string // address to which the form is sent, including the token
	Email  string // the account whose password it sets; empty if the link is not valid
	Errors part.Errors
}
