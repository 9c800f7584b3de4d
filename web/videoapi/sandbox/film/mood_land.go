package film

import (
	"image"
	"math"
)

// A land is a series of silhouettes, one behind the other: ridges or dunes. The
// nearer a silhouette, the faster it moves past.
type land struct {
	c       chance
	p       paints
	layers  int
	top     float64 // height of the farthest silhouette, as a share of the frame's
	octaves int
	rough   float64
	wide    float64 // length of a hill, in heights of the frame
	tall    float64
	lit     float32 // how much the light tints the crests, 0 to 1
	speed   float64
}

func newRidges(f Film, c chance, p paints) painter {
	return mountains(c, p).under(sun{c.between(6, .56, .82), c.between(7, .26, .42), c.between(8, .045, .075)})
}

func mountains(c chance, p paints) land {
	return land{
		c: c, p: p, layers: 5, top: c.between(3, .46, .56), octaves: 6, rough: .47,
		wide: c.between(4, .42, .62), tall: .095, lit: .10, speed: c.direction(5) * .02,
	}
}

func newDunes(f Film, c chance, p paints) painter {
	return land{
		c: c, p: p, layers: 4, top: c.between(3, .54, .62), octaves: 2, rough: .28,
		wide: c.between(4, .9, 1.3), tall: .085, lit: .34, speed: c.direction(5) * .032,
	}.under(sun{c.between(6, .2, .8), c.between(7, .30, .46), c.between(8, .05, .10)})
}

// under returns a painter of the land under a sky with a sun that rises slowly
// from low.
func (s land) under(low sun) painter {
	return func(dst *image.RGBA, at moment) {
		w, h := float64(dst.Rect.Dx()), float64(dst.Rect.Dy())
		now := low
		now.y -= .012 * at.sec / 5
		paintField(dst, int(h*(s.top+.28)), func(x, y float64) rgb {
			return now.glow(s.p.sky(y/(s.top+.1)), s.p.light, x, y, w/h)
		})
		now.disc(s.p.light, w, h).paint(dst)
		s.paint(dst, at)
	}
}

func (s land) paint(dst *image.RGBA, at moment) {
	h := float64(dst.Rect.Dy())
	paintStack(dst, s.layers, func(i int, near float64) silhouette {
		base := s.top + (.97-s.top)*math.Pow(near, 1.35)*.82
		c := s.c.branch(20 + i)
		wide := s.wide * (1 + .9*near) * h
		tall := s.tall * (.75 + .75*near)
		shift := c.between(0, 0, 900) + at.sec*s.speed*(.25+1.6*near*near)/s.wide*3
		tops := make([]float32, dst.Rect.Dx())
		for x := range tops {
			tops[x] = float32((base - tall*c.hills(shift+float64(x)/wide, s.octaves, s.rough)) * h)
		}
		body := mix(s.p.far, s.p.near, float32(math.Pow(near, .8)))
		haze := mix(body, s.p.horizon, float32(.42*(1-near)*(1-near)))
		return silhouette{
			tops: tops, first: float32((base - tall) * h),
			crest: mix(body, s.p.light, s.lit*float32(1-.75*near)), foot: mix(haze, body, float32(near)),
		}
	})
}

// newAurora returns a painter of stars and slow curtains of light over a dark
// land.
func newAurora(f Film, c chance, p paints) painter {
	hue := c.between(3, 140, 215)
	low, high := lch{.80, .16, hue}.rgb(0), lch{.62, .17, hue + c.between(4, 70, 130)}.rgb(0)
	ground := mountains(c, p)
	ground.top, ground.layers, ground.lit = .66, 3, .02
	return func(dst *image.RGBA, at moment) {
		w, h := float64(dst.Rect.Dx()), float64(dst.Rect.Dy())
		paintField(dst, int(h*.92), func(x, y float64) rgb {
			return curtains(c, low, high, p.sky(y/.8), x*w/h, y, at.sec)
		})
		for i := range 130 {
			c := c.branch(100 + i)
			twinkle := .55 + .45*math.Sin(at.sec*c.between(3, .8, 2.6)+c.between(4, 0, 7))
			y := math.Pow(c.at(1), 1.4) * .66
			disc{
				x: math.Mod(c.at(0)*w+at.sec*h*.0025+w, w), y: y * h,
				radius: h / 1080 * c.between(5, .3, 1.5), soft: h / 1080 * 1.1, colour: p.light,
				strength: twinkle * c.between(2, .25, .95) * (1 - y),
			}.paint(dst)
		}
		ground.paint(dst, at)
	}
}

// curtains adds the aurora to the sky: folded bands that are sharp at the bottom
// and fade upwards, from the colour low to high.
func curtains(c chance, low, high, sky rgb, x, y, sec float64) rgb {
	for i := range 3 {
		k := c.branch(60 + i)
		phase := k.between(0, 0, 7) + sec*k.between(1, .12, .28)*k.direction(5)
		foot := .36 + .11*float64(i) + .085*math.Sin(x*k.between(2, 1.4, 2.4)+phase) + .03*math.Sin(x*4.7-phase*1.6)
		up := foot - y
		light := math.Exp(-up * (5.5 + 1.5*float64(i)))
		if up < 0 {
			light = math.Exp(-up * up * 900)
		}
		folds := .62 + .38*math.Sin(x*k.between(3, 7, 11)+2.2*math.Sin(x*2.1+phase)+phase*2.3)
		pulse := .7 + .3*math.Sin(sec*.7+k.between(4, 0, 7))
		sky = sky.glow(mix(low, high, float32(smooth(.02, .34, up))), float32(.48*light*folds*pulse))
	}
	return sky
}
