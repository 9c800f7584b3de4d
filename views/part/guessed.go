package part

import (
	"fmt"

	"dailies/db/audit"
)

// WrongCodes returns the sentence about an audit entry that says that many wrong codes
// were given for an account.
func WrongCodes(e audit.Entry) string {
	if e.Actor.Address == "" {
		return "Eight wrong codes were tried with the right password."
	}
	return fmt.Sprintf("Eight wrong codes were tried with the right password, the last from network address %s.", e.Actor.Address)
}
