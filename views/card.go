package views

import (
	"time"

	"dailies/db"
)

// A Card is one task with what is known around it.
type Card struct {
	Task      db.Task
	ModelName string
	Usual     db.Usual // of tasks like it; Count 0 without history
	Mine      bool
	Now       time.Time
}

// Live reports whether the card will change by itself: the task runs, or its
// files are still being copied.
func (c Card) Live() bool { return c.Task.State.Running() || c.Task.Keeping == db.Saving }

// Slow reports whether the task takes much longer than tasks like it.
func (c Card) Slow() bool {
	usual := max(c.Usual.High, 5*time.Minute)
	return c.Task.State.Running() && c.Task.Elapsed(c.Now) > 2*usual
}
