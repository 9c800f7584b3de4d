package film

import "image"

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
