package film

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A mood is a kind of moving scene.
type mood int

const (
	ridges mood = iota // mountains in haze, with the sun behind them
	dunes              // long slopes, warm light
	sea                // a horizon, light on the water
	aurora             // stars and curtains of light over a dark land
	paper              // cut paper waves, abstract
	city               // lights out of focus
	moods              // the number of moods; also stands for none
)

// newMood returns the painter for a film without pictures. Its kind of scene is
// the one that the words name, or else a random one.
func newMood(f Film, c chance) painter {
	kind, dark := readMood(f.Prompt)
	switch {
	case kind == moods && dark:
		kind = []mood{ridges, sea, aurora}[c.pick(2, 3)]
	case kind == moods:
		kind = mood(c.pick(2, int(moods)))
	}
	hours := slices.Concat(day, dusk)
	switch {
	case dark || kind == aurora:
		hours = night
	case kind == dunes:
		hours = slices.Concat(dusk, day[4:])
	case kind == sea:
		hours = slices.Concat(day[:4], dusk) // without the brown palette
	}
	p := c.choose(hours)
	return map[mood]func(Film, chance, paints) painter{
		ridges: newRidges, dunes: newDunes, sea: newSea, aurora: newAurora, paper: newPaper, city: newCity,
	}[kind](f, c, p)
}

// moodWords holds, for each kind of scene, the words of a prompt that select it.
var moodWords = map[mood]string{
	ridges: "mountain mountains hill hills forest forests valley ridge alps alpine fog mist misty tree trees berg berge wald лес горы fox deer wolf bear",
	dunes:  "desert dune dunes sand camel sahara canyon savanna mars wüste dünen desierto désert пустыня",
	sea:    "sea ocean wave waves beach boat ship island lake river water coast harbour harbor whale fish sail surf meer mar mer море океан θάλασσα",
	aurora: "star stars aurora galaxy space planet cosmos universe rocket astronaut snow winter arctic stern sterne estrella étoile звезда звёзды αστέρι",
	city:   "city street streets neon rain car cars traffic tokyo paris london york skyline tower party concert stadt ville город πόλη",
}

// nightWords are the words of a prompt that select the night.
const nightWords = "night midnight dark darkness moon moonlight moonlit mond луна nacht noche nuit ночь ночной"

// readMood returns the first kind of scene that the prompt names, or moods if it
// names none, and whether it names the night.
func readMood(prompt string) (kind mood, dark bool) {
	kind = moods
	for i, w := range strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if i == 200 {
			break
		}
		for k, list := range moodWords {
			if kind == moods && slices.Contains(strings.Fields(list), w) {
				kind = k
			}
		}
		dark = dark || slices.Contains(strings.Fields(nightWords), w)
	}
	return kind, dark
}

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
