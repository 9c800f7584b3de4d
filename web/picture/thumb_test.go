package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"testing"

	"dailies/web/picture"
	"dailies/web/scopetest"
)

func TestAThumbnailIsSmallAndUpright(t *testing.T) {
	for kind, b := range taken(t) {
		clean, _, err := picture.Clean(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		want := image.Pt(24, 16)
		if kind == "image/jpeg" || kind == "image/png" {
			want = image.Pt(16, 24) // its orientation is 6
		}
		if kind == "image/webp" {
			want = image.Pt(1, 1)
		}
		small, err := picture.Thumb(clean)
		if err != nil && kind == "image/webp" {
			continue // a limitation of the decoder
		}
		got, err2 := jpeg.DecodeConfig(bytes.NewReader(small))
		if err != nil || err2 != nil || image.Pt(got.Width, got.Height) != want {
			t.Errorf("%s: %d × %d, %v", kind, got.Width, got.Height, errors.Join(err, err2))
		}
	}
	for size, want := range map[image.Point]image.Point{{2000, 1000}: {320, 160}, {10, 3000}: {1, 320}, {300, 200}: {300, 200}, {321, 1}: {320, 1}} {
		small, err := picture.Thumb(asPNG(t, shade(size.X, size.Y)))
		got, err2 := jpeg.DecodeConfig(bytes.NewReader(small))
		if err != nil || err2 != nil || image.Pt(got.Width, got.Height) != want {
			t.Errorf("%v: %d × %d, %v", size, got.Width, got.Height, errors.Join(err, err2))
		}
	}
}

func TestNoThumbnailTakesTooMuchMemory(t *testing.T) {
	wide := asPNG(t, shade(4, 4))
	binary.BigEndian.PutUint32(wide[16:], 7000)
	binary.BigEndian.PutUint32(wide[20:], 7000) // 49 megapixels of 4 bytes
	binary.BigEndian.PutUint32(wide[29:], crc32.ChecksumIEEE(wide[12:29]))
	for _, b := range [][]byte{wide, nil, []byte("hello")} {
		if _, err := picture.Thumb(b); !errors.Is(err, picture.ErrNoThumb) {
			t.Errorf("%.10q: %v", b, err)
		}
	}
}

// scanned returns a progressive JPEG with the number of bytes of junk in its header, and
// the number of scans in addition to the first one. Such a scan takes only 15 bits for
// every 32,767 blocks of 64 pixels.
func scanned(width, height, junk, scans int) []byte {
	b := append([]byte{0xff, 0xd8, 0xff, 0xdb, 0, 67, 0}, bytes.Repeat([]byte{1}, 64+junk)...)
	b = append(b, 0xff, 0xc2, 0, 11, 8, byte(height>>8), byte(height), byte(width>>8), byte(width), 1, 1, 0x11, 0)
	for class, value := range map[byte]byte{0: 0, 0x10: 0xe0} {
		b = append(append(append(b, 0xff, 0xc4, 0, 20, class, 1), make([]byte, 15)...), value)
	}
	blocks := (width + 7) / 8 * ((height + 7) / 8)
	b = append(append(b, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0), make([]byte, blocks/8+1)...)
	for range scans {
		b = append(append(b, 0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0), bytes.Repeat([]byte{0x7f, 0xff, 0, 0xfe}, blocks/32767+1)...)
	}
	return append(b, 0xff, 0xd9)
}

func TestJPEGWithTooManyScansIsRefused(t *testing.T) {
	if _, err := picture.Thumb(scanned(64, 64, 0, 10)); err != nil {
		t.Errorf("ten scans: %v", err)
	}
	bomb := scanned(1280, 1280, 0, 20_000) // 250 kB, which would take 40 s to decode
	if _, err := picture.Thumb(bomb); !errors.Is(err, picture.ErrNoThumb) {
		t.Errorf("a thumbnail: %v", err)
	}
	if _, _, err := picture.Still(bytes.NewReader(bomb)); !errors.Is(err, picture.ErrNoStill) {
		t.Errorf("a still: %v", err)
	}
}

// panicking is a decoder with a bug. It is registered for a BMP whose reserved bytes are
// set, which no other decoder accepts.
func panicking(io.Reader) (image.Image, error) { panic("index out of range") }

func TestADecoderThatPanicsIsABrokenPicture(t *testing.T) {
	image.RegisterFormat("panicking", "BM????look", panicking, func(io.Reader) (image.Config, error) { return image.Config{}, nil })
	b := encoded(t)["bmp"]
	copy(b[6:], "look")
	if _, err := picture.Draw(b, 640, memory); !errors.Is(err, picture.ErrBroken) {
		t.Errorf("it is %v", err)
	}
	if _, err := picture.Thumb(b); !errors.Is(err, picture.ErrNoThumb) {
		t.Errorf("a thumbnail: %v", err)
	}
}

func TestJunkInAHeaderHidesNoLargePicture(t *testing.T) {
	for _, junk := range []int{0, 1} {
		if _, err := picture.Thumb(scanned(7000, 7000, junk, 0)); !errors.Is(err, picture.ErrTooBig) { // the coefficients of 49 megapixels
			t.Errorf("%d bytes of junk: %v", junk, err)
		}
	}
}

func TestASmallPictureHasFewBytes(t *testing.T) {
	const side, most = 640, 13 << 10
	smooth := asPNG(t, shade(1280, 720))
	small, size, err := picture.Small(smooth, side, most)
	if err != nil || len(small) > most || size != image.Pt(640, 360) {
		t.Errorf("%d bytes of %v, %v", len(small), size, err)
	}
	again, size, err := picture.Small(small, side, most)
	if err != nil || !bytes.Equal(again, small) || size != image.Pt(640, 360) {
		t.Errorf("one that is small already is drawn anew, as %v, %v", size, err)
	}
	if _, _, err := picture.Small([]byte("no picture"), side, most); !errors.Is(err, picture.ErrNoThumb) {
		t.Errorf("no picture is %v", err)
	}
}

// In formats other than JPEG, bytes that look like the marker of a scan do not count.
func TestALargePNGIsDrawn(t *testing.T) {
	scopetest.Whole(t)
	noise := image.NewNRGBA(image.Rect(0, 0, 1920, 1440))
	rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	var b bytes.Buffer
	if err := png.Encode(&b, noise); err != nil {
		t.Fatal(err)
	}
	if _, err := picture.Draw(b.Bytes(), 640, 1<<30); err != nil {
		t.Error(err)
	}
}

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
