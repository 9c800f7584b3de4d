package site

import (
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/team"
)

// IsEmail reports whether the text can be the e-mail address of an account.
func IsEmail(text string) bool {
	return texts.Var(text, "required,max=254,email") == nil && !db.Misleads(text)
}

// TakenAddress returns the sentence about an e-mail address that the account u has
// already, so that nobody else can be given it.
func TakenAddress(address string, u db.User, now time.Time) string {
	name := naming.Isolated(u.Name)
	switch {
	case u.IsActive():
		return fmt.Sprintf("“%s” has an account here already: %s.", address, name)
	case team.CanReturn(u, now):
		return fmt.Sprintf("“%s” has a deactivated account here: %s. Activate it on its page.", address, name)
	}
	return fmt.Sprintf("“%s” is the address of a closed account, %s, and is about to be given free. Please try again in an hour.", address, name)
}
