package watch

import (
	"context"
	"fmt"
	"time"

	"dailies/db/schedule"
)

// stoppedEvery is the interval at which settleStopped looks at the processes on the
// database. It is as long as the interval between their heartbeats.
const stoppedEvery = 5 * time.Second

// settleStopped looks for create calls whose process has stopped sending heartbeats. Each
// blocks its key until the process counts as gone, which is logged, because people wait;
// then its video becomes unconfirmed.
func (w *Watcher) settleStopped(ctx context.Context) {
	if !w.Store.IsShared() || time.Since(w.lastStopped) < stoppedEvery && !w.keyIsDue() {
		return
	}
	w.lastStopped = time.Now()
	found, next, err := w.Store.Calls.MarkStopped(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.Log.Error("cannot look for create calls of processes that have stopped", "err", err)
		}
		return
	}
	now := w.Store.Now()
	for _, c := range found {
		if c.FreesAt.After(now) {
			w.Log.Warn("a server stopped while it was sending a video; other videos wait for its key",
				"key", nameOf(c), "task", c.TaskID, "until", c.FreesAt.UTC(), "for", c.FreesAt.Sub(now).Round(time.Second))
		}
	}
	if w.keyFreesAt = next; w.keyIsDue() {
		w.lastUnstick = time.Time{}
		w.unstick(ctx)
		w.keyFreesAt = time.Time{}
	}
}

// keyIsDue reports whether a process that blocks a key counts as gone by now.
func (w *Watcher) keyIsDue() bool {
	return !w.keyFreesAt.IsZero() && !w.keyFreesAt.After(w.Store.Now())
}

// nameOf returns words that identify the key of the call in the log, without the key.
func nameOf(c schedule.Call) string {
	switch {
	case c.KeyName != "":
		return fmt.Sprintf("%s …%s", c.KeyName, c.KeyEnd)
	case c.KeyEnd != "":
		return fmt.Sprintf("%s’s own key …%s", c.Payer, c.KeyEnd)
	}
	return fmt.Sprintf("%s’s earlier own key", c.Payer)
}
