package site

import "dailies/db"

// IsEmail reports whether the text can be the e-mail address of an account.
func IsEmail(text string) bool {
	return texts.Var(text, "required,max=254,email") == nil && !db.Misleads(text)
}
