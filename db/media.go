package db

import (
	"slices"
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
	Width     int    // pixels of a thumbnail, else 0
	Height    int
	Source    string // the address it was copied from
	CreatedAt time.Time
	LostAt    time.Time // found missing or cut in the data folder; zero while it is here
}

// A MediaKind says what a kept file is for.
type MediaKind string

const (
	Video MediaKind = "video"
	Cover MediaKind = "cover"
	Thumb MediaKind = "thumb" // the cover, small; its content never changes
)

// Files holds what the service gave for a finished task, and what is kept of it.
type Files struct {
	Results []Result // the addresses that the service gave
	Keeping Keeping  // how far the copy of them is
	Media   []Media  // what is kept here; new ones have ID 0
	// RefreshedAt is when the service was asked for fresh addresses, because the
	// old ones had expired before the files were copied.
	RefreshedAt time.Time
	// FailingSince is when the first of the attempts to copy failed that have
	// all failed since then, or since fresh addresses came.
	FailingSince time.Time
}

// Video returns the first kept video whose file is not lost.
func (f Files) Video() (Media, bool) { return f.first(Video) }

// Cover returns the kept cover picture, unless its file is lost.
func (f Files) Cover() (Media, bool) { return f.first(Cover) }

// Thumb returns the thumbnail of the cover, unless its file is lost.
func (f Files) Thumb() (Media, bool) { return f.first(Thumb) }

func (f Files) first(kind MediaKind) (Media, bool) {
	for _, m := range f.Media {
		if m.Kind == kind && m.LostAt.IsZero() {
			return m, true
		}
	}
	return Media{}, false
}

// Drawn reports whether the picture for the video's card was drawn by a browser.
func (f Files) Drawn() bool {
	cover, has := f.Cover()
	return has && cover.Source == ""
}

// Wanted returns the files that are not here, or not any more: at
// most MaxVideos videos, then one cover.
func (f Files) Wanted() []Media {
	var videos, covers []Media
	for _, r := range f.Results {
		m := Media{Kind: r.Kind, Source: r.URL}
		switch {
		case r.Kind == Cover && len(covers) == 0:
			covers = append(covers, m)
		case r.Kind == Video && len(videos) < MaxVideos:
			m.Position = len(videos)
			videos = append(videos, m)
		}
	}
	return slices.DeleteFunc(append(videos, covers...), func(m Media) bool {
		return slices.ContainsFunc(f.Media, func(have Media) bool {
			return have.Kind == m.Kind && have.Position == m.Position && have.LostAt.IsZero()
		})
	})
}

// put adds the file, in the place of one that was lost: that one's address goes
// on with the new content.
func (f *Files) put(m Media) {
	for i, old := range f.Media {
		if old.Kind == m.Kind && old.Position == m.Position && !old.LostAt.IsZero() {
			m.ID = old.ID
			f.Media[i] = m
			return
		}
	}
	f.Media = append(f.Media, m)
}

func videos(results []Result) (n int) {
	for _, r := range results {
		if r.Kind == Video {
			n++
		}
	}
	return n
}

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
	if err := t.expect(t.NeedsCover()); err != nil {
		return err
	}
	m.ID, m.TaskID, m.Kind, m.Position = 0, t.ID, Cover, 0
	t.put(m)
	return nil
}

// Poses reports whether the picture for the task's card is taken from the
// person's browser, and whether they may have it drawn anew: its maker, and
// admins.
func (u User) Poses(t Task) bool {
	return u.Makes() && (t.UserID == u.ID || u.IsAdmin() && t.VisibleTo(u.ID))
}
