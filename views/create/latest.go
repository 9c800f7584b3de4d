package create

import (
	"slices"

	"dailies/views/part"
)

// Latest holds the list beside the form: running and newest tasks.
type Latest struct {
	Cards []part.Card
}

// Live reports whether the list should refresh itself.
func (l Latest) Live() bool { return slices.ContainsFunc(l.Cards, part.Card.Live) }

// running counts the running tasks.
func (l Latest) running() int {
	n := 0
	for _, c := range l.Cards {
		if c.Task.State.Running() {
			n++
		}
	}
	return n
}

// said summarises the list for screen readers. It changes only when a task's
// state does, so that they do not announce every second.
func (l Latest) said() string {
	if len(l.Cards) == 0 {
		return ""
	}
	said := ""
	if n := l.running(); n > 0 {
		said = part.Count(n, "video") + " being made. "
	}
	for _, c := range l.Cards {
		if !c.Task.State.Running() {
			return said + c.Announcement()
		}
	}
	return said
}
