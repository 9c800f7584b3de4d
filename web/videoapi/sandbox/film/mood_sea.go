package film

import (
	"image"
	"math"
)

// A water paints the sea under a horizon, with the reflection of a low sun or
// moon.
type water struct {
	p       paints
	horizon float64
	sun     sun
	sine    []float32 // table of one period, because the waves need millions of sines
}

const sineSteps = 2048

func newSea(f Film, c chance, p paints) painter {
	s := water{p: p, horizon: c.between(3, .50, .58), sine: make([]float32, sineSteps)}
	s.sun = sun{c.between(4, .55, .78), s.horizon - c.between(6, .07, .2), c.between(5, .05, .085)}
	for i := range s.sine {
		s.sine[i] = float32(math.Sin(2 * math.Pi * float64(i) / sineSteps))
	}
	return s.paint
}

func (s water) sin(x float32) float32 {
	return s.sine[int(int32(x*(sineSteps/(2*math.Pi))))&(sineSteps-1)]
}

func (s water) paint(dst *image.RGBA, at moment) {
	w, h := float64(dst.Rect.Dx()), float64(dst.Rect.Dy())
	now := s.sun
	now.y += .01 * at.sec / 5
	line := int(s.horizon * h)
	paintField(dst, line, func(x, y float64) rgb {
		low := math.Exp(-math.Pow((y-s.horizon)*9, 2)) * math.Exp(-math.Abs(x-now.x)*w/h*1.1)
		return now.glow(s.p.sky(y/s.horizon), s.p.light, x, y, w/h).glow(s.p.light, float32(.2*low))
	})
	now.disc(s.p.light, w, h).paint(dst)
	s.surface(dst, line, float32(at.sec))
}

// surface paints the water row by row, in perspective: the distance of a row is
// the reciprocal of its depth below the horizon.
func (s water) surface(dst *image.RGBA, line int, t float32) {
	const step = 4
	w, h := dst.Rect.Dx(), float32(dst.Rect.Dy())
	cells := make([]rgb, w/step+2)
	for y := line; y < dst.Rect.Dy(); y++ {
		depth := float32(y-line) / (h - float32(line))
		far := 1 / (depth + .045)
		base := mix(mix(s.p.horizon, s.p.far, .35+.65*min(1, depth*5)), s.p.near, depth*1.25)
		road := (.035 + .30*depth) * h
		rough := min(1, depth*9) // fades out distant waves, which are finer than a row and would flicker
		for i := range cells {
			x := float32(i*step) - float32(s.sun.x)*float32(w)
			u := x / h * far
			wave := s.sin(far*14.1+u*2.9+t*1.5) + s.sin(far*9.3-u*4.7+t*1.1) + s.sin(far*31.7+u*7.9-t*1.9)*.8 + s.sin(far*5.3+u*1.5+t*.6)*.7
			wave *= rough
			d := x / road
			lit := 1 / (1 + d*d*d*d)
			gleam := lit * (.14 + .34*max(0, wave-.25)) * (1 - .6*depth)
			cells[i] = mix(base, s.p.middle, max(0, .05*wave*(1-depth))).glow(s.p.light, min(.85, gleam))
		}
		fieldRow(dst.Pix[y*dst.Stride:][:w*4], cells, step)
	}
}
