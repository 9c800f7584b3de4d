package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"testing"

	"dailies/web/picture"
)

func TestAThumbnailIsSmallAndUpright(t *testing.T) {
	for kind, b := range taken(t) {
		clean, _, err := picture.Clean(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		want := image.Pt(24, 16)
		if kind == "image/jpeg" || kind == "image/png" {
			want = image.Pt(16, 24) // it was taken with the camera on its side
		}
		if kind == "image/webp" {
			want = image.Pt(1, 1)
		}
		small, err := picture.Thumb(clean)
		if err != nil && kind == "image/webp" {
			continue // one of its decoder's limits
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
