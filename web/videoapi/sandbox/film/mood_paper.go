package film

import (
	"image"
	"math"
)

// paperWaves are sheets of cut paper that sway one before the other, each
// with a soft shadow on the one behind it.
type paperWaves struct {
	w, h   int
	c      chance
	p      paints
	sheets int
	slope  float64
}

func newPaper(f Film, c chance, hours []palette) paperWaves {
	return paperWaves{w: f.Width, h: f.Height, c: c, p: c.choose(hours), sheets: 6, slope: c.between(3, -.22, .22)}
}

func (s paperWaves) paint(dst *image.RGBA, at moment) {
	wide := float64(s.w) / float64(s.h)
	lightX := s.c.between(4, .25, .75) + .06*math.Sin(at.sec*.5)
	paintField(dst, 0, min(s.h, s.h*7/10), func(x, y float64) rgb {
		far := math.Hypot((x-lightX)*wide, y-.3)
		return mix(s.p.zenith, s.p.horizon, float32(smooth(-.1, .6, y))).glow(s.p.light, float32(.30*math.Exp(-far*far*5)))
	})
	stack := make([]silhouette, s.sheets)
	for i := range stack {
		stack[i] = s.sheet(i, at.sec)
	}
	paintStack(dst, stack)
}

func (s paperWaves) sheet(i int, sec float64) silhouette {
	near := float64(i) / float64(s.sheets-1)
	base := .27 + .53*near
	c := s.c.branch(40 + i)
	long := c.between(0, .55, .95)
	phase := c.between(1, 0, 7) + sec*c.between(2, .32, .6)*c.direction(3)
	swell := (.055 + .025*math.Sin(sec*.6+c.between(4, 0, 6))) * (1.15 - .5*near)
	tops := make([]float32, s.w)
	for x := range tops {
		u := (float64(x) - float64(s.w)/2) / float64(s.h)
		y := base + s.slope*u*(1-near) - swell*math.Sin(u*2*math.Pi/long/1.6+phase) - swell*.35*math.Sin(u*2*math.Pi/long*.7-phase*.7+2)
		tops[x] = float32(y * float64(s.h))
	}
	body := s.tone(near)
	return silhouette{
		tops: tops, first: float32((base - .1) * float64(s.h)), shadow: float32(s.h) * .06,
		crest: mix(body, s.p.light, .07), foot: mix(body, s.p.near, .45),
	}
}

// tone runs through the palette from the middle of the sky to the near land.
func (s paperWaves) tone(near float64) rgb {
	switch {
	case near < .35:
		return mix(s.p.middle, s.p.far, float32(near/.35))
	case near < .7:
		return mix(s.p.far, s.p.zenith, float32((near-.35)/.35))
	}
	return mix(s.p.zenith, s.p.near, float32((near-.7)/.3))
}
