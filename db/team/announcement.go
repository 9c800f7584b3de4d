package team

import "time"

// An Announcement is one line of text that an admin shows on every page.
type Announcement struct {
	Text  string
	Until time.Time // when it ends
}

// MaxAnnouncement limits an Announcement, in characters.
const MaxAnnouncement = 240

// IsShown reports whether the announcement is shown at the given time.
func (a Announcement) IsShown(now time.Time) bool { return a.Text != "" && now.Before(a.Until) }
