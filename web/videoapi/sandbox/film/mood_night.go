package film

import (
	"image"
	"math"
)

// skyLights are stars and slow curtains of light over a dark land.
type skyLights struct {
	land  land
	c     chance
	p     paints
	glow  [2]rgb
	stars int
}

func newAurora(f Film, c chance) skyLights {
	s := skyLights{c: c, p: c.choose(night()), stars: 130}
	hue := c.between(3, 140, 215)
	s.glow = [2]rgb{lch{.80, .16, hue}.rgb(), lch{.62, .17, hue + c.between(4, 70, 130)}.rgb()}
	s.land = newRidges(f, c, night())
	s.land.p, s.land.top, s.land.layers, s.land.lit = s.p, .66, 3, .02
	return s
}

func (s skyLights) paint(dst *image.RGBA, at moment) {
	w, h := float64(s.land.w), float64(s.land.h)
	wide := w / h
	paintField(dst, 0, int(h*.92), func(x, y float64) rgb {
		return s.curtains(s.p.sky(y/.8), x*wide, y, at.sec)
	})
	for i := range s.stars {
		c := s.c.branch(100 + i)
		twinkle := .55 + .45*math.Sin(at.sec*c.between(3, .8, 2.6)+c.between(4, 0, 7))
		y := math.Pow(c.at(1), 1.4) * .66
		disc{
			x: math.Mod(c.at(0)*w+at.sec*h*.0025+w, w), y: y * h,
			radius: h / 1080 * c.between(5, .3, 1.5), soft: h / 1080 * 1.1, colour: s.p.light,
			strength: twinkle * c.between(2, .25, .95) * (1 - y),
		}.paint(dst)
	}
	stack := make([]silhouette, s.land.layers)
	for i := range stack {
		stack[i] = s.land.layer(i, at.sec)
	}
	paintStack(dst, stack)
}

// curtains adds the aurora: folded bands, sharp below and fading upwards.
func (s skyLights) curtains(c rgb, x, y, sec float64) rgb {
	for i := range 3 {
		k := s.c.branch(60 + i)
		phase := k.between(0, 0, 7) + sec*k.between(1, .12, .28)*k.direction(5)
		foot := .36 + .11*float64(i) + .085*math.Sin(x*k.between(2, 1.4, 2.4)+phase) + .03*math.Sin(x*4.7-phase*1.6)
		up := foot - y
		var light float64
		if up < 0 {
			light = math.Exp(-up * up * 900)
		} else {
			light = math.Exp(-up * (5.5 + 1.5*float64(i)))
		}
		folds := .62 + .38*math.Sin(x*k.between(3, 7, 11)+2.2*math.Sin(x*2.1+phase)+phase*2.3)
		breath := .7 + .3*math.Sin(sec*.7+k.between(4, 0, 7))
		tint := mix(s.glow[0], s.glow[1], float32(smooth(.02, .34, up)))
		c = c.glow(tint, float32(.48*light*folds*breath))
	}
	return c
}
