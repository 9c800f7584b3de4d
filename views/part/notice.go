package part

import "dailies/db"

// SpaceNotice warns admins that the space for files is running out. It is empty while
// there is enough.
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

// NotSaved says that nothing was sent, because the database cannot be written.
func NotSaved() string {
	return "Dailies cannot write anything down just now, so nothing was sent and nothing was paid. What you typed is still here: please try again in a moment. If it stays like this, tell whoever runs Dailies that the disk may be full."
}

// A KeyLack says what a user without an API key can do about it. It is empty for a user
// who has a key.
type KeyLack string

// These are the ways to get a key.
const (
	LacksOwnKey  KeyLack = "own"  // the user saves one in Settings
	LacksTeamKey KeyLack = "team" // the team forbids own keys, so an admin must assign one
)

// WithoutKey says that the form was not sent because there is no API key, and
// whether what was typed was kept.
func WithoutKey(lack KeyLack, kept bool) string {
	const missing = "There is no API key yet, so nothing was sent. "
	switch {
	case lack == LacksTeamKey && kept:
		return missing + "An admin of your team can add one; what you typed is kept here."
	case lack == LacksTeamKey:
		return missing + "What you typed could not be kept: please leave this page open, ask an admin of your team to add a key, then press the button again."
	case kept:
		return missing + "Add your key in the settings; what you typed is kept here."
	}
	return missing + "What you typed could not be kept: please open the settings in another tab, add your key, then press the button again."
}
