package library

import (
	"strconv"

	"dailies/views/part"
)

// A Transport is the bar that controls one video, several at the same time, or
// several one after another.
type Transport struct {
	Whole  bool     // with play, time and sound: there are no controls but these
	Full   bool     // can fill the screen
	Sounds []string // the videos of which one is heard
}

// filmLength returns the length that was requested, for browsers that cannot
// tell it.
func filmLength(c part.Card) string { return strconv.Itoa(c.Task.Options.Duration) }
