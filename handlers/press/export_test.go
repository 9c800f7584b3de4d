package press

import (
	"testing"
	"time"

	"dailies/db"
)

// AwaitOnlyBells disables polling and timeouts while submissions wait for their
// outcome, until the test ends.
func AwaitOnlyBells(t *testing.T) {
	wait, look := outcomeWait, outcomeLook
	outcomeWait, outcomeLook = time.Hour, time.Hour
	t.Cleanup(func() { outcomeWait, outcomeLook = wait, look })
}

// HangBells registers two bells for overlapping tasks and removes both. It returns how
// many are left, and whether requests waited before, meanwhile and after that.
func HangBells() (left int, waited []bool) {
	var b bells
	waited = append(waited, b.hasWaiters())
	tasks := []db.Task{{FormToken: "a"}, {FormToken: "b"}}
	_, one := b.hang(tasks)
	bell, other := b.hang(tasks[:1])
	b.ring(tasks[0])
	<-bell
	one()
	waited = append(waited, b.hasWaiters())
	other()
	return len(b.of), append(waited, b.hasWaiters())
}
