package media

import (
	"slices"

	"dailies/db/media/sniff"
)

// SniffLength is the maximum number of bytes that Sniff examines.
const SniffLength = sniff.Length

// storedTypes lists the MIME types of the files that the app stores.
var storedTypes = []string{"video/mp4", "video/webm", "video/quicktime", "video/x-matroska", "video/mp2t", "image/jpeg", "image/png", "image/webp", "image/gif"}

// Kind determines a file's MIME type from its first bytes, also one that the app does not
// store. It returns "" if it does not know it.
func Kind(head []byte) string { return sniff.Type(head) }

// Sniff determines a file's MIME type from its first bytes. It returns "" for a type
// that the app does not store.
func Sniff(head []byte) string {
	if found := sniff.Type(head); slices.Contains(storedTypes, found) {
		return found
	}
	return ""
}
