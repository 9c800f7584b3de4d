package library

import "fmt"

// The sentences about the ID that the video service gave a video whose answer was lost.
const (
	Followed        = "Found. We’ll follow it from here."
	IDTaken         = "Another video here has this ID. Check the list once more."
	IDUnknown       = "The video service doesn’t know this ID. Copy it once more."
	IDOfAnotherKey  = "This video belongs to another key."
	IDIsNoVideo     = "This ID isn’t a video’s."
	IDBeingChecked  = "We’re already asking about this ID. Try again in a moment."
	IDsTooMany      = "That’s many IDs at once. Try again in a minute."
	IDNeedsKey      = "Add a key first."
	IDRefusedKey    = "The video service refuses your key. Check it in Settings."
	IDNotChecked    = "We couldn’t ask the video service. Try again in a moment."
	NewThumbnail    = "New thumbnail on its way"
	ThumbnailDenied = "Only its maker or an admin can change the thumbnail."
	ThumbnailOdd    = "We can’t use this as a thumbnail."
	NoSuchStart     = "The timecode can start at 00:00:00:00 or at 01:00:00:00."
)

// CannotStart says that a scene cannot start at the frame that was chosen, and with which
// frames it can: the one before and, unless it is 0, the next.
func CannotStart(scene, before, next int) string {
	if next == 0 {
		return fmt.Sprintf("Scene %d can’t start exactly there. Use the nearest frame: %d.", scene, before)
	}
	return fmt.Sprintf("Scene %d can’t start exactly there. Use the nearest frame: %d or %d.", scene, before, next)
}
