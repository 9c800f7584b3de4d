package team

import "time"

// An Announcement is one line that an admin shows on every page.
type Announcement struct {
	Text  string
	Until time.Time // when it ends
}

// MaxAnnouncement bounds an Announcement, in characters.
const MaxAnnouncement = 240

// IsShown reports whether the announcement is shown at the time.
func (a Announcement) IsShown(now time.Time) bool { return a.Text != "" && now.Before(a.Until) }
