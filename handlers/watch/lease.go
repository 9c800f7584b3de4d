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

// holdLease renews the task's lease, which lasts until the time, until ctx ends. It
// calls lost if another process has the task, or may have it because the lease ran
// out before the database took the renewal.
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
			err := w.Store.Renew(try, w.owner, id, now.Add(leaseTime))
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
