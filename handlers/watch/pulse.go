package watch

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

const (
	// window is how often the bytes of a copy are counted. One that stalls is
	// aborted after one window, or two at the most.
	window = 30 * time.Second

	// slowest is how many bytes a second a copy must bring over a window. A
	// video at that rate would not be here before its link expires.
	slowest = 8 << 10
)

var errSlow = errors.New("it comes too slowly")

// A pulse aborts a copy whose bytes come too slowly, or not at all.
type pulse struct {
	io.Reader
	bytes atomic.Int64
	done  atomic.Bool
}

// Read implements io.Reader.
func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.bytes.Add(int64(n))
	if err != nil {
		p.done.Store(true) // what follows is our own disk's time
	}
	return n, err
}

// watch calls abort when a window brought too few bytes. It returns at the end
// of ctx.
func (p *pulse) watch(ctx context.Context, abort context.CancelCauseFunc) {
	tick := time.NewTicker(window)
	defer tick.Stop()
	for last := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := p.bytes.Load()
		if !p.done.Load() && now-last < slowest*int64(window/time.Second) {
			abort(errSlow)
			return
		}
		last = now
	}
}
