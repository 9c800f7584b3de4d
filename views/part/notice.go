package part

import (
	"fmt"

	"dailies/db/schedule"
)

// SpaceNotice warns admins that the space for files is running out. It is empty while
// there is enough.
func SpaceNotice(s schedule.Space) string {
	waiting, left := Plural(s.Waiting, "%s video", "%s videos"), Bytes(s.Left())
	switch {
	case !s.Scarce():
		return ""
	case s.Bounded():
		return boundedNotice(s, waiting, left)
	case s.Waiting > 0:
		return fmt.Sprintf("%s could not be kept here: the disk is nearly full, with %s left. Make room on it; they are saved then, unless their links have expired.", waiting, Bytes(max(0, s.Free)))
	case s.Left() == 0:
		return fmt.Sprintf("New videos are not kept here: the disk is nearly full, with %s left. Make room on it.", Bytes(max(0, s.Free)))
	}
	return fmt.Sprintf("There is room for only %s more of videos here: the disk is nearly full, with %s left. Make room on it in time.", left, Bytes(max(0, s.Free)))
}

// boundedNotice is SpaceNotice where -keep-max bounds what the files may take.
func boundedNotice(s schedule.Space, waiting, left string) string {
	switch {
	case s.Waiting > 0:
		return fmt.Sprintf("%s could not be kept here: they may take %s together, and take %s. Raise -keep-max; they are saved then, unless their links have expired.", waiting, Bytes(s.Max), Bytes(s.Used))
	case s.Left() == 0:
		return fmt.Sprintf("New videos are not kept here: they may take %s together, and take %s. Raise -keep-max.", Bytes(s.Max), Bytes(s.Used))
	}
	return fmt.Sprintf("There is room for only %s more of videos here: they may take %s together, and take %s. Raise -keep-max in time.", left, Bytes(s.Max), Bytes(s.Used))
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
	switch {
	case lack == LacksTeamKey && kept:
		return "There is no API key yet, so nothing was sent. An admin of your team can add one; what you typed is kept here."
	case lack == LacksTeamKey:
		return "There is no API key yet, so nothing was sent. What you typed could not be kept: please leave this page open, ask an admin of your team to add a key, then press the button again."
	case kept:
		return "There is no API key yet, so nothing was sent. Add your key in the settings; what you typed is kept here."
	}
	return "There is no API key yet, so nothing was sent. What you typed could not be kept: please open the settings in another tab, add your key, then press the button again."
}
