package film

import (
	"encoding/binary"
	"image"
	"math"
	"slices"
)

// A silhouette is the area below a line: a ridge, a dune, a paper wave.
type silhouette struct {
	tops   []float32 // the row of the line in each column
	crest  rgb       // colour at the row first
	foot   rgb       // colour at the bottom row
	first  float32   // the row in which the ramp from crest to foot begins
	shadow float32   // height in rows of the shadow above the line; may be 0
}

// paintStack paints n silhouettes from the farthest, 0, to the nearest, each only
// as far down as it is visible.
func paintStack(dst *image.RGBA, n int, layer func(i int, near float64) silhouette) {
	stack := make([]silhouette, n)
	for i := range stack {
		stack[i] = layer(i, float64(i)/float64(n-1))
	}
	for i, s := range stack {
		until := dst.Rect.Dy()
		if i+1 < n {
			until = min(until, int(slices.Max(stack[i+1].tops))+1)
		}
		s.paint(dst, until)
	}
}

// paint fills the silhouette down to the row until.
func (s silhouette) paint(dst *image.RGBA, until int) {
	h := float32(dst.Rect.Dy())
	for y := max(0, int(slices.Min(s.tops)-s.shadow)-1); y < until; y++ {
		ramp := (float32(y) - s.first) / (h - s.first)
		s.row(dst.Pix[y*dst.Stride:][:len(s.tops)*4], mix(s.crest, s.foot, ramp).ink(), float32(y))
	}
}

func (s silhouette) row(row []byte, ink uint32, y float32) {
	for x, top := range s.tops {
		p := row[x*4 : x*4+4]
		switch inside := y + 1 - top; {
		case inside >= 1:
			binary.LittleEndian.PutUint32(p, ink)
		case inside > -s.shadow:
			if s.shadow > 0 {
				t := min(1, 1+inside/s.shadow)
				blend(p, 0xff<<24, uint32(64*t*t*t))
			}
			if inside > 0 {
				blend(p, ink, uint32(inside*256))
			}
		}
	}
}

// A disc is a round light with a soft edge. Sizes are in pixels.
type disc struct {
	x, y, radius, soft float64
	colour             rgb
	strength           float64 // 0 to 1
	rim                float64 // how much fainter the middle is than the rim
}

func (d disc) paint(dst *image.RGBA) {
	out := d.radius + d.soft
	b := image.Rect(int(d.x-out), int(d.y-out), int(d.x+out)+2, int(d.y+out)+2).Intersect(dst.Rect)
	px := d.colour.ink()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			far := math.Hypot(float64(x)-d.x, float64(y)-d.y)
			if far >= out {
				continue
			}
			cover := d.strength * (1 - smooth(d.radius-d.soft, out, far)) * (1 - d.rim*(1-far/out))
			if c := uint32(cover * 256); c > 0 {
				blend(dst.Pix[dst.PixOffset(x, y):][:4], px, c)
			}
		}
	}
}
