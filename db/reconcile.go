package db

import "time"

// Reconcile compares the task's files with what whole says of each, and reports
// whether anything changed. A file that is missing or cut is lost; one that was
// lost and lies there again, as after somebody put it back, is kept. A video is
// Lost with the first of its files, so that its maker can keep it again. What is
// being saved is left to whoever saves it.
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
