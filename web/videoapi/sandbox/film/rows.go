package film

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// pngRows reads a PNG row by row and averages squares of pixels at once, so
// that a large picture never lies in memory whole: the standard decoder takes
// 200 MB for 50 megapixels.
type pngRows struct {
	w, h     int
	channels int
	wide     int // bytes of a channel: 1 or 2
	kind     byte
	palette  [256][4]byte
	pixels   io.Reader // compressed
}

// The colour types of PNG.
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// newPNGRows reads what stands before the pixels. It reports false for what
// it leaves to the standard decoder: other formats, interlaced pictures, few
// bits, a colour that stands for transparency.
func newPNGRows(b []byte) (*pngRows, bool) {
	if len(b) < 33 || string(b[:8]) != "\x89PNG\r\n\x1a\n" || string(b[12:16]) != "IHDR" {
		return nil, false
	}
	p := &pngRows{w: int(binary.BigEndian.Uint32(b[16:])), h: int(binary.BigEndian.Uint32(b[20:])), wide: int(b[24]) / 8, kind: b[25]}
	channels := map[byte]int{pngGrey: 1, pngRGB: 3, pngPalette: 1, pngGreyAlpha: 2, pngRGBA: 4}
	p.channels = channels[p.kind]
	if p.channels == 0 || p.wide < 1 || p.kind == pngPalette && p.wide != 1 || b[28] != 0 {
		return nil, false
	}
	var parts []io.Reader
	for b = b[8:]; len(b) >= 12; {
		n := int64(binary.BigEndian.Uint32(b))
		if n+12 > int64(len(b)) {
			break
		}
		body := b[8 : 8+n]
		switch string(b[4:8]) {
		case "PLTE":
			for i := 0; i+3 <= len(body) && i/3 < 256; i += 3 {
				p.palette[i/3] = [4]byte{body[i], body[i+1], body[i+2], 255}
			}
		case "tRNS":
			if p.kind != pngPalette {
				return nil, false
			}
			for i := 0; i < min(len(body), 256); i++ {
				p.palette[i][3] = body[i]
			}
		case "IDAT":
			parts = append(parts, bytes.NewReader(body))
		}
		b = b[12+n:]
	}
	p.pixels = io.MultiReader(parts...)
	return p, true
}

// shrink averages squares of so many pixels a side into one, over white.
func (p *pngRows) shrink(side int) (*image.RGBA, error) {
	z, err := zlib.NewReader(p.pixels)
	if err != nil {
		return nil, err
	}
	step := p.channels * p.wide
	row, above := make([]byte, 1+p.w*step), make([]byte, 1+p.w*step)
	out := image.NewRGBA(image.Rect(0, 0, p.w/side, p.h/side))
	sums := make([]uint32, 3*out.Rect.Dx())
	for y := range out.Rect.Dy() * side {
		if _, err := io.ReadFull(z, row); err != nil {
			return nil, err
		}
		if err := unfilter(row, above, step); err != nil {
			return nil, err
		}
		p.add(sums, row[1:], side)
		if y%side == side-1 {
			line := out.Pix[y/side*out.Stride:][:out.Rect.Dx()*4]
			for i := range out.Rect.Dx() {
				n := uint32(side * side)
				line[i*4], line[i*4+1], line[i*4+2], line[i*4+3] = byte(sums[i*3]/n), byte(sums[i*3+1]/n), byte(sums[i*3+2]/n), 255
			}
			clear(sums)
		}
		row, above = above, row
	}
	return out, nil
}

// add adds a row's pixels to the sums of the squares that they lie in.
func (p *pngRows) add(sums []uint32, row []byte, side int) {
	step, wide := p.channels*p.wide, p.wide
	for i := range len(sums) / 3 * side {
		px, at := row[i*step:i*step+step], i/side*3
		var r, g, b, a byte = px[0], px[0], px[0], 255
		switch p.kind {
		case pngPalette:
			c := p.palette[px[0]]
			r, g, b, a = c[0], c[1], c[2], c[3]
		case pngGreyAlpha:
			a = px[wide]
		case pngRGB:
			g, b = px[wide], px[2*wide]
		case pngRGBA:
			g, b, a = px[wide], px[2*wide], px[3*wide]
		}
		sums[at] += over(r, a)
		sums[at+1] += over(g, a)
		sums[at+2] += over(b, a)
	}
}

// over is a channel over white.
func over(c, alpha byte) uint32 {
	if alpha == 255 {
		return uint32(c)
	}
	return (uint32(c)*uint32(alpha) + 255*(255-uint32(alpha))) / 255
}

var errFilter = errors.New("unknown filter")

// unfilter undoes a row's prediction; its first byte says which.
func unfilter(row, above []byte, step int) error {
	kind, row, above := row[0], row[1:], above[1:]
	switch kind {
	case 0:
	case 1:
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2:
		for i, v := range above {
			row[i] += v
		}
	case 3:
		for i := range row {
			left := 0
			if i >= step {
				left = int(row[i-step])
			}
			row[i] += byte((left + int(above[i])) / 2)
		}
	case 4:
		for i := range row {
			var left, corner byte
			if i >= step {
				left, corner = row[i-step], above[i-step]
			}
			row[i] += paeth(int(left), int(above[i]), int(corner))
		}
	default:
		return errFilter
	}
	return nil
}

// paeth is the one of three that is nearest to left + above - corner.
func paeth(left, above, corner int) byte {
	a, b := above-corner, left-corner
	c := max(a+b, -a-b)
	a, b = max(a, -a), max(b, -b)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(above)
	}
	return byte(corner)
}
