package part

import (
	"fmt"

	"dailies/db/schedule"
)

// SpaceNotice warns admins that the space for files is running out. It is empty while
// there is enough.
func SpaceNotice(s schedule.Space) string {
	free := Bytes(max(0, s.Free))
	switch {
	case !s.Scarce():
		return ""
	case s.Bounded():
		return boundedNotice(s)
	case s.Waiting > 0:
		return Plural(
			s.Waiting, "%s video isn’t saved: the disk has %s left. Free some space, and we’ll save it.",
			"%s videos aren’t saved: the disk has %s left. Free some space, and we’ll save them.",
			free,
		)
	case s.Left() == 0:
		return fmt.Sprintf("New videos aren’t saved: the disk has %s left. Free some space.", free)
	}
	return fmt.Sprintf("There’s space for %s more of videos: the disk has %s left. Free some soon.", Bytes(s.Left()), free)
}

// boundedNotice is SpaceNotice where -keep-max bounds what the files may take.
func boundedNotice(s schedule.Space) string {
	used, most := Bytes(s.Used), Bytes(s.Max)
	switch {
	case s.Waiting > 0:
		return Plural(
			s.Waiting, "%s video isn’t saved: files take %s of %s. Raise -keep-max, and we’ll save it.",
			"%s videos aren’t saved: files take %s of %s. Raise -keep-max, and we’ll save them.",
			used, most,
		)
	case s.Left() == 0:
		return fmt.Sprintf("New videos aren’t saved: files take %s of %s. Raise -keep-max.", used, most)
	}
	return fmt.Sprintf("There’s space for %s more of videos: files take %s of %s. Raise -keep-max soon.", Bytes(s.Left()), used, most)
}

// NotSaved says that nothing was sent, because the database cannot be written.
func NotSaved() string {
	return "We can’t save anything right now. Nothing was sent or charged; your text is still here."
}

// A KeyLack says what a user without an API key can do about it. It is empty for a user
// who has a key.
type KeyLack string

// These are the ways to get a key.
const (
	LacksOwnKey  KeyLack = "own"  // the user saves one in Settings
	LacksTeamKey KeyLack = "team" // the team forbids own keys, so an admin must assign one
	LacksAnyKey  KeyLack = "any"  // the same, and the user is that admin
)

// WithoutKey says that the form was not sent because there is no API key, and
// whether what was typed was kept.
func WithoutKey(lack KeyLack, kept bool) string {
	switch {
	case lack == LacksAnyKey && kept:
		return "Add a team key first. Your prompt is kept."
	case lack == LacksAnyKey:
		return "Add a team key first, in another tab: your prompt isn’t saved."
	case lack == LacksTeamKey && kept:
		return "Ask an admin to add a key. Your prompt is kept."
	case lack == LacksTeamKey:
		return "Ask an admin to add a key. Leave this page open: your prompt isn’t saved."
	case kept:
		return "Add a key first. Your prompt is kept."
	}
	return "Add a key first, in another tab: your prompt isn’t saved."
}
