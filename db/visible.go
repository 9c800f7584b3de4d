package db

// VisibleTo reports whether the person may see the task: its maker may until it
// is purged, everybody else while it is the team's. It decides for every page,
// file, download, count and link. In SQL the same rule is the fragment visible
// in package store.
func (t Task) VisibleTo(userID int64) bool {
	return t.UserID == userID && t.PurgedAt.IsZero() || t.OfTeam()
}

// OfTeam reports whether the whole team may see the task: a finished video that
// is neither private nor in the bin. In the database it is the column team.
func (t Task) OfTeam() bool { return t.Made() && !t.Private }

// ListedFor reports whether lists show the task to the person: they may see it,
// and it is not in the bin.
func (t Task) ListedFor(userID int64) bool { return t.DeletedAt.IsZero() && t.VisibleTo(userID) }

// Made reports whether the video is finished and not in the bin.
func (t Task) Made() bool {
	return t.State == Success && t.DeletedAt.IsZero() && t.PurgedAt.IsZero()
}

// Playable reports whether the video is made and its file is kept here.
func (t Task) Playable() bool {
	_, here := t.Video()
	return here && t.Made()
}

// PlayableFor reports whether the person may see the video, compare it, go on
// from it and make a link to it.
func (t Task) PlayableFor(userID int64) bool { return t.Playable() && t.VisibleTo(userID) }
