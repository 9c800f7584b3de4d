package film

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// A stamp is a word as a mask, with a soft shadow that keeps it legible on any
// background.
type stamp struct {
	mask    *image.Alpha // in the frame's coordinates
	shadow  *image.Alpha
	advance float64
}

// newStamp draws text with its baseline starting at x, y.
func newStamp(fc font.Face, text string, x, y float64) stamp {
	bounds, advance := font.BoundString(fc, text)
	soft := fc.Metrics().XHeight.Ceil()
	box := image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil()+1, bounds.Max.Y.Ceil()+1)
	box = box.Add(image.Pt(int(math.Floor(x)), int(math.Floor(y))))
	s := stamp{mask: image.NewAlpha(box), shadow: image.NewAlpha(box.Inset(-soft)), advance: float64(advance) / 64}
	d := font.Drawer{Dst: s.mask, Src: image.Opaque, Face: fc, Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(text)
	// Scaling the mask down and up again blurs it.
	draw.Draw(s.shadow, box, s.mask, box.Min, draw.Src)
	step := max(1, soft/2)
	small := image.NewAlpha(image.Rect(0, 0, s.shadow.Rect.Dx()/step+1, s.shadow.Rect.Dy()/step+1))
	draw.BiLinear.Scale(small, small.Rect, s.shadow, s.shadow.Rect, draw.Src, nil)
	draw.BiLinear.Scale(s.shadow, s.shadow.Rect, small, small.Rect, draw.Src, nil)
	return s
}

// paint draws the word, moved down by some pixels, with a strength from 0 to 1.
func (s stamp) paint(dst *image.RGBA, strength, down float64) {
	lay := func(mask *image.Alpha, c color.NRGBA, share float64) {
		c.A = uint8(255 * share * strength)
		at := mask.Rect.Add(image.Pt(0, int(math.Round(down))))
		draw.DrawMask(dst, at, image.NewUniform(c), image.Point{}, mask, mask.Rect.Min, draw.Over)
	}
	lay(s.shadow, color.NRGBA{}, .78)
	lay(s.mask, color.NRGBA{R: 250, G: 246, B: 238}, 1)
}

// A scrim darkens the bottom of a picture under the title, and a little of its
// top under the mark. It holds the share of light that each row keeps, in 256ths.
type scrim []uint32

// newScrim returns a scrim that begins above the row top. It is weaker without
// words.
func newScrim(height int, top float64, words bool) scrim {
	s := make(scrim, height)
	h := float64(height)
	depth := .62
	if !words {
		depth = .12
	}
	begin := min(top-.12*h, .62*h)
	for y := range s {
		foot := depth * smooth(begin, begin+.75*(h-begin), float64(y))
		head := .5 * (1 - smooth(0, .2*h, float64(y)))
		s[y] = uint32(256 * (1 - foot) * (1 - head))
	}
	return s
}

func (s scrim) paint(dst *image.RGBA) {
	for y, keep := range s {
		row := dst.Pix[y*dst.Stride:][:dst.Rect.Dx()*4]
		for i := 0; keep < 256 && i+4 <= len(row); i += 4 {
			row[i] = byte(uint32(row[i]) * keep >> 8)
			row[i+1] = byte(uint32(row[i+1]) * keep >> 8)
			row[i+2] = byte(uint32(row[i+2]) * keep >> 8)
		}
	}
}
