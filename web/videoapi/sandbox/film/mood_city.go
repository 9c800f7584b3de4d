package film

import (
	"image"
	"math"
)

// lights are the lamps of a street at night, out of focus, that drift by.
type lights struct {
	w, h  int
	c     chance
	base  [3]rgb
	tints []rgb
	count int
	drift float64
}

func newCity(f Film, c chance) lights {
	hue := []float64{345, 20, 195, 225, 300}[c.pick(3, 5)]
	return lights{
		w: f.Width, h: f.Height, c: c, count: 34, drift: c.direction(4) * .02,
		base: [3]rgb{lch{.18, .05, 275}.rgb(), lch{.34, .12, hue}.rgb(), lch{.10, .025, 270}.rgb()},
		tints: []rgb{
			lch{.83, .14, 70}.rgb(), lch{.80, .13, hue}.rgb(), lch{.72, .17, 35}.rgb(),
			lch{.86, .08, 215}.rgb(), lch{.90, .06, 85}.rgb(),
		},
	}
}

func (s lights) paint(dst *image.RGBA, at moment) {
	w, h := float64(s.w), float64(s.h)
	wide := w / h
	paintField(dst, 0, s.h, func(x, y float64) rgb {
		c := mix(s.base[0], s.base[2], float32(smooth(.35, 1, y)))
		for i := range 3 {
			k := s.c.branch(80 + i)
			far := math.Hypot((x-k.at(0)-.05*math.Sin(at.sec*.35+k.between(1, 0, 7)))*wide, (y-k.between(2, .25, .6))*1.5)
			c = c.glow(mix(s.base[1], s.tints[i], .35), float32(.55*math.Exp(-far*far*5)))
		}
		return c
	})
	for i := range s.count {
		k := s.c.branch(200 + i)
		near := float64(i) / float64(s.count) // later ones are nearer, larger, fainter
		x := k.at(0)*1.3 + at.sec*s.drift*(.4+1.8*near)
		x -= math.Floor(x/1.3) * 1.3
		y := .16 + .5*k.at(1) + .012*math.Sin(at.sec*.8+k.between(2, 0, 7))
		pulse := .85 + .15*math.Sin(at.sec*k.between(3, .6, 1.4)+k.between(4, 0, 7))
		disc{
			x: (x - .15) * w, y: y * h,
			radius: h * (.016 + .075*near*near + .02*k.at(5)), soft: h * (.003 + .006*near), rim: .35,
			colour: s.tints[k.pick(6, len(s.tints))], strength: pulse * (.62 - .42*near) * (.55 + .45*k.at(7)),
		}.paint(dst)
	}
}
