package film

import (
	"bytes"
	"image"
	"image/color"
	websafe "image/color/palette"
	"image/draw"
	"image/png"
	"testing"
)

// TestRowsGiveWhatTheStandardDecoderGives takes every kind of PNG that is
// read in rows, one pixel for one.
func TestRowsGiveWhatTheStandardDecoderGives(t *testing.T) {
	const w, h = 61, 37
	at := image.Rect(0, 0, w, h)
	see := append(color.Palette{color.NRGBA{9, 200, 30, 100}}, websafe.WebSafe[:200]...)
	grey, deep, whole, clear, deepClear, few := image.NewGray(at), image.NewGray16(at), image.NewRGBA(at), image.NewNRGBA(at), image.NewNRGBA64(at), image.NewPaletted(at, see)
	for y := range h {
		for x := range w {
			c := color.NRGBA64{uint16(x * 1000), uint16(y * 1700), uint16(x * y * 29), 0xffff}
			for _, img := range []draw.Image{grey, deep, whole, few} {
				img.Set(x, y, c)
			}
			c.A = uint16(40000 + x*y*11)
			clear.Set(x, y, c)
			deepClear.Set(x, y, c)
		}
	}
	few.SetColorIndex(3, 3, 0)
	for name, img := range map[string]image.Image{"grey": grey, "grey 16": deep, "rgb": whole, "rgba": clear, "rgba 16": deepClear, "palette": few} {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		rows, ok := newPNGRows(b.Bytes())
		if !ok {
			t.Errorf("%s is not read in rows", name)
			continue
		}
		got, err := rows.shrink(1)
		if err != nil {
			t.Fatal(err)
		}
		want := image.NewRGBA(at)
		draw.Draw(want, at, image.White, image.Point{}, draw.Src)
		draw.Draw(want, at, img, image.Point{}, draw.Over)
		for i, v := range got.Pix {
			if d := int(v) - int(want.Pix[i]); d < -2 || d > 2 {
				t.Fatalf("%s: byte %d is %d, want %d", name, i, v, want.Pix[i])
			}
		}
		if cut, ok := newPNGRows(b.Bytes()[:b.Len()/2]); ok {
			if _, err := cut.shrink(1); err == nil {
				t.Errorf("%s: half of it is taken for a picture", name)
			}
		}
	}
}

func TestRowsAreAveraged(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 7, 5))
	for i := range img.Pix {
		img.Pix[i] = byte(i % 7 * 30)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	rows, _ := newPNGRows(b.Bytes())
	small, err := rows.shrink(2)
	if err != nil || small.Rect != image.Rect(0, 0, 3, 2) || small.Pix[0] != 15 || small.Pix[4] != 75 || small.Pix[8] != 135 {
		t.Errorf("%v %v, %v", small.Rect, small.Pix, err)
	}
}

func FuzzRows(f *testing.F) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 5, 4))); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(_ *testing.T, b []byte) {
		if rows, ok := newPNGRows(b); ok && rows.w > 0 && rows.h > 0 && rows.w < 2000 && rows.h < 2000 {
			_, _ = rows.shrink(1) // must not panic
		}
	})
}

func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if o := orientation(b); o < 1 || o > 8 {
			t.Errorf("orientation %d", o)
		}
	})
}
