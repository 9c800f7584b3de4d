package create

import (
	"fmt"
	"strconv"
)

const (
	pictureDeleted = "Deleted. Its link no longer works."
	pictureNeeded  = "A video in progress needs this picture. Delete it when that’s done."
	pictureCast    = "The cast needs this picture. Take it away there first."
)

// nextBegun says with what the next scene starts: the frame that was picked at that time,
// in seconds, or a picture.
func nextBegun(at string) string {
	if seconds, err := strconv.ParseFloat(at, 64); err == nil && seconds >= 0 && seconds < 24*60*60 {
		return fmt.Sprintf("Your next scene starts with the frame at %.2f s. What happens in it?", seconds)
	}
	return "Your next scene starts with this picture. What happens in it?"
}
