// Package account renders the pages about users and their settings: setup,
// signing in, joining, settings, usage and the keyboard shortcuts.
package account

import (
	"fmt"

	"dailies/db"
	"dailies/views/input"
	"dailies/views/part"
)

// A SignUpForm holds the form that creates an account, at setup or after an
// invitation. Passwords are never shown again.
type SignUpForm struct {
	Action   string // address to which the form is sent, including the token
	Name     input.Text
	Email    input.Text
	Password input.Text
}

// NewSignUpForm returns an empty form.
func NewSignUpForm() SignUpForm {
	name := NewName("", "")
	name.Required = true
	email := newEmail("You’ll sign in with it", missingEmail)
	email.Rules = append(input.Rules{input.Valid("unmistakable", "This address has a hidden character. Type it.")}, email.Rules...)
	return SignUpForm{Name: name, Email: email, Password: NewPassword("Password")}
}

// IsRefused reports whether something is wrong in the form.
func (f SignUpForm) IsRefused() bool { return input.AreWrong(&f.Name, &f.Email, &f.Password) }

// focused returns the form with the focus in the first field that has an error,
// otherwise in the name.
func (f SignUpForm) focused() SignUpForm {
	input.FocusFirst(&f.Name, &f.Email, &f.Password)
	return f
}

// NewName returns the field for a person's name.
func NewName(name, hint string) input.Text {
	return input.Text{
		Field: input.Field{
			Name: "name", Label: "Your name", Hint: hint, Value: name, Focus: input.OnError,
			Rules: input.Rules{
				input.Required("Enter your name.").OnSubmit(), input.Max(db.MaxName, "80 characters at most").OnSubmit(),
			},
		},
		Kind: "text", Fill: "name",
	}
}

// maxEmail limits the characters of an e-mail address.
const maxEmail = 254

// newEmail returns the field for an e-mail address.
func newEmail(hint, missing string) input.Text {
	return input.Text{
		Field: input.Field{
			Name: "email", Label: "Email", Hint: hint,
			Rules: input.Rules{input.Required(missing), input.Max(maxEmail, noEmail).OnSubmit(), input.Valid("email", noEmail)},
		},
		Kind: "email", Fill: "username",
	}
}

// The sentences about e-mail addresses and passwords that will not do.
const (
	missingEmail    = "Enter your email address."
	noEmail         = "Enter an address, such as kim@example.com."
	WrongPassword   = "That’s not your current password."
	PasswordChanged = "Your password changed just now. Use the new one."
	TakenEmail      = "This address already has an account. Sign in instead."
	OtherEmail      = "This invitation is for another address. Use that one, or ask for a new link."
)

// NewPassword returns the field for a new password.
func NewPassword(label string) input.Text {
	return input.Text{
		Field: input.Field{Name: "password", Label: label, Hint: "10 characters or more. A few words work well.", Focus: input.OnError},
		Kind:  "password", Fill: "new-password", Required: true,
	}
}

// PasswordRules returns the rules of a new password, which compare it with the person.
func PasswordRules() input.Rules {
	return input.Rules{
		input.Valid("required,password=short", "Use at least 10 characters."),
		input.Valid("password=long", "200 characters at most"),
		input.Valid("password=plain", "Too easy to guess: it repeats or counts. Try a few words."),
		input.Valid("password=common", "Too easy to guess. Try a few words."),
		input.Valid("password=personal", "Too close to your name or address. Try a few words."),
	}
}

// A LoginForm holds the form that signs in.
type LoginForm struct {
	Email string // as typed
	Next  string // path within this site to go to afterwards
	// Provider is the display name of the OpenID Connect provider; empty without
	// one. PasswordsOff means that users cannot sign in with a password.
	Provider     string
	PasswordsOff bool
	Passkeys     bool // browsers can use passkeys for this site's address
	Mail         bool // a link for a new password can be sent by mail
	Errors       input.Errors
}

// A ResetForm holds the form that sets a new password.
type ResetForm struct {
	Action string // address to which the form is sent, including the token
	Email  string // the account whose password it sets; empty if the link is not valid
	Error  string // about the password

	Tokens, Webhooks int // which end with the old password
}

// ends says what ends with the old password, besides sessions; it is empty if nothing does.
func (f ResetForm) ends() string {
	if f.Tokens+f.Webhooks == 0 {
		return ""
	}
	return fmt.Sprintf("Your programs stop: tokens: %s, webhooks: %s.", part.Number(f.Tokens), part.Number(f.Webhooks))
}

// password returns the field for the new password.
func (f ResetForm) password() input.Text {
	field := NewPassword("New password")
	field.Error, field.Focus = f.Error, input.Always
	return hinted(field)
}

// email and password return the fields of the form. The first empty one has the focus.
func (f LoginForm) email() input.Text {
	field := newEmail("", "")
	field.Value, field.Error = f.Email, f.Errors["email"]
	if f.Email == "" {
		field.Focus = input.Always
	}
	return field
}

func (f LoginForm) password() input.Text {
	field := input.CurrentPassword("password", "Password")
	if field.Error = f.Errors["password"]; f.Email != "" {
		field.Focus = input.Always
	}
	return field
}

// hinted returns the field of a new password with either its hint or its error.
func hinted(t input.Text) input.Text {
	if t.Error != "" {
		t.Hint = ""
	}
	return t
}

// NewEmail returns the field for the address to which a link for a new password is sent.
func NewEmail() input.Text {
	field := newEmail("", missingEmail)
	field.Focus = input.Always
	return field
}

// currentPassword returns the field in which a person confirms a change.
func currentPassword(errs input.Errors, focus input.Focus) input.Text {
	field := input.CurrentPassword("current", "Your password")
	field.Error, field.Focus = errs["current"], focus
	return field
}
