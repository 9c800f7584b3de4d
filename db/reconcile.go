package db

import "time"

// Reconcile updates the task's files according to whole, which reports whether a
// file is stored intact, and reports whether anything changed. A missing or
// truncated file becomes lost; a lost file that is back, for example restored by
// hand, is kept again. A task becomes Lost with the first of its videos, so that
// its maker can have it copied again. A task that is being saved is left alone.
func (t *Task) Reconcile(whole func(Media) bool, now time.Time) (changed bool) {
	if t.Keeping != Kept && t.Keeping != Lost {
		return false
	}
	gone, back, here := false, false, 0
	for i := range t.Media {
		m := &t.Media[i]
		is := whole(*m)
		if is && m.Kind == Video {
			here++
		}
		switch {
		case is == m.LostAt.IsZero():
			gone = gone || m.Kind == Video && !is
			continue
		case is:
			m.LostAt, back = time.Time{}, back || m.Kind == Video
		default:
			m.LostAt, gone = now, gone || m.Kind == Video
		}
		changed = true
	}
	switch {
	case gone && t.Keeping == Kept:
		t.Keeping, t.Blame, t.Message = Lost, BlameService, "Its file is missing or damaged in the data folder."
		return true
	case back && !gone && here >= min(videos(t.Results), MaxVideos) && t.Keeping == Lost:
		t.Keeping, t.Blame, t.Message = Kept, NoBlame, ""
		return true
	}
	return changed
}
