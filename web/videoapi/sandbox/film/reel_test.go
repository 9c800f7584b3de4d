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
