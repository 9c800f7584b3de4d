package film

import (
	"image"
	"math"
)

// newPaper returns a painter of sheets of cut paper that sway, one in front of
// the other, each with a soft shadow on the one behind it.
func newPaper(f Film, c chance, p paints) painter {
	slope := c.between(3, -.22, .22)
	return func(dst *image.RGBA, at moment) {
		w, h := float64(dst.Rect.Dx()), float64(dst.Rect.Dy())
		lamp := sun{x: c.between(4, .25, .75) + .06*math.Sin(at.sec*.5), y: .3}
		paintField(dst, int(h*.7), func(x, y float64) rgb {
			return lamp.glow(mix(p.zenith, p.horizon, float32(smooth(-.1, .6, y))), p.light, x, y, w/h)
		})
		paintStack(dst, 6, func(i int, near float64) silhouette {
			base := .27 + .53*near
			c := c.branch(40 + i)
			turns := 2 * math.Pi / c.between(0, .55, .95) // radians per height of the frame
			phase := c.between(1, 0, 7) + at.sec*c.between(2, .32, .6)*c.direction(3)
			swell := (.055 + .025*math.Sin(at.sec*.6+c.between(4, 0, 6))) * (1.15 - .5*near)
			tops := make([]float32, dst.Rect.Dx())
			for x := range tops {
				u := (float64(x) - w/2) / h
				y := base + slope*u*(1-near) - swell*math.Sin(u*turns/1.6+phase) - swell*.35*math.Sin(u*turns*.7-phase*.7+2)
				tops[x] = float32(y * h)
			}
			body := mix(mix(p.middle, p.far, float32(near/.35)), mix(p.zenith, p.near, float32((near-.7)/.3)), float32((near-.35)/.35))
			return silhouette{
				tops: tops, first: float32((base - .1) * h), shadow: float32(h) * .06,
				crest: mix(body, p.light, .07), foot: mix(body, p.near, .45),
			}
		})
	}
}

// newCity returns a painter of street lamps at night, out of focus, that drift
// past.
func newCity(f Film, c chance, _ paints) painter {
	const count = 34
	hue := []float64{345, 20, 195, 225, 300}[c.pick(3, 5)]
	top, haze, foot := lch{.18, .05, 275}.rgb(0), lch{.34, .12, hue}.rgb(0), lch{.10, .025, 270}.rgb(0)
	tints := []rgb{
		lch{.83, .14, 70}.rgb(0), lch{.80, .13, hue}.rgb(0), lch{.72, .17, 35}.rgb(0),
		lch{.86, .08, 215}.rgb(0), lch{.90, .06, 85}.rgb(0),
	}
	drift := c.direction(4) * .02
	return func(dst *image.RGBA, at moment) {
		w, h := float64(dst.Rect.Dx()), float64(dst.Rect.Dy())
		paintField(dst, dst.Rect.Dy(), func(x, y float64) rgb {
			sum := mix(top, foot, float32(smooth(.35, 1, y)))
			for i := range 3 {
				k := c.branch(80 + i)
				far := math.Hypot((x-k.at(0)-.05*math.Sin(at.sec*.35+k.between(1, 0, 7)))*w/h, (y-k.between(2, .25, .6))*1.5)
				sum = sum.glow(mix(haze, tints[i], .35), float32(.55*math.Exp(-far*far*5)))
			}
			return sum
		})
		for i := range count {
			k := c.branch(200 + i)
			near := float64(i) / count // later ones are nearer, larger, fainter
			x := k.at(0)*1.3 + at.sec*drift*(.4+1.8*near)
			x -= math.Floor(x/1.3) * 1.3
			y := .16 + .5*k.at(1) + .012*math.Sin(at.sec*.8+k.between(2, 0, 7))
			pulse := .85 + .15*math.Sin(at.sec*k.between(3, .6, 1.4)+k.between(4, 0, 7))
			disc{
				x: (x - .15) * w, y: y * h,
				radius: h * (.016 + .075*near*near + .02*k.at(5)), soft: h * (.003 + .006*near), rim: .35,
				colour: tints[k.pick(6, len(tints))], strength: pulse * (.62 - .42*near) * (.55 + .45*k.at(7)),
			}.paint(dst)
		}
	}
}
