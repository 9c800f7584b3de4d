package film

import (
	"image"
	"math"
)

// water is a horizon with a low sun or moon and its road of light.
type water struct {
	w, h    int
	c       chance
	p       paints
	horizon float64
	sunX    float64
	sunY    float64
	sunR    float64
	sine    []float32 // a turn in sineSteps: the waves need millions
}

const sineSteps = 2048

func newSea(f Film, c chance, hours []palette) water {
	s := water{
		w: f.Width, h: f.Height, c: c, p: c.choose(hours),
		horizon: c.between(3, .50, .58), sunX: c.between(4, .55, .78), sunR: c.between(5, .05, .085),
		sine: make([]float32, sineSteps),
	}
	s.sunY = s.horizon - c.between(6, .07, .2)
	for i := range s.sine {
		s.sine[i] = float32(math.Sin(2 * math.Pi * float64(i) / sineSteps))
	}
	return s
}

func (s water) sin(x float32) float32 {
	return s.sine[int(int32(x*(sineSteps/(2*math.Pi))))&(sineSteps-1)]
}

func (s water) paint(dst *image.RGBA, at moment) {
	wide := float64(s.w) / float64(s.h)
	line := int(s.horizon * float64(s.h))
	sunY := s.sunY + .01*at.sec/5
	paintField(dst, 0, line, func(x, y float64) rgb {
		far := math.Hypot((x-s.sunX)*wide, y-sunY)
		low := math.Exp(-math.Pow((y-s.horizon)*9, 2)) * math.Exp(-math.Abs(x-s.sunX)*wide*1.1)
		return s.p.sky(y/s.horizon).glow(s.p.light, float32(.5*math.Exp(-far*far*10)+.25*math.Exp(-far*2.4)+.2*low))
	})
	r := s.sunR * float64(s.h)
	disc{x: s.sunX * float64(s.w), y: sunY * float64(s.h), radius: r, soft: 1.2, colour: s.p.light, strength: .95}.paint(dst)
	s.surface(dst, line, at.sec)
}

// surface paints the water row by row, in perspective: a row's distance is
// the reciprocal of its depth below the horizon.
func (s water) surface(dst *image.RGBA, line int, sec float64) {
	const step = 4
	cells := make([]rgb, s.w/step+2)
	t := float32(sec)
	h := float32(s.h)
	for y := line; y < s.h; y++ {
		depth := float32(y-line) / (h - float32(line))
		far := 1 / (depth + .045)
		base := mix(mix(s.p.horizon, s.p.far, .35+.65*min(1, depth*5)), s.p.near, depth*1.25)
		road := (.035 + .30*depth) * h
		rough := min(1, depth*9) // far waves are finer than a row: calm them
		for i := range cells {
			x := float32(i*step) - float32(s.sunX)*float32(s.w)
			u := x / h * far
			wave := s.sin(far*14.1+u*2.9+t*1.5) + s.sin(far*9.3-u*4.7+t*1.1) + s.sin(far*31.7+u*7.9-t*1.9)*.8 + s.sin(far*5.3+u*1.5+t*.6)*.7
			wave *= rough
			d := x / road
			lit := 1 / (1 + d*d*d*d)
			gleam := lit * (.14 + .34*max(0, wave-.25)) * (1 - .6*depth)
			c := mix(base, s.p.middle, max(0, .05*wave*(1-depth)))
			cells[i] = c.glow(s.p.light, min(.85, gleam))
		}
		fieldRow(dst.Pix[y*dst.Stride:][:s.w*4], cells, step, y)
	}
}
