package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"

	"golang.org/x/image/draw"
)

// ThumbSide is the length of a thumbnail's longer side in pixels.
const ThumbSide = 320

// The memory that decoding a picture for a thumbnail may take, and the quality of the
// JPEG.
const (
	maxDrawn     = 160 << 20 // bytes
	thumbQuality = 78
)

// Errors of Thumb and Draw.
var (
	ErrNoThumb = errors.New("no thumbnail can be made of this picture")
	ErrTooBig  = errors.New("the picture takes too much memory to be drawn")
)

// Thumb returns an upright thumbnail of a cleaned picture as a JPEG. For an animation, it
// shows the first frame. Thumb returns ErrNoThumb if the picture cannot be decoded or
// would take too much memory.
func Thumb(b []byte) ([]byte, error) {
	small, err := Draw(b, ThumbSide, maxDrawn)
	if err != nil {
		return nil, errors.Join(ErrNoThumb, err)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: thumbQuality}); err != nil {
		return nil, fmt.Errorf("thumbnail: %w", err)
	}
	return out.Bytes(), nil
}

// Small returns the picture as a JPEG with no side longer than side and not many more
// than most bytes, and its size; a picture with many details is made smaller. A JPEG that
// is small enough is returned unchanged. The errors are those of Thumb.
func Small(b []byte, side, most int) ([]byte, image.Point, error) {
	info, err := Inspect(bytes.NewReader(b))
	if err != nil {
		return nil, image.Point{}, errors.Join(ErrNoThumb, err)
	}
	if info.Type == "image/jpeg" && max(info.Width, info.Height) <= side && len(b) <= most {
		return b, image.Pt(info.Width, info.Height), nil
	}
	drawn, err := Draw(b, side, maxDrawn)
	if err != nil {
		return nil, image.Point{}, errors.Join(ErrNoThumb, err)
	}
	for quality := thumbQuality; ; quality -= 12 {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, drawn, &jpeg.Options{Quality: quality}); err != nil {
			return nil, image.Point{}, fmt.Errorf("thumbnail: %w", err)
		}
		if out.Len() <= most || side <= ThumbSide && quality <= leastQuality {
			return out.Bytes(), drawn.Bounds().Size(), nil
		}
		if quality <= leastQuality {
			side = max(ThumbSide, side*4/5)
			drawn, quality = shrink(drawn, side), thumbQuality
		}
	}
}

// leastQuality is the lowest quality of the JPEG that Small returns.
const leastQuality = 54

