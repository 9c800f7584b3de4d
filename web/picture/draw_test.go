package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"golang.org/x/image/bmp"

	"dailies/web/picture"
)

// memory is the limit in bytes that these tests pass to Draw.
const memory = 400 << 20

// encoded returns a picture in each format.
func encoded(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	img := shade(60, 40)
	for name, encode := range map[string]func(io.Writer) error{
		"png":  func(w io.Writer) error { return png.Encode(w, img) },
		"jpeg": func(w io.Writer) error { return jpeg.Encode(w, img, nil) },
		"gif":  func(w io.Writer) error { return gif.Encode(w, img, nil) },
		"bmp":  func(w io.Writer) error { return bmp.Encode(w, img) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.Bytes()
	}
	// A lossless WebP of one pixel, because there is no encoder for WebP.
	out["webp"] = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	return out
}

func TestPicturesAreKnownByTheirBytes(t *testing.T) {
	for name, b := range encoded(t) {
		img, err := picture.Draw(b, 1920, memory)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if name != "webp" && img.Bounds() != image.Rect(0, 0, 60, 40) {
			t.Errorf("%s: %v", name, img.Bounds())
		}
	}
}

func TestLargePictureIsScaledDown(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4000, 1000))); err != nil {
		t.Fatal(err)
	}
	img, err := picture.Draw(b.Bytes(), 1920, memory)
	if err != nil || img.Bounds() != image.Rect(0, 0, 1920, 480) {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
}

// A photograph is halved before it is scaled, which must not change its brightness.
func TestLargePhotographKeepsItsLight(t *testing.T) {
	photo := image.NewGray(image.Rect(0, 0, 4100, 1200))
	for i := range photo.Pix {
		photo.Pix[i] = byte(i % photo.Stride * 255 / photo.Stride)
	}
	coloured := image.NewRGBA(photo.Rect)
	draw.Draw(coloured, photo.Rect, photo, image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, coloured, nil); err != nil {
		t.Fatal(err)
	}
	img, err := picture.Draw(b.Bytes(), 1920, memory)
	if err != nil || img.Bounds().Dx() != 1920 {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
	for x := 0; x < 1920; x += 64 {
		if r, g, _, _ := img.At(x, 300).RGBA(); int(r>>8)-x*255/1920 > 4 || x*255/1920-int(r>>8) > 4 || max(r, g)-min(r, g) > 0x400 {
			t.Errorf("column %d: %d, want %d", x, r>>8, x*255/1920)
		}
	}
}

func TestJunkIsNotAPicture(t *testing.T) {
	good := encoded(t)["png"]
	for name, b := range map[string][]byte{
		"empty": nil, "text": []byte("<html>not found</html>"), "svg": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
		"cut": good[:len(good)/2], "head": good[:20],
	} {
		if _, err := picture.Draw(b, 1920, memory); err == nil {
			t.Errorf("%s is drawn", name)
		}
	}
}

func TestAPictureThatTakesTooMuchMemoryIsNotDrawn(t *testing.T) {
	if _, err := picture.Draw(claim(60_000, 60_000), 1920, memory); !errors.Is(err, picture.ErrTooManyPixels) {
		t.Errorf("many pixels: %v", err)
	}
	if _, err := picture.Draw(encoded(t)["png"], 1920, 60*40*4-1); !errors.Is(err, picture.ErrTooBig) {
		t.Errorf("a byte more than there may be: %v", err)
	}
}

func FuzzDraw(f *testing.F) {
	for _, b := range encoded(f) {
		f.Add(b)
	}
	f.Add(claim(5, 7))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return
		}
		if c, _, err := image.DecodeConfig(bytes.NewReader(b)); err == nil && c.Width*c.Height > 1<<22 {
			return // allowed, but too slow for fuzzing
		}
		img, err := picture.Draw(b, 1920, memory)
		if err == nil && (img.Bounds().Empty() || img.Bounds().Dx() > 1920 || img.Bounds().Dy() > 1920) {
			t.Errorf("bounds %v", img.Bounds())
		}
	})
}

// claim returns the header of a PNG with the width and height, without any data.
func claim(w, h uint32) []byte {
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"), make([]byte, 13)...)
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	b[24], b[25] = 8, 2
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[12:]))
}
