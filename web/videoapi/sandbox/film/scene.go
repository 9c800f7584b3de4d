package film

import (
	"encoding/binary"
	"image"

	"golang.org/x/image/draw"

	"dailies/web/picture"
)

// newScene returns the painter of the scene behind the title.
func newScene(f Film) painter {
	c := newChance(f.Prompt, f.Seed)
	if f.Scene == TextToVideo {
		return newMood(f, c)
	}
	return newPictures(f, c)
}

// A take is a slow camera move over one picture.
type take struct {
	plate    plate
	from, to look
}

// newPictures returns a painter of the pictures, one after the other. Each
// appears with a wide soft wipe, while the camera keeps moving over both.
func newPictures(f Film, c chance) painter {
	takes := make([]take, len(f.Pictures))
	for i, p := range f.Pictures {
		k := c.branch(i)
		side, up := k.direction(3), k.direction(4)
		takes[i] = take{newPlate(p, f.Width, f.Height), look{1, -side * .35, -up * .3}, look{closest, side * .45, up * .35}}
		if k.at(5) < .35 {
			takes[i].from, takes[i].to = takes[i].to, takes[i].from
		}
	}
	n := float64(len(takes))
	half := .26 / max(1, n-1) // half the duration of a wipe, as a share of the film
	e := newEdge(f, c)
	return func(dst *image.RGBA, at moment) {
		for i, t := range takes {
			begin, end := max(0, float64(i)/n-half), min(1, float64(i+1)/n+half)
			come := 1.0
			if i > 0 {
				come = smooth(begin, float64(i)/n+half, at.share())
			}
			if come == 0 || end < 1 && at.share() >= end {
				continue
			}
			l := t.from.toward(t.to, glide((at.share()-begin)/(end-begin)))
			t.plate.paint(dst, l, e.mask(dst.Rect.Dx(), float64(dst.Rect.Dy()), come))
		}
	}
}

// glide returns how much of a camera move is done after the share x of its time:
// nearly linear, with a soft start and end.
func glide(x float64) float64 { return .7*x + .3*smooth(0, 1, x) }

// An edge is the soft line of a wipe, which moves over the frame.
type edge struct {
	cover []byte  // coverage across the edge, 0 to 255
	lean  float64 // horizontal offset between its top and bottom, in heights of the frame
	side  float64 // the side from which it comes: -1 left, 1 right
}

func newEdge(f Film, c chance) edge {
	e := edge{lean: c.between(3, .25, .5), side: c.direction(4), cover: make([]byte, f.Width*6/10+1)}
	for i := range e.cover {
		e.cover[i] = byte(255*smooth(0, float64(len(e.cover)-1), float64(i)) + .5)
	}
	return e
}

// mask returns the coverage of the new picture when the wipe has done the share t
// of its way.
func (e edge) mask(w int, h, t float64) mask {
	if t >= 1 {
		return nil
	}
	line, last := make([]byte, w), len(e.cover)-1
	travel := float64(w+last) + e.lean*h
	return func(y int) []byte {
		first := int(t*travel - e.lean*float64(y))
		for i := range line {
			x := i
			if e.side > 0 {
				x = w - 1 - i
			}
			line[x] = e.cover[min(max(first-i, 0), last)]
		}
		return line
	}
}

// closest is the maximum zoom of a camera. Pictures are scaled for it once, so
// that every frame only reduces them slightly and stays sharp.
const closest = 1.14

// A plate is a picture scaled so that it fills a frame even at the closest zoom.
type plate struct{ *image.RGBA }

// newPlate scales a picture to cover a frame of w by h. It crops what extends far
// beyond the frame, equally at both ends.
func newPlate(src image.Image, w, h int) plate {
	b := src.Bounds()
	scale := max(float64(w)/float64(b.Dx()), float64(h)/float64(b.Dy())) * closest
	const reach = 1.6 // maximum size of a plate in frames, which leaves room to pan
	fullW, fullH := float64(b.Dx())*scale, float64(b.Dy())*scale
	outW, outH := min(fullW, float64(w)*reach*closest), min(fullH, float64(h)*reach*closest)
	p := plate{image.NewRGBA(image.Rect(0, 0, int(outW+2), int(outH+2)))}
	src = picture.Halve(src, image.Pt(int(fullW), int(fullH)))
	b = src.Bounds()
	cut := image.Rect(0, 0, max(1, int(outW/fullW*float64(b.Dx()))), max(1, int(outH/fullH*float64(b.Dy()))))
	cut = cut.Add(b.Min).Add(image.Pt((b.Dx()-cut.Dx())/2, (b.Dy()-cut.Dy())/2))
	draw.Draw(p.RGBA, p.Rect, image.White, image.Point{}, draw.Src)
	scaler(p.Rect.Dx(), cut.Dy()).Scale(p.RGBA, p.Rect, src, cut, draw.Over, nil)
	return p
}

// scaler returns a sharp scaler, unless its buffer of 32 bytes per pixel would be
// too large. Pictures of that size have enough detail anyway.
func scaler(width, rows int) draw.Scaler {
	if width*rows*32 > 48<<20 {
		return draw.ApproxBiLinear
	}
	return draw.CatmullRom
}

// A look is the position of a camera over a plate: zoom from 1 to closest, and
// the offset, from -1 (left, top) to 1, within the room that the zoom leaves.
type look struct{ zoom, x, y float64 }

// toward interpolates between l (t = 0) and m (t = 1).
func (l look) toward(m look, t float64) look {
	return look{l.zoom + (m.zoom-l.zoom)*t, l.x + (m.x-l.x)*t, l.y + (m.y-l.y)*t}
}

// A mask returns a row's coverage as bytes 0 to 255. A nil mask covers
// everything.
type mask func(y int) []byte

// paint fills dst with the part of the plate that the camera sees, through the
// mask.
func (p plate) paint(dst *image.RGBA, l look, m mask) {
	step := closest / l.zoom
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	roomX := max(0, float64(p.Rect.Dx()-2)-step*float64(w))
	roomY := max(0, float64(p.Rect.Dy()-2)-step*float64(h))
	x0, y0 := roomX*(l.x+1)/2, roomY*(l.y+1)/2
	for y := range h {
		var cover []byte
		if m != nil {
			cover = m(y)
		}
		v := int((y0 + float64(y)*step) * 65536)
		top := p.Pix[min(v>>16, p.Rect.Dy()-2)*p.Stride:]
		sampleRow(dst.Pix[y*dst.Stride:][:w*4], top[:p.Stride*2], p.Stride, int(x0*65536), int(step*65536), uint32(v>>8&0xff), cover)
	}
}

// sampleRow fills a row by bilinear interpolation between two rows of a plate.
func sampleRow(row, src []byte, stride, u, step int, v uint32, cover []byte) {
	last := stride/4 - 2
	for i := 0; i*4 < len(row); i++ {
		if cover == nil || cover[i] > 0 {
			k := min(u>>16, last) * 4
			a, b := binary.LittleEndian.Uint64(src[k:]), binary.LittleEndian.Uint64(src[stride+k:])
			t := uint32(u >> 8 & 0xff)
			px := lerp(lerp(uint32(a), uint32(a>>32), t), lerp(uint32(b), uint32(b>>32), t), v)
			if cover != nil && cover[i] < 255 {
				px = lerp(binary.LittleEndian.Uint32(row[i*4:]), px, uint32(cover[i]))
			}
			binary.LittleEndian.PutUint32(row[i*4:], px|0xff<<24)
		}
		u += step
	}
}
