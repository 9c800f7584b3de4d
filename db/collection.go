package db

import "time"

// What fits in a collection: videos, and characters of its name and its note.
const (
	MaxCollection     = 500
	MaxCollectionName = 80
	MaxCollectionNote = 1000
)

// MostCovers is how many videos stand for a collection.
const MostCovers = 4

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
