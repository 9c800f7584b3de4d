package film

import (
	"context"
	"image"
	"math"
)

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
