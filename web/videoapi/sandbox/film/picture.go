package film

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"  // decoder, judged by the bytes
	_ "image/jpeg" // decoder, judged by the bytes
	_ "image/png"  // decoder, judged by the bytes
	"io"
	"runtime/debug"

	_ "golang.org/x/image/bmp" // decoder, judged by the bytes
	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // decoder, judged by the bytes
)

const (
	maxPictureBytes  = 20 << 20
	maxPicturePixels = 50_000_000
	manyPixels       = 8_000_000
	maxPictureSide   = 1920 // no film is wider; what is larger is scaled down at once
)

// The reasons for which DecodePicture refuses, worded to follow "the picture".
var (
	ErrNotAPicture   = errors.New("is not a picture")
	ErrTooManyBytes  = errors.New("is larger than 20 MB")
	ErrTooManyPixels = errors.New("has more than 50 megapixels")
)

// DecodePicture reads a PNG, JPEG, GIF (its first frame), WebP or BMP
// picture, told apart by their bytes, of at most 20 MB and 50 megapixels.
// What it returns is at most 1920 pixels on its long side. For a moment it
// holds the whole picture, save for large PNGs: up to 150 MB for a JPEG of 50
// megapixels, and four times that if it is a progressive one. Errors are
// ErrNotAPicture, ErrTooManyBytes, ErrTooManyPixels, or one of reading r.
func DecodePicture(r io.Reader) (image.Image, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxPictureBytes+1))
	if err != nil {
		return nil, fmt.Errorf("could not be read: %w", err)
	}
	if len(b) > maxPictureBytes {
		return nil, ErrTooManyBytes
	}
	// The header first: a small file can claim to be enormous.
	c, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil || c.Width <= 0 || c.Height <= 0 {
		return nil, ErrNotAPicture
	}
	if int64(c.Width)*int64(c.Height) > maxPicturePixels {
		return nil, ErrTooManyPixels
	}
	if c.Width*c.Height > manyPixels {
		defer debug.FreeOSMemory() // the film that follows must not find its room taken
		if rows, ok := newPNGRows(b); ok {
			img, err := rows.shrink(max(1, max(c.Width, c.Height)/maxPictureSide))
			if err != nil || img.Rect.Empty() {
				return nil, ErrNotAPicture
			}
			return shrink(img), nil
		}
	}
	return decodeWhole(b)
}

// decodeWhole decodes a picture in one piece.
func decodeWhole(b []byte) (image.Image, error) {
	img, kind, err := image.Decode(bytes.NewReader(b))
	if err != nil || img.Bounds().Empty() {
		return nil, ErrNotAPicture
	}
	if y, ok := img.(*image.YCbCr); ok {
		img = average(y, max(1, max(y.Rect.Dx(), y.Rect.Dy())/maxPictureSide))
	}
	small := shrink(img)
	if kind == "jpeg" {
		small = upright(small, orientation(b))
	}
	return small, nil
}

// average takes squares of so many pixels a side for one. It spares the half
// of a large photograph that halve would hold beside the whole.
func average(img *image.YCbCr, side int) image.Image {
	if side == 1 {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, img.Rect.Dx()/side, img.Rect.Dy()/side))
	n := side * side
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			var r, g, b int
			for i := range n {
				at := img.Rect.Min.Add(image.Pt(x*side+i%side, y*side+i/side))
				c := img.COffset(at.X, at.Y)
				pr, pg, pb := color.YCbCrToRGB(img.Y[img.YOffset(at.X, at.Y)], img.Cb[c], img.Cr[c])
				r, g, b = r+int(pr), g+int(pg), b+int(pb)
			}
			copy(out.Pix[y*out.Stride+x*4:], []byte{byte(r / n), byte(g / n), byte(b / n), 255})
		}
	}
	return out
}

// shrink scales a picture down to maxPictureSide, over white where it is
// transparent, so that what is kept of it is small and opaque.
func shrink(img image.Image) *image.RGBA {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	if long := max(w, h); long > maxPictureSide {
		w = max(1, w*maxPictureSide/long)
		h = max(1, h*maxPictureSide/long)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(small, small.Bounds(), image.White, image.Point{}, draw.Src)
	img = halve(img, w, h)
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Over, nil)
	return small
}

// halve averages four pixels into one for as long as the picture stays at
// least w by h: what is left to do is too little a step to lose detail or to
// make patterns.
func halve(img image.Image, w, h int) image.Image {
	for b := img.Bounds(); b.Dx() >= 2*w && b.Dy() >= 2*h; b = img.Bounds() {
		half := image.NewRGBA(image.Rect(0, 0, b.Dx()/2, b.Dy()/2))
		even := image.Rectangle{b.Min, b.Min.Add(half.Rect.Max.Mul(2))}
		draw.ApproxBiLinear.Scale(half, half.Rect, img, even, draw.Src, nil)
		img = half
	}
	return img
}
