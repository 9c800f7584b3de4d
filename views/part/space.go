package part

import "dailies/db"

// SpaceNotice warns admins that the room for files runs out; empty while there
// is enough.
func SpaceNotice(s db.Space) string {
	what, mend := "the disk is nearly full, with "+Bytes(max(0, s.Free))+" left", "Make room on it"
	if s.Bounded() {
		what, mend = "they may take "+Bytes(s.Max)+" together, and take "+Bytes(s.Used), "Raise -keep-max"
	}
	switch {
	case !s.Scarce():
		return ""
	case s.Waiting > 0:
		return Count(s.Waiting, "video") + " could not be kept here: " + what + ". " + mend + "; they are saved then, unless their links have expired."
	case s.Left() == 0:
		return "New videos are not kept here: " + what + ". " + mend + "."
	}
	return "There is room for only " + Bytes(s.Left()) + " more of videos here: " + what + ". " + mend + " in time."
}
