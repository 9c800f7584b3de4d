package film

import (
	"image"
	"math"
)

// land is silhouettes one behind the other under a sky with a low sun: ridges
// or dunes. The nearer a silhouette, the faster it passes.
type land struct {
	w, h    int
	c       chance
	p       paints
	layers  int
	top     float64 // where the farthest line lies, as a share of the height
	octaves int
	rough   float64
	wide    float64 // length of a hill, in heights of the frame
	tall    float64
	lit     float32 // how much the light catches the crests
	speed   float64
	sunX    float64
	sunY    float64
	sunR    float64
}

func newRidges(f Film, c chance, hours []palette) land {
	return land{
		w: f.Width, h: f.Height, c: c, p: c.choose(hours), layers: 5,
		top: c.between(3, .46, .56), octaves: 6, rough: .47, wide: c.between(4, .42, .62), tall: .095,
		lit: .10, speed: c.direction(5) * .02,
		sunX: c.between(6, .56, .82), sunY: c.between(7, .26, .42), sunR: c.between(8, .045, .075),
	}
}

func newDunes(f Film, c chance, hours []palette) land {
	return land{
		w: f.Width, h: f.Height, c: c, p: c.choose(hours), layers: 4,
		top: c.between(3, .54, .62), octaves: 2, rough: .28, wide: c.between(4, .9, 1.3), tall: .085,
		lit: .34, speed: c.direction(5) * .032,
		sunX: c.between(6, .2, .8), sunY: c.between(7, .30, .46), sunR: c.between(8, .05, .10),
	}
}

// direction returns the n-th number as left or right.
func (c chance) direction(n int) float64 {
	if c.at(n) < .5 {
		return -1
	}
	return 1
}

func (s land) paint(dst *image.RGBA, at moment) {
	wide := float64(s.w) / float64(s.h)
	sunY := s.sunY - .012*at.sec/5
	horizon := s.top + .1
	paintField(dst, 0, min(s.h, int(float64(s.h)*(s.top+.28))), func(x, y float64) rgb {
		far := math.Hypot((x-s.sunX)*wide, (y-sunY)*1.15)
		c := s.p.sky(y / horizon)
		c = c.glow(s.p.light, float32(.55*math.Exp(-far*far*9)+.28*math.Exp(-far*2.6)))
		return c
	})
	r := s.sunR * float64(s.h)
	disc{x: s.sunX * float64(s.w), y: sunY * float64(s.h), radius: r, soft: 1.2, colour: s.p.light, strength: .92}.paint(dst)
	stack := make([]silhouette, s.layers)
	for i := range stack {
		stack[i] = s.layer(i, at.sec)
	}
	paintStack(dst, stack)
}

// layer returns silhouette i of the land, 0 the farthest.
func (s land) layer(i int, sec float64) silhouette {
	near := float64(i) / float64(s.layers-1)
	base := s.top + (.97-s.top)*math.Pow(near, 1.35)*.82
	c := s.c.branch(20 + i)
	wide := s.wide * (1 + .9*near) * float64(s.h)
	tall := s.tall * (.75 + .75*near)
	shift := c.between(0, 0, 900) + sec*s.speed*(.25+1.6*near*near)/s.wide*3
	tops := make([]float32, s.w)
	for x := range tops {
		tops[x] = float32((base - tall*c.hills(shift+float64(x)/wide, s.octaves, s.rough)) * float64(s.h))
	}
	body := mix(s.p.far, s.p.near, float32(math.Pow(near, .8)))
	haze := mix(body, s.p.horizon, float32(.42*(1-near)*(1-near)))
	return silhouette{
		tops: tops, first: float32((base - tall) * float64(s.h)),
		crest: mix(body, s.p.light, s.lit*float32(1-.75*near)), foot: mix(haze, body, float32(near)),
	}
}
