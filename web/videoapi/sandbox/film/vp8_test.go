package film

import (
	"bytes"
	"image"
	"testing"

	"golang.org/x/image/vp8"
)

// decodeFrame decodes a frame with an independent decoder.
func decodeFrame(t *testing.T, b []byte) *image.YCbCr {
	t.Helper()
	d := vp8.NewDecoder()
	d.Init(bytes.NewReader(b), len(b))
	h, err := d.DecodeFrameHeader()
	if err != nil || !h.KeyFrame {
		t.Fatalf("header %+v: %v", h, err)
	}
	img, err := d.DecodeFrame()
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestDecodedFramesAreCloseToTheSource also shows that encoder and decoder agree
// at every level: one wrong bit or rounding would spread.
func TestDecodedFramesAreCloseToTheSource(t *testing.T) {
	for _, size := range []image.Point{{16, 16}, {64, 48}, {150, 86}, {200, 120}} {
		src := noisy(size.X, size.Y)
		for _, level := range []int{0, 4, 20, 60, 127} {
			e := newEncoder(size.X, size.Y)
			got := decodeFrame(t, e.encode(src, level))
			e.convert(src)
			sum := 0.0
			for y := range size.Y {
				for x := range size.X {
					d := float64(got.Y[y*got.YStride+x]) - float64(e.planes[0].pix[y*e.planes[0].stride+x])
					sum += d * d
				}
			}
			t.Logf("%v at level %d: mean square error %.1f", size, level, sum/float64(size.X*size.Y))
			if mse := sum / float64(size.X*size.Y); mse > 3+float64(level*level)/6 {
				t.Errorf("%v at level %d: mean square error %.1f", size, level, mse)
			}
		}
	}
}

// noisy returns a picture with gradients, edges and noise.
func noisy(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	c := newChance("noise", 1)
	for y := range h {
		for x := range w {
			v := 255 * x / w
			if (x/23+y/17)%3 == 0 {
				v = 255 - v
			}
			v = min(max(v+int(40*c.at(y*w+x))-20, 0), 255)
			i := img.PixOffset(x, y)
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = byte(v), byte(255*y/h), byte(200-v/2), 255
		}
	}
	return img
}
