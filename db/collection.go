package db

import "time"

// A Collection is a row of videos that the team has put together under a name.
type Collection struct {
	ID        int64
	Name      string
	Note      string
	CreatedBy int64
	MakerName string // of CreatedBy; filled in when read
	CreatedAt time.Time
	ChangedAt time.Time
	Count     int    // videos in it that the viewer sees; filled in when listed
	Covers    []Task // up to four of them, with their media; filled in when listed
}
