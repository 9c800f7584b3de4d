package bucket

import (
	"context"
	"errors"
	"time"
)

var errSilent = errors.New("it has gone silent")

// patience ends the context of a call that is silent for too long.
type patience struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// patient returns a context with the patience that ends it; the caller ends
// both.
func patient(ctx context.Context) (context.Context, *patience) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &patience{time.AfterFunc(silence, func() { cancel(errSilent) }), cancel}
}

// wait begins to wait for the service anew.
func (p *patience) wait() { p.timer.Reset(silence) }

// rest stops waiting: it is not the service that lets others wait.
func (p *patience) rest() { p.timer.Stop() }

func (p *patience) end() {
	p.timer.Stop()
	p.cancel(nil)
}
