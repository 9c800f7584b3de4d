package film

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// A painter draws one moment of a film over the whole of dst. Several goroutines
// may call it at the same time.
type painter func(dst *image.RGBA, at moment)

// A moment is a time in a film: sec seconds after the start of a film of length
// seconds.
type moment struct{ sec, length float64 }

// share returns the part of the film that has passed, from 0 to 1.
func (m moment) share() float64 { return m.sec / m.length }

// A reel draws and encodes the frames of a film: the scene, and the title over
// it.
type reel struct {
	width, height int
	frames        int
	layers        []painter
	level         int // of quantization, for the whole film
}

func newReel(f Film) (*reel, error) {
	title, err := newTitle(f)
	if err != nil {
		return nil, err
	}
	return &reel{width: f.Width, height: f.Height, frames: f.frames(), layers: []painter{newScene(f), title.paint}}, nil
}

// paint draws frame i.
func (r *reel) paint(dst *image.RGBA, i int) {
	at := moment{float64(i) / FrameRate, float64(r.frames) / FrameRate}
	for _, l := range r.layers {
		l(dst, at)
	}
}

// shoot renders all frames with some workers and calls shown for each frame, in
// order. The number of workers bounds the number of frames in memory.
func (r *reel) shoot(ctx context.Context, workers int, shown func(int, []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all errgroup.Group
	// Worker k renders frames k, k+workers and so on, so that collect knows
	// which worker has the next.
	lanes := make([]chan []byte, workers)
	for k := range lanes {
		lanes[k] = make(chan []byte, 1)
		all.Go(func() error {
			defer close(lanes[k])
			return r.work(ctx, k, workers, lanes[k])
		})
	}
	err := r.collect(ctx, lanes, shown)
	cancel()
	return cmp.Or(err, all.Wait())
}

// collect takes the frames from the workers, in order. It returns early if a
// worker has stopped; that worker's error says why.
func (r *reel) collect(ctx context.Context, lanes []chan []byte, shown func(int, []byte) error) error {
	for i := range r.frames {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b, ok := <-lanes[i%len(lanes)]:
			if !ok {
				return nil
			}
			if err := shown(i, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// work renders every step-th frame from first on, all into the same image. It
// turns a panic into an error, because the film's pictures are untrusted.
func (r *reel) work(ctx context.Context, first, step int, out chan<- []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("film: panic: %v\n%s", p, debug.Stack())
		}
	}()
	frame := image.NewRGBA(image.Rect(0, 0, r.width, r.height))
	enc := newEncoder(r.width, r.height)
	for i := first; i < r.frames; i += step {
		r.paint(frame, i)
		select {
		case out <- r.encode(enc, frame):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

const (
	finest    = 14                         // best quantizer level that is used, for a film that is small anyway
	frameMost = 2_000_000/FrameRate - 1200 // maximum size of a frame in bytes, for 2 MB a second
)

// frameBudget returns the size in bytes that a frame should have on average: more
// for larger pictures, though not in proportion, and less than frameMost.
func (r *reel) frameBudget() int {
	share := math.Sqrt(float64(r.width*r.height) / (1280 * 720))
	return int(min(60_000*share, frameMost*.92))
}

// meter encodes a few frames to choose the quantizer level for the whole film, so
// that the quality does not vary within it.
func (r *reel) meter(ctx context.Context) error {
	frame := image.NewRGBA(image.Rect(0, 0, r.width, r.height))
	enc := newEncoder(r.width, r.height)
	r.level = finest
	for _, share := range []int{50, 90, 20} {
		r.paint(frame, r.frames*share/100)
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			over := float64(len(enc.encode(frame, r.level))) / float64(r.frameBudget())
			if over <= 1 || r.level >= coarsest {
				break
			}
			// The size falls a little more slowly than the level rises.
			r.level = min(coarsest, int(float64(r.level)*min(over, 3))+1)
		}
	}
	return nil
}

// encode encodes a frame at the film's level, or at a coarser one in the rare
// case that the frame is much larger than those that meter encoded.
func (r *reel) encode(enc *encoder, frame *image.RGBA) []byte {
	b := enc.encode(frame, r.level)
	for level := r.level; len(b) > frameMost && level < coarsest; {
		level = min(coarsest, level+level/4+1)
		b = enc.encode(frame, level)
	}
	return b
}
