package views

// An AccountForm is the form that makes an account, for setup and for joining.
// Passwords are never shown again.
type AccountForm struct {
	Action string // the address it is sent to, token included
	Name   string
	Email  string
	Errors Errors
}

// A LoginForm is the form that signs in.
type LoginForm struct {
	Email  string
	Next   string // the local address to go to afterwards
	Errors Errors
}

const passwordHint = "At least 10 characters. A few words are easy to remember."

// A ResetForm is the form that sets a new password.
type ResetForm struct {
	Action string // the address it is sent to, token included
	Email  string // whose password it sets; empty where the link cannot be used
	Errors Errors
}
