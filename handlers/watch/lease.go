package watch

import (
	"context"
	"errors"
	"time"

	"dailies/db"
)

// leaseTime is how long a claimed task belongs to this process. The lease is
// renewed while the work goes on, so it may be short: another process can take
// over soon after this one died.
const leaseTime = 30 * time.Second

// holdLease renews the task's lease until ctx ends. It calls lost if another
// process has the task.
func (w *Watcher) holdLease(ctx context.Context, id int64, lost func()) {
	tick := time.NewTicker(leaseTime / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := w.Store.Renew(ctx, w.owner, id, db.Now().Add(leaseTime)); errors.Is(err, db.ErrConflict) {
				lost()
				return
			}
		}
	}
}
