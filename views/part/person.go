package part

import (
	"fmt"

	"dailies/db"
	"dailies/db/naming"
)

// Person returns the person's name and address, for lists to choose from: several people
// may have the same name.
func Person(u db.User) string {
	if u.Email == "" {
		return fmt.Sprintf("%s, closed account %d", naming.Isolated(u.Name), u.ID)
	}
	return fmt.Sprintf("%s, %s", naming.Isolated(u.Name), u.Email)
}
