package film

import (
	"image"
	"math"
)

// newScene chooses the painter of what is behind the title.
func newScene(f Film) painter {
	c := newChance(f.Prompt, f.Seed)
	switch f.Scene {
	case ImageToVideo:
		return newPan(f, c)
	case FramesToVideo:
		return newPassage(f, c)
	case ReferenceToVideo:
		return newMontage(f, c)
	}
	return newMood(f, c)
}

// glide returns the share of a camera move that is done: nearly even, with a soft
// start and end.
func glide(x float64) float64 { return .7*x + .3*smooth(0, 1, x) }

// A pan is a slow move and zoom over one picture.
type pan struct {
	plate    plate
	from, to look
}

func newPan(f Film, c chance) pan {
	side, up := c.direction(3), c.direction(4)
	p := pan{
		plate: newPlate(f.Pictures[0], f.Width, f.Height),
		from:  look{1, -side * .35, -up * .3},
		to:    look{closest, side * .45, up * .35},
	}
	if c.at(5) < .35 {
		p.from, p.to = p.to, p.from
	}
	return p
}

func (p pan) paint(dst *image.RGBA, at moment) {
	p.plate.paint(dst, dst.Rect, p.from.toward(p.to, glide(at.share())), nil)
}

// A passage goes from a start picture to an end picture behind a wide soft
// edge, while the camera moves on through both.
type passage struct {
	start, end plate
	edge       []byte  // coverage across the edge
	lean       float64 // how far the edge moves on over the frame's height, in heights
	side       float64 // the side from which it comes
}

func newPassage(f Film, c chance) passage {
	p := passage{
		start: newPlate(f.Pictures[0], f.Width, f.Height), end: newPlate(f.Pictures[1], f.Width, f.Height),
		lean: c.between(3, .25, .5), side: c.direction(4), edge: make([]byte, f.Width*6/10+1),
	}
	for i := range p.edge {
		p.edge[i] = byte(255*smooth(0, float64(len(p.edge)-1), float64(i)) + .5)
	}
	return p
}

func (p passage) paint(dst *image.RGBA, at moment) {
	t := smooth(.26, .78, at.share())
	if t < 1 {
		l := look{1, 0, 0}.toward(look{closest, p.side * .4, -.1}, math.Pow(glide(at.share()), 1.2))
		p.start.paint(dst, dst.Rect, l, nil)
	}
	if t > 0 {
		l := look{closest, -p.side * .4, .1}.toward(look{1, 0, 0}, 1-math.Pow(1-glide(at.share()), 1.2))
		p.end.paint(dst, dst.Rect, l, p.mask(dst.Rect.Dx(), float64(dst.Rect.Dy()), t))
	}
}

// mask returns the coverage of the end picture when the edge has gone the part t
// of its way.
func (p passage) mask(w int, h, t float64) mask {
	line, last := make([]byte, w), len(p.edge)-1
	travel := float64(w+last) + p.lean*h
	return func(y int) []byte {
		first := int(t*travel - p.lean*float64(y))
		for i := range line {
			x := i
			if p.side > 0 {
				x = w - 1 - i
			}
			line[x] = p.edge[min(max(first-i, 0), last)]
		}
		return line
	}
}
