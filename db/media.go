package db

import (
	"fmt"
	"time"
)

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

// NeedsCover reports whether the video is kept and has no picture for its card,
// because the service gave none.
func (t Task) NeedsCover() bool {
	_, video := t.Video()
	_, cover := t.Cover()
	return t.State == Success && t.Keeping == Kept && video && !cover && t.PurgedAt.IsZero()
}

// TakeCover takes the picture that somebody's browser has drawn from the kept
// video. The first one stays.
func (t *Task) TakeCover(m Media) error {
	if !t.NeedsCover() {
		return fmt.Errorf("task %d needs no cover: %w", t.ID, ErrConflict)
	}
	m.ID, m.TaskID, m.Kind, m.Position = 0, t.ID, Cover, 0
	t.put(m)
	return nil
}

// PosedBy reports whether the picture for the video's card is taken from the
// person's browser, and whether they may have it drawn anew: its maker, and
// admins.
func (t Task) PosedBy(u User) bool { return t.UserID == u.ID || u.IsAdmin() && t.VisibleTo(u.ID) }

// Drawn reports whether the picture for the video's card was drawn by a browser.
func (t Task) Drawn() bool {
	cover, has := t.Cover()
	return has && cover.Source == ""
}
