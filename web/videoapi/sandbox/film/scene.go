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
	edge       []byte // coverage along a row as the edge passes
	lean       float64
	side       float64
	feather    int
}

func newPassage(f Film, c chance) passage {
	p := passage{
		start: newPlate(f.Pictures[0], f.Width, f.Height), end: newPlate(f.Pictures[1], f.Width, f.Height),
		lean: c.between(3, .25, .5), side: c.direction(4), feather: f.Width * 6 / 10,
	}
	// Wide enough to be read at any shift: zeros, the ramp, and ones.
	pad := f.Width + int(p.lean*float64(f.Height)) + p.feather + 2
	p.edge = make([]byte, 2*pad+p.feather)
	for i := range p.edge {
		p.edge[i] = byte(255*smooth(0, 1, float64(i-pad)/float64(p.feather)) + .5)
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
		p.end.paint(dst, dst.Rect, l, p.mask(dst.Rect.Dx(), dst.Rect.Dy(), t))
	}
}

// mask returns the soft edge at t of its way; none when it has passed.
func (p passage) mask(w, h int, t float64) mask {
	if t >= 1 {
		return nil
	}
	lean := p.lean * float64(h)
	travel := float64(w) + lean + float64(p.feather)
	first := (len(p.edge)-p.feather)/2 - w
	line := make([]byte, w)
	return func(y int) []byte {
		k := first + int(t*travel-lean*float64(y)/float64(h))
		row := p.edge[min(max(k, 0), len(p.edge)-w):][:w]
		if p.side > 0 {
			return row
		}
		for i, v := range row {
			line[w-1-i] = v
		}
		return line
	}
}
