package film

import (
	"context"
	"fmt"
	"image"
	"runtime/debug"
	"sync"
)

// A painter draws one moment of a scene over the whole of dst. It is used by
// several goroutines at a time and must not change itself.
type painter interface {
	paint(dst *image.RGBA, at moment)
}

// A moment is a place in the film: sec in seconds, of length in seconds.
type moment struct{ sec, length float64 }

// share returns the part of the film that has passed, 0 to 1.
func (m moment) share() float64 { return m.sec / m.length }

// A reel is a film made ready: its scene and its title, drawn frame by frame.
type reel struct {
	width, height int
	frames        int
	layers        []painter
	level         int // of the encoder, for the whole film
}

func newReel(f Film) (*reel, error) {
	title, err := newTitle(f)
	if err != nil {
		return nil, err
	}
	r := &reel{width: f.Width, height: f.Height, frames: f.frames(), layers: []painter{newScene(f), title}}
	return r, nil
}

// paint draws frame i.
func (r *reel) paint(dst *image.RGBA, i int) {
	at := moment{float64(i) / FrameRate, float64(r.frames) / FrameRate}
	for _, l := range r.layers {
		l.paint(dst, at)
	}
}

// shot is one frame on its way through the workers, or why there is none.
type shot struct {
	bytes []byte
	err   error
}

// shoot makes all frames on some workers and hands them to shown in order.
// No more frames are in the making than there are workers, so memory is
// bounded by their number.
func (r *reel) shoot(ctx context.Context, workers int, shown func(int, []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()

	// Worker k makes frames k, k+workers, …: the order needs no bookkeeping.
	lanes := make([]chan shot, workers)
	for k := range lanes {
		lanes[k] = make(chan shot, 1)
		wg.Go(func() { r.work(ctx, k, workers, lanes[k]) })
	}
	for i := range r.frames {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-lanes[i%workers]:
			if s.err != nil {
				return s.err
			}
			if err := shown(i, s.bytes); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// work makes every step-th frame from first on, in one reused picture. What
// panics in it must not end the program: pictures are strangers' bytes.
func (r *reel) work(ctx context.Context, first, step int, out chan<- shot) {
	defer func() {
		if p := recover(); p != nil {
			select {
			case out <- shot{err: fmt.Errorf("film: panic: %v\n%s", p, debug.Stack())}:
			case <-ctx.Done():
			}
		}
	}()
	frame := image.NewRGBA(image.Rect(0, 0, r.width, r.height))
	enc := newEncoder(r.width, r.height)
	for i := first; i < r.frames; i += step {
		if ctx.Err() != nil {
			return
		}
		r.paint(frame, i)
		b := r.encode(enc, frame)
		select {
		case out <- shot{bytes: b}:
		case <-ctx.Done():
			return
		}
	}
}
