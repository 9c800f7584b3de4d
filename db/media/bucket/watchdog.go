package bucket

import (
	"context"
	"errors"
	"time"
)

var errSilent = errors.New("it has gone silent")

// A watchdog cancels the context of a call that transfers no byte for
// silenceTimeout.
type watchdog struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// withWatchdog returns a context and the running watchdog that cancels it. The
// caller must stop the watchdog, which releases the context too.
func withWatchdog(ctx context.Context) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &watchdog{time.AfterFunc(silenceTimeout, func() { cancel(errSilent) }), cancel}
}

// reset restarts the time.
func (p *watchdog) reset() { p.timer.Reset(silenceTimeout) }

// pause stops the time while the caller, not the service, is busy.
func (p *watchdog) pause() { p.timer.Stop() }

func (p *watchdog) stop() {
	p.timer.Stop()
	p.cancel(nil)
}
