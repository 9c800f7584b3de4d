package part

import (
	"strconv"

	"dailies/db"
)

// Person returns the person's name and address, for lists to choose from: several people
// may have the same name.
func Person(u db.User) string {
	if u.Email == "" {
		return db.Isolated(u.Name) + ", closed account " + strconv.FormatInt(u.ID, 10)
	}
	return db.Isolated(u.Name) + ", " + u.Email
}
