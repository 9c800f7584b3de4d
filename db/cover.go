package db

import "fmt"

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
