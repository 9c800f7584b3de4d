package picture_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"dailies/web/picture"
)

// shade returns a picture of one colour, except for a black pixel in the corner.
func shade(width, height int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	img.Set(0, 0, color.Black)
	return img
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAStillIsReencoded(t *testing.T) {
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, shade(640, 360), nil); err != nil {
		t.Fatal(err)
	}
	hung := append(jpg.Bytes(), "<script>what hangs on behind</script>"...)
	for name, b := range map[string][]byte{"jpeg": hung, "png": asPNG(t, shade(640, 360)), "webp": plain(t, "image/webp")} {
		out, info, err := picture.Still(bytes.NewReader(b))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		drawn, err := jpeg.Decode(bytes.NewReader(out))
		if err != nil || info.Type != "image/jpeg" || drawn.Bounds().Dx() != info.Width || drawn.Bounds().Dy() != info.Height {
			t.Errorf("%s: got %+v, %v", name, info, err)
		}
		if bytes.Contains(out, []byte("script")) {
			t.Errorf("%s: something came along", name)
		}
	}
}

func TestUnusableStillsAreRefused(t *testing.T) {
	var moving bytes.Buffer
	if err := gif.Encode(&moving, shade(64, 36), nil); err != nil {
		t.Fatal(err)
	}
	whole := asPNG(t, shade(64, 36))
	for name, b := range map[string][]byte{
		"nothing": nil, "text": []byte("<svg onload=alert(1)>"), "a gif": moving.Bytes(), "half": whole[:len(whole)/2],
		"too wide": asPNG(t, shade(1281, 10)), "too high": asPNG(t, shade(10, 1281)), "too much": append(whole, make([]byte, picture.MaxStillBytes)...),
	} {
		if _, _, err := picture.Still(bytes.NewReader(b)); !errors.Is(err, picture.ErrNoStill) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzStill(f *testing.F) {
	f.Add(asPNG(f, shade(4, 4)))
	f.Add([]byte("\xff\xd8\xff\xe0"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8 "))
	f.Fuzz(func(t *testing.T, b []byte) {
		out, info, err := picture.Still(bytes.NewReader(b))
		if err == nil && (len(out) == 0 || max(info.Width, info.Height) > picture.MaxStillSide) {
			t.Fatalf("%+v of %d bytes", info, len(out))
		}
	})
}
