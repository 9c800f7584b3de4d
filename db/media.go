package db

import (
	"slices"
	"time"
)

// A Media is one file that is kept in the data folder. Two tasks with the same
// bytes share one blob, but each has its own Media.
type Media struct {
	ID       int64
	TaskID   int64
	Kind     MediaKind
	Position int    // 0 for the first video of a task
	Hash     string // SHA-256 of the content, in hex; names the blob
	Type     string // MIME type, detected from the bytes
	Size     int64  // bytes
	Width    int    // pixels; 0 unless it is a thumbnail
	Height   int
	Source   string // the address it was copied from
	Marks    Marks  // of its origin
	Film     Film   // what a video contains; empty for pictures
	// ServedHash is the Hash of the file as it was delivered, if a label was added to it;
	// else it is empty.
	ServedHash string
	CreatedAt  time.Time
	LostAt     time.Time // when it was found missing or truncated in the data folder; zero if it is intact
}

// A MediaKind says what a kept file is for.
type MediaKind string

const (
	Video MediaKind = "video"
	Cover MediaKind = "cover"
	Thumb MediaKind = "thumb" // the cover, scaled down; its content never changes

	// Refused is a result beside the videos that is not stored, because it is none. It keeps
	// its place among them.
	Refused MediaKind = "refused"
)

// Files holds what the service delivered for a finished task, and what is kept of
// it.
type Files struct {
	Results []Result // the addresses that the service gave
	Keeping Keeping  // how far copying them has got
	Media   []Media  // the files that are kept here; new ones have ID 0
	// RefreshedAt is when the service was asked for fresh addresses, because the
	// old ones had expired before the files were copied.
	RefreshedAt time.Time
	// FailingSince is when the first of the current series of failed attempts to
	// copy was made. Fresh addresses begin a new series.
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

// Drawn reports whether the cover was drawn by a browser from the video.
func (f Files) Drawn() bool {
	cover, has := f.Cover()
	return has && cover.Source == ""
}

// Wanted returns the files that are not stored here yet, or no longer: at most
// MaxVideos videos, then one cover.
func (f Files) Wanted() []Media {
	var videos, covers []Media
	place := 0
	for _, r := range f.Results {
		m := Media{Kind: r.Kind, Source: r.URL}
		switch {
		case r.Kind == Cover && len(covers) == 0:
			covers = append(covers, m)
		case r.Kind == Refused:
			place++
		case r.Kind == Video && place < MaxVideos:
			m.Position = place
			videos = append(videos, m)
			place++
		}
	}
	return slices.DeleteFunc(append(videos, covers...), func(m Media) bool {
		return slices.ContainsFunc(f.Media, func(have Media) bool {
			return have.Kind == m.Kind && have.Position == m.Position && have.LostAt.IsZero()
		})
	})
}

// put adds the file. If it replaces a lost file, it takes over that file's ID, and
// so its URL.
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

// NeedsCover reports whether the video is stored but has no cover, because the
// service delivered none.
func (t Task) NeedsCover() bool {
	_, video := t.Video()
	_, cover := t.Cover()
	return t.State == Success && t.Keeping == Kept && video && !cover && t.PurgedAt.IsZero()
}

// TakeCover adds a cover that somebody's browser has drawn from the stored video.
// If there is a cover already, that one stays.
func (t *Task) TakeCover(m Media) error {
	if err := t.expect(t.NeedsCover()); err != nil {
		return err
	}
	m.ID, m.TaskID, m.Kind, m.Position = 0, t.ID, Cover, 0
	t.put(m)
	return nil
}

// MayDrawCover reports whether the person's browser may draw the task's cover. The
// browsers of its maker and of admins may.
func (u User) MayDrawCover(t Task) bool {
	return u.Makes() && (t.UserID == u.ID || u.IsAdmin() && t.VisibleTo(u.ID))
}
