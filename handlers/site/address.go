package site

// IsEmail reports whether the text can be the e-mail address of an account.
func IsEmail(text string) bool {
	return rules.Var(text, "required,max=254,email,excludes= ,unmistakable") == nil
}
