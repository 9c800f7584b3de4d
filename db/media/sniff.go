package media

import (
	"slices"

	"dailies/db/media/sniff"
)

// SniffLength is how many bytes of a file Sniff looks at, at most.
const SniffLength = sniff.Length

// kept lists the types of the files that are kept.
var kept = []string{"video/mp4", "video/webm", "video/quicktime", "image/jpeg", "image/png", "image/webp", "image/gif"}

// Sniff judges by a file's first bytes what it is: one of the types that are
// kept, or "".
func Sniff(head []byte) string {
	if found := sniff.Type(head); slices.Contains(kept, found) {
		return found
	}
	return ""
}
