package db

import "time"

// A Media is one file that is kept in the data folder. Two tasks with the same
// bytes share one blob but have a Media each.
type Media struct {
	ID        int64
	TaskID    int64
	Kind      MediaKind
	Position  int    // 0 for the first video of a task
	Hash      string // SHA-256 of the content, in hex; names the blob
	Type      string // MIME type, judged by the bytes
	Size      int64  // bytes
	Source    string // the address it was copied from
	CreatedAt time.Time
	LostAt    time.Time // found missing or cut in the data folder; zero while it is here
}

// A MediaKind says what a kept file is for.
type MediaKind string

const (
	Video MediaKind = "video"
	Cover MediaKind = "cover"
)
