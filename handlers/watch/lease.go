package watch

import (
	"context"
	"errors"
	"time"

	"dailies/db"
)

// leaseTime is how long a claim reserves a task for this process. The lease is
// renewed during the work, so it can be short: another process can take over soon
// after this one dies.
const leaseTime = 30 * time.Second

// holdLease renews the task's lease, which lasts until the given time, until ctx
// ends. It calls lost if another process has the task, or may have it because the
// lease expired before the database recorded a renewal.
func (w *Watcher) holdLease(ctx context.Context, id int64, until time.Time, lost func()) {
	tick := time.NewTicker(leaseTime / 3)
	defer tick.Stop()
	runsOut := time.NewTimer(time.Until(until))
	defer runsOut.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-runsOut.C:
			if w.Store.IsShared() {
				lost()
				return
			}
		case <-tick.C:
			now, asked := w.Store.Now(), time.Now()
			try, stop := context.WithTimeout(ctx, leaseTime/3)
			err := w.Store.Leases.Renew(try, w.owner, id, now.Add(leaseTime))
			stop()
			if errors.Is(err, db.ErrConflict) {
				lost()
				return
			}
			if err == nil {
				runsOut.Reset(time.Until(asked.Add(leaseTime)))
			}
		}
	}
}
