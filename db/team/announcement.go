package team

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// An Announcement is one line of text that an admin shows on every page.
type Announcement struct {
	Text  string
	Until time.Time        // when it ends
	Kind  AnnouncementKind `json:",omitempty"`
	Stays bool             `json:",omitempty"` // people cannot close it
}

// An AnnouncementKind says how urgent an announcement is.
type AnnouncementKind string

// The kinds.
const (
	Info    AnnouncementKind = ""
	Warning AnnouncementKind = "warning"
)

// MaxAnnouncement limits an Announcement, in characters.
const MaxAnnouncement = 240

// IsShown reports whether the announcement is shown at the given time.
func (a Announcement) IsShown(now time.Time) bool { return a.Text != "" && now.Before(a.Until) }

// Mark returns a short text that differs for announcements with different texts. It is
// kept for people who have closed one.
func (a Announcement) Mark() string {
	sum := sha256.Sum256([]byte(a.Text))
	return hex.EncodeToString(sum[:8])
}
