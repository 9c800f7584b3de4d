package cast

import (
	"fmt"

	"dailies/db/cast"
	"dailies/db/naming"
)

const (
	memberSaved    = "Saved. Everybody in the team can use it now."
	memberRestored = "Back in the cast."
	memberGone     = "It was deleted before."
	handleTaken    = "This handle belongs to another one in the cast now. Change that one first."
	castFull       = "A team has at most 500 in its cast. Delete one first."
	pictureLeft    = "One of the pictures is gone. Add it again."
)

// memberDeleted says that the member is deleted.
func memberDeleted(m cast.Member) string {
	return fmt.Sprintf("%s is deleted. The videos stay.", naming.Isolated(m.Name))
}
