package views

import "dailies/db"

// SpaceNotice is what admins have to know about the room for files; empty
// while there is enough of it.
func SpaceNotice(s db.Space) string {
	switch {
	case !s.Scarce():
		return ""
	case s.Left() > 0 && s.Bounded():
		return "There is room for " + Bytes(s.Left()) + " more of videos here, then their bound of " + Bytes(s.Max) + " is reached. Raise -keep-max in time."
	case s.Left() > 0:
		return "The disk is filling up: there is room for " + Bytes(s.Left()) + " more of videos here. Make room in time."
	case s.Bounded():
		return "New videos are not kept here: their bound of " + Bytes(s.Max) + " is reached. Raise -keep-max; what waits is saved then, unless its link has expired."
	}
	return "New videos are not kept here: the disk is full, with " + Bytes(s.Free) + " left. Make room; what waits is saved then, unless its link has expired."
}
