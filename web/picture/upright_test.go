package picture_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"testing"

	"dailies/web/picture"
)

// Phones store photographs as the sensor sees them, and the orientation in EXIF. Here,
// the top left corner of the stored picture is red.
func TestPhotographsStandUpright(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 48, 32))
	for i := range 48 * 32 {
		c := color.RGBA{0, 0, 200, 255}
		if i%48 < 16 && i/48 < 16 {
			c = color.RGBA{200, 0, 0, 255}
		}
		img.Set(i%48, i/48, c)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	for _, order := range []string{"MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00%\x00\x00", "II\x2a\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00%\x00\x00\x00"} {
		for o, red := range map[byte]image.Point{
			1: {4, 4}, 2: {43, 4}, 3: {43, 27}, 4: {4, 27}, 5: {4, 4}, 6: {27, 4}, 7: {27, 43}, 8: {4, 43}, 9: {4, 4},
		} {
			exif := "Exif\x00\x00" + order
			segment := append([]byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, bytes.Replace([]byte(exif), []byte("%"), []byte{o}, 1)...)
			turned, err := picture.Draw(slices.Concat(b.Bytes()[:2], segment, b.Bytes()[2:]), 1920, memory)
			if err != nil {
				t.Fatal(err)
			}
			want := image.Rect(0, 0, 48, 32)
			if o >= 5 && o <= 8 {
				want = image.Rect(0, 0, 32, 48)
			}
			if r, _, _, _ := turned.At(red.X, red.Y).RGBA(); turned.Bounds() != want || r < 0x8000 {
				t.Errorf("orientation %d: %v, red at %v is %x", o, turned.Bounds(), red, r)
			}
		}
	}
}
