package create

import (
	"fmt"
	"strconv"

	"dailies/db/cast"
	"dailies/db/naming"
)

// What pages say after something was done. What keeps it from being done, and stands
// beside a field, is in views/create.
const (
	recipeSaved    = "Saved. The whole team can use it now."
	recipeRestored = "The recipe is back."
	pictureDeleted = "Deleted. Its link no longer works."
	pictureNeeded  = "A video in progress needs this picture. Delete it when that’s done."
	pictureCast    = "The cast needs this picture. Take it away there first."

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

// nextBegun says with what the next scene starts: the frame that was picked at that time,
// in seconds, or a picture.
func nextBegun(at string) string {
	if seconds, err := strconv.ParseFloat(at, 64); err == nil && seconds >= 0 && seconds < 24*60*60 {
		return fmt.Sprintf("Your next scene starts with the frame at %.2f s. What happens in it?", seconds)
	}
	return "Your next scene starts with this picture. What happens in it?"
}
