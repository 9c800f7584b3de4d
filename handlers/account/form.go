package account

import (
	"maps"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
)

// rules checks the forms of this package. It is safe for concurrent use.
var rules = site.NewValidator()

// signUpForm holds the form fields for a new account, at setup and when joining.
type signUpForm struct {
	Name     string `form:"name" validate:"required,max=80"`
	Email    string `form:"email" validate:"required,max=254,email"`
	Password string `form:"password"`
}

func readAccount(r *http.Request) signUpForm {
	return signUpForm{
		Name:     db.CleanName(r.PostFormValue("name")),
		Email:    strings.TrimSpace(site.PlainText(r.PostFormValue("email"))),
		Password: r.PostFormValue("password"),
	}
}

// check returns the form's error messages, nil if it is valid.
func (f signUpForm) check() part.Errors {
	errs := part.Errors{}
	maps.Copy(errs, site.Messages(rules.Struct(f), accountSentence))
	if db.Misleads(strings.ReplaceAll(f.Email, " ", "")) { // an address with spaces is none, and everybody sees that
		errs["email"] = "There is a character in it that cannot be seen, or that looks like another one. Please type the address instead of pasting it."
	}
	if sentence := passwordSentence(f.Password, db.User{Name: f.Name, Email: f.Email}); sentence != "" {
		errs["password"] = sentence
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

func accountSentence(field, rule string) string {
	switch {
	case field == "name" && rule == "required":
		return "Please say what others should call you."
	case field == "name":
		return "Please use at most 80 characters."
	case field == "email" && rule == "required":
		return "Please give your e-mail address. You sign in with it."
	case field == "email":
		return "This does not look like an e-mail address, such as kim@example.com."
	}
	return ""
}

// passwordSentence returns why the user cannot have the password, empty if they can.
func passwordSentence(password string, u db.User) string {
	switch db.CheckNewPassword(password, u) {
	case "":
		return ""
	case db.PasswordShort:
		return "Please use at least 10 characters."
	case db.PasswordLong:
		return "Please use at most 200 characters."
	case db.PasswordPlain:
		return "This is too easy to guess, because it repeats or counts. Try a few words."
	case db.PasswordPersonal:
		return "This is hardly more than your name or your e-mail address. Please choose something else, such as a few words."
	}
	return "This is one of the passwords that are tried first. Please choose something else, such as a few words."
}

// user returns the account that the person with the token of a link asks for. The error
// is a site.BusyError if too many passwords are waiting to be hashed.
func (f signUpForm) user(r *http.Request, hashing *site.Hashing, token string, role db.Role) (db.User, error) {
	hash, err := hashing.Hash(r.Context(), site.InvitedApplicant(token), f.Password)
	return db.User{Name: f.Name, Email: f.Email, Password: hash, Role: role, CreatedAt: db.Now()}, err
}

func (f signUpForm) view(action string, errs part.Errors) accountview.SignUpForm {
	return accountview.SignUpForm{Action: action, Name: f.Name, Email: f.Email, Errors: errs}
}
