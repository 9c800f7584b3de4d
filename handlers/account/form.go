package account

import (
	"net/http"
	"strings"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/site"
	accountview "dailies/views/account"
)

// readAccount reads the form for a new account. If it is invalid, its fields have errors.
func readAccount(r *http.Request) accountview.SignUpForm {
	form := accountview.NewSignUpForm()
	site.ReadForm(r, &form.Name, &form.Email, &form.Password)
	if db.Misleads(strings.ReplaceAll(form.Email.Value, " ", "")) { // an address with spaces is none, and everybody sees that
		form.Email.Error = accountview.MisleadingEmail
	}
	form.Password.Error = PasswordSentence(form.Password.Value, db.User{Name: form.Name.Value, Email: form.Email.Value})
	return form
}

// PasswordSentence returns why the user cannot have the password, empty if they can.
func PasswordSentence(password string, u db.User) string {
	return accountview.PasswordSentence(secrets.CheckNewPassword(password, u))
}
