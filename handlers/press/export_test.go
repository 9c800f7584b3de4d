package press

import (
	"testing"
	"time"

	"dailies/db"
)

// AwaitOnlyNotices disables polling and timeouts while submissions wait for their
// outcome, until the test ends.
func AwaitOnlyNotices(t *testing.T) {
	wait, look := outcomeWait, outcomeLook
	outcomeWait, outcomeLook = time.Hour, time.Hour
	t.Cleanup(func() { outcomeWait, outcomeLook = wait, look })
}

// AddWaiters adds two waiters for overlapping tasks and removes both. It returns how
// many are left, and whether requests waited before, meanwhile and after that.
func AddWaiters() (left int, waited []bool) {
	var w waiters
	waited = append(waited, w.any())
	tasks := []db.Task{{FormToken: "a"}, {FormToken: "b"}}
	_, one := w.add(tasks)
	answers, other := w.add(tasks[:1])
	w.notify(tasks[0])
	<-answers
	one()
	waited = append(waited, w.any())
	other()
	return len(w.of), append(waited, w.any())
}
