package film

import (
	"image"
	"strings"
	"testing"
)

// broken panics in the middle of a film.
func broken(_ *image.RGBA, at moment) {
	if at.sec > .5 {
		panic("out of paint")
	}
}

func TestAPanicInAWorkerIsAnError(t *testing.T) {
	r := &reel{width: 32, height: 32, frames: 24, layers: []painter{broken}}
	for _, workers := range []int{1, 3} {
		frames := 0
		err := r.shoot(t.Context(), workers, func(int, []byte) error { frames++; return nil })
		if err == nil || !strings.Contains(err.Error(), "out of paint") || frames != 13 {
			t.Errorf("%d workers: %d frames, then %v", workers, frames, err)
		}
	}
}

// TestNoiseFitsIntoTheLimitAtTheCoarsest encodes noise, the hardest picture, in a
// small size and extrapolates to 1080p.
func TestNoiseFitsIntoTheLimitAtTheCoarsest(t *testing.T) {
	const w, h = 192, 112
	img, c := image.NewRGBA(image.Rect(0, 0, w, h)), newChance("static", 0)
	for i := range img.Pix {
		img.Pix[i] = byte(scramble(uint64(c)+uint64(i))) | byte(i&3/3*255)
	}
	enc, last := newEncoder(w, h), 1<<30
	for _, level := range []int{4, 14, 60, 127, 129, coarsest} {
		n := len(enc.encode(img, level))
		if n >= last {
			t.Errorf("level %d: %d bytes after %d", level, n, last)
		}
		last = n
	}
	if at1080 := last * 1920 * 1080 / (w * h); at1080 > frameMost {
		t.Errorf("%d bytes at 1080p", at1080)
	}
}

func TestFilmIsMeteredToItsBudget(t *testing.T) {
	r := &reel{width: 128, height: 128, frames: 24, layers: []painter{stillNoise}}
	if err := r.meter(t.Context()); err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, r.width, r.height))
	r.paint(img, 3)
	n := len(r.encode(newEncoder(r.width, r.height), img))
	if r.level <= finest || n > r.frameBudget() || n < r.frameBudget()/3 {
		t.Errorf("level %d, %d bytes of %d", r.level, n, r.frameBudget())
	}
}

func stillNoise(dst *image.RGBA, _ moment) {
	for i := range dst.Pix {
		dst.Pix[i] = byte(scramble(uint64(i)))
	}
}
