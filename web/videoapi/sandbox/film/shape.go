package film

import (
	"encoding/binary"
	"image"
	"math"
)

// A silhouette is all that lies below a line: a ridge, a dune, a paper wave.
type silhouette struct {
	tops   []float32 // height of the line at each column, in rows from the top
	crest  rgb       // colour at the row first
	foot   rgb       // colour at the bottom row
	first  float32   // where the ramp from crest to foot begins
	shadow float32   // rows over which it darkens what is behind its edge; may be 0
}

// paint fills the silhouette down to the row until, below which something
// else will cover it.
func (s silhouette) paint(dst *image.RGBA, until int) {
	h := dst.Rect.Dy()
	high := s.tops[0]
	for _, t := range s.tops {
		high = min(high, t)
	}
	for y := max(0, int(high-s.shadow)-1); y < min(until, h); y++ {
		ramp := (float32(y) - s.first) / (float32(h) - s.first)
		s.row(dst.Pix[y*dst.Stride:][:len(s.tops)*4], inks(mix(s.crest, s.foot, ramp), y), float32(y))
	}
}

func (s silhouette) row(row []byte, ink [8]uint32, y float32) {
	for x, top := range s.tops {
		p := row[x*4 : x*4+4]
		switch inside := y + 1 - top; {
		case inside >= 1:
			binary.LittleEndian.PutUint32(p, ink[x&7])
		case inside > -s.shadow:
			if s.shadow > 0 {
				t := min(1, 1+inside/s.shadow)
				blend(p, 0xff<<24, uint32(64*t*t*t))
			}
			if inside > 0 {
				blend(p, ink[x&7], uint32(inside*256))
			}
		}
	}
}

// lowest returns the row below which every column is covered.
func (s silhouette) lowest() int {
	low := s.tops[0]
	for _, t := range s.tops {
		low = max(low, t)
	}
	return int(low) + 1
}

// paintStack paints silhouettes from the farthest to the nearest, each only
// as far down as it can be seen.
func paintStack(dst *image.RGBA, stack []silhouette) {
	for i, s := range stack {
		until := dst.Rect.Dy()
		if i+1 < len(stack) {
			until = stack[i+1].lowest()
		}
		s.paint(dst, until)
	}
}

// A disc is a round light with an edge of some softness, in pixels.
type disc struct {
	x, y, radius, soft float64
	colour             rgb
	strength           float64 // 0 to 1
	rim                float64 // how much fainter the middle is than the rim
}

func (d disc) paint(dst *image.RGBA) {
	out := d.radius + d.soft
	b := image.Rect(int(d.x-out), int(d.y-out), int(d.x+out)+2, int(d.y+out)+2).Intersect(dst.Rect)
	px := inks(d.colour, 0)[0]
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			far := math.Hypot(float64(x)-d.x, float64(y)-d.y)
			if far >= out {
				continue
			}
			cover := d.strength * (1 - smooth(d.radius-d.soft, out, far))
			if d.rim > 0 {
				cover *= 1 - d.rim*(1-far/out)
			}
			if c := uint32(cover * 256); c > 0 {
				blend(dst.Pix[dst.PixOffset(x, y):][:4], px, c)
			}
		}
	}
}
