package film

import (
	"image"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
)

// A stamp is a word as a mask, with a soft shadow that keeps it legible on
// any ground.
type stamp struct {
	mask    *image.Alpha // in the frame's coordinates
	shadow  *image.Alpha
	advance float64
}

// newStamp draws text with its baseline's start at x, y.
func newStamp(fc font.Face, text string, x, y float64) stamp {
	bounds, advance := font.BoundString(fc, text)
	soft := fc.Metrics().XHeight.Ceil()
	box := image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil()+1, bounds.Max.Y.Ceil()+1)
	box = box.Add(image.Pt(int(math.Floor(x)), int(math.Floor(y))))
	s := stamp{mask: image.NewAlpha(box), shadow: image.NewAlpha(box.Inset(-soft)), advance: float64(advance) / 64}
	d := font.Drawer{Dst: s.mask, Src: image.Opaque, Face: fc, Dot: point(x, y)}
	d.DrawString(text)
	// Scaled down and up again, the mask is a blur of itself.
	draw.Draw(s.shadow, box, s.mask, box.Min, draw.Src)
	step := max(1, soft/2)
	small := image.NewAlpha(image.Rect(0, 0, s.shadow.Rect.Dx()/step+1, s.shadow.Rect.Dy()/step+1))
	draw.BiLinear.Scale(small, small.Rect, s.shadow, s.shadow.Rect, draw.Src, nil)
	draw.BiLinear.Scale(s.shadow, s.shadow.Rect, small, small.Rect, draw.Src, nil)
	return s
}

// paint puts the word, down by some pixels, in a colour and strength 0 to 1.
func (s stamp) paint(dst *image.RGBA, c rgb, strength, down float64) {
	whole := math.Floor(down)
	lay(dst, s.shadow, 0xff<<24, uint32(strength*200), int(whole), uint32((down-whole)*256))
	lay(dst, s.mask, c.ink(), uint32(strength*256), int(whole), uint32((down-whole)*256))
}

// lay blends a mask in, moved down by rows and 256ths of a row.
func lay(dst *image.RGBA, mask *image.Alpha, ink, strength uint32, rows int, part uint32) {
	b := mask.Rect
	at := image.Rect(b.Min.X, b.Min.Y+rows, b.Max.X, b.Max.Y+rows+1).Intersect(dst.Rect)
	if at.Empty() || strength == 0 {
		return
	}
	empty := make([]byte, b.Dx())
	line := func(y int) []byte {
		if y < b.Min.Y || y >= b.Max.Y {
			return empty
		}
		return mask.Pix[mask.PixOffset(b.Min.X, y):][:b.Dx()]
	}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		here, above := line(y-rows), line(y-rows-1)
		row := dst.Pix[dst.PixOffset(at.Min.X, y):][:at.Dx()*4]
		for i := at.Min.X - b.Min.X; len(row) > 0; i++ {
			cover := (uint32(here[i])*(256-part) + uint32(above[i])*part) * strength >> 16
			if cover > 0 {
				blend(row[:4], ink, cover+cover>>7)
			}
			row = row[4:]
		}
	}
}

// A scrim darkens the foot of a picture under the title, and a little of its
// top under the mark.
type scrim struct{ keep []uint32 } // what stays of each row's light, in 256ths

// newScrim darkens from above the row top to the bottom, less if no words
// stand there.
func newScrim(height int, top float64, words bool) *scrim {
	s := &scrim{keep: make([]uint32, height)}
	h := float64(height)
	depth := .62
	if !words {
		depth = .12
	}
	begin := min(top-.12*h, .62*h)
	for y := range s.keep {
		foot := depth * smooth(begin, begin+.75*(h-begin), float64(y))
		head := .5 * (1 - smooth(0, .2*h, float64(y)))
		s.keep[y] = uint32(256 * (1 - foot) * (1 - head))
	}
	return s
}

func (s *scrim) paint(dst *image.RGBA) {
	for y, keep := range s.keep {
		if keep >= 256 {
			continue
		}
		row := dst.Pix[y*dst.Stride:][:dst.Rect.Dx()*4]
		for i := 0; i+4 <= len(row); i += 4 {
			row[i] = byte(uint32(row[i]) * keep >> 8)
			row[i+1] = byte(uint32(row[i+1]) * keep >> 8)
			row[i+2] = byte(uint32(row[i+2]) * keep >> 8)
		}
	}
}
