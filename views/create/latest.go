package create

import "dailies/views/part"

// Latest is the list beside the form: running and newest tasks.
type Latest struct {
	Cards []part.Card
}

// Live reports whether the list should refresh itself.
func (l Latest) Live() bool {
	for _, c := range l.Cards {
		if c.Live() {
			return true
		}
	}
	return false
}

// running counts the tasks that are under way.
func (l Latest) running() int {
	n := 0
	for _, c := range l.Cards {
		if c.Task.State.Running() {
			n++
		}
	}
	return n
}

// said is what a screen reader hears of the list. It changes only when a state
// does, so that nobody hears the seconds pass.
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
