package watch

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

const (
	// window is the interval at which a copy's bytes are counted. A stalled copy is
	// aborted after one or two windows.
	window = 30 * time.Second

	// minRate is the least number of bytes per second that a copy must receive over a
	// window. At a lower rate, a video's link would expire before the copy is
	// complete.
	minRate = 8 << 10
)

var errSlow = errors.New("it comes too slowly")

// A pulse counts the bytes of a copy, so that watch can abort one that stalls or is
// too slow.
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
		p.done.Store(true) // the rest is time spent on our own disk
	}
	return n, err
}

// watch calls abort when a window brought too few bytes. It returns when ctx ends.
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
		if !p.done.Load() && now-last < minRate*int64(window/time.Second) {
			abort(errSlow)
			return
		}
		last = now
	}
}