// Draw decodes the picture and returns it upright on a white background, scaled down so
// that no side is longer than longest. For an animation, it returns the first frame. It
// returns ErrTooBig if decoding could take more than memory bytes, ErrBroken, or an
// error of Inspect.
func Draw(b []byte, longest int, memory int64) (*image.RGBA, error) {
	info, err := Inspect(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	if int64(info.Width)*int64(info.Height)*bytesPerPixel(b, info.Type) > memory {
		return nil, ErrTooBig
	}
	drawn, err := decode(b)
	if err != nil {
		return nil, errors.Join(ErrBroken, err)
	}
	return upright(shrink(drawn, longest), orientationOf(b, info.Type)), nil
}

// maxScans limits the number of scans in a JPEG. Encoders use about a dozen, but a
// malicious file can request a scan of the whole picture with a few bytes.
const maxScans = 100

// decode decodes the picture.
func decode(b []byte) (drawn image.Image, err error) {
	defer recoverBroken(&err)
	if isJPEG := bytes.HasPrefix(b, []byte{0xff, markSOI}); isJPEG && bytes.Count(b, []byte{0xff, markSOS}) > maxScans {
		return nil, fmt.Errorf("it has more than %d scans", maxScans)
	}
	drawn, _, err = image.Decode(bytes.NewReader(b))
	return drawn, err
}

// bytesPerPixel returns the maximum memory that a decoder needs per pixel. For a
// progressive JPEG, it holds all coefficients, in four bytes each.
func bytesPerPixel(b []byte, kind string) int64 {
	switch {
	case kind == "image/jpeg" && progressive(b):
		return 16
	case kind == "image/jpeg":
		return 3
	case kind == "image/png" && len(b) > 24 && b[24] == 16: // bits per sample
		return 8
	}
	return 4
}

// progressive reports whether a JPEG is or may be progressive. It returns true if
// nextSegment fails, because decoders tolerate errors that nextSegment does not.
func progressive(b []byte) bool {
	if len(b) < 2 {
		return false
	}
	for rest := b[2:]; ; {
		marker, _, after, err := nextSegment(rest)
		if err != nil || marker == 0xc2 {
			return true
		}
		if marker == markSOS || marker == markEOI {
			return false
		}
		rest = after
	}
}

// maxSmoothScale is the ratio of sides above which shrink reduces a picture by dropping pixels
// before it scales it smoothly.
const maxSmoothScale = 4

// shrink scales the picture down, on a white background because a JPEG has no
// transparency. For a thumbnail of a large picture, it first drops pixels, which takes a
// fraction of the time.
func shrink(from image.Image, longest int) *image.RGBA {
	size := from.Bounds().Size()
	if longest <= ThumbSide && max(size.X, size.Y) > maxSmoothScale*longest {
		thin := image.NewNRGBA(image.Rectangle{Max: fit(size, maxSmoothScale*longest)})
		draw.NearestNeighbor.Scale(thin, thin.Bounds(), from, from.Bounds(), draw.Src, nil)
		from = thin
	}
	to := image.NewRGBA(image.Rectangle{Max: fit(size, longest)})
	draw.Draw(to, to.Bounds(), image.White, image.Point{}, draw.Src)
	from = Halve(from, to.Bounds().Size())
	draw.ApproxBiLinear.Scale(to, to.Bounds(), from, from.Bounds(), draw.Over, nil)
	return to
}

// Halve halves the picture, averaging four pixels into one, as long as it stays at least
// as large as size. The remaining scaling factor is too small to lose detail or cause
// moiré patterns.
func Halve(from image.Image, size image.Point) image.Image {
	for b := from.Bounds(); b.Dx() >= 2*size.X && b.Dy() >= 2*size.Y; b = from.Bounds() {
		half := image.NewRGBA(image.Rect(0, 0, b.Dx()/2, b.Dy()/2))
		even := image.Rectangle{b.Min, b.Min.Add(half.Rect.Max.Mul(2))}
		draw.ApproxBiLinear.Scale(half, half.Rect, from, even, draw.Src, nil)
		from = half
	}
	return from
}

// fit returns the size scaled down so that no side is longer than most.
func fit(size image.Point, most int) image.Point {
	longest := max(size.X, size.Y, 1)
	if longest <= most {
		return size
	}
	return image.Pt(max(1, size.X*most/longest), max(1, size.Y*most/longest))
}

// orientationOf returns the orientation in the picture's EXIF data, 1 if there is none.
func orientationOf(b []byte, kind string) int {
	mark := map[string]string{"image/jpeg": exifHead, "image/png": "eXIf", "image/webp": "EXIF"}[kind]
	at := bytes.Index(b, []byte(mark))
	if mark == "" || at < 0 {
		return 1
	}
	tiff := b[at+len(mark):]
	if kind == "image/webp" && len(tiff) > 4 {
		tiff = tiff[4:] // without the length of the chunk
	}
	return orientation(tiff)
}

// upright rotates and mirrors a picture according to its orientation.
func upright(from *image.RGBA, turned int) *image.RGBA {
	if turned <= 1 || turned > 8 {
		return from
	}
	w, h := from.Bounds().Dx(), from.Bounds().Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if turned >= 5 {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			at := [...]image.Point{2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y}, 5: {y, x},
				6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x}}[turned]
			to.SetRGBA(at.X, at.Y, from.RGBAAt(x, y))
		}
	}
	return to
}

// Limits for the input of Still.
const (
	MaxStillBytes = 512 << 10
	MaxStillSide  = 1280 // pixels
)

// stillQuality is the quality of the JPEG that Still returns.
const stillQuality = 82

// ErrNoStill means that the bytes are not a picture that Still accepts.
var ErrNoStill = errors.New("not a JPEG, PNG or WebP of a size that is taken")

// Still decodes a small picture and encodes it again as a JPEG, so that only its pixels
// remain. An error of r itself is wrapped, and is not ErrNoStill.
func Still(r io.Reader) ([]byte, Info, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxStillBytes+1))
	if err != nil {
		return nil, Info{}, fmt.Errorf("still: %w", err)
	}
	info, err := Inspect(bytes.NewReader(b))
	if err != nil || len(b) > MaxStillBytes || max(info.Width, info.Height) > MaxStillSide || !stillTypes[info.Type] {
		return nil, info, errors.Join(ErrNoStill, err)
	}
	drawn, err := decode(b)
	if err != nil {
		return nil, info, errors.Join(ErrNoStill, err)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, drawn, &jpeg.Options{Quality: stillQuality}); err != nil {
		return nil, info, fmt.Errorf("still: %w", err)
	}
	info.Type = "image/jpeg"
	return out.Bytes(), info, nil
}

// stillTypes lists the types that Still accepts. image.Decode supports them because this
// package imports their decoders.
var stillTypes = map[string]bool{"image/jpeg": true, "image/png": true, "image/webp": true}
