package film

import "math"

// A palette holds the colours of a time of day: the sky from top to horizon, the
// sun or moon, and the land from far (hazy) to near (dark, so that the title is
// legible).
type palette struct {
	zenith, middle, horizon, light, far, near lch
}

// The palettes, by time of day, were chosen by eye.
var (
	day = []palette{
		{lch{.47, .085, 235}, lch{.69, .075, 215}, lch{.89, .065, 95}, lch{.97, .05, 95}, lch{.60, .06, 218}, lch{.19, .035, 238}}, // teal morning
		{lch{.44, .05, 200}, lch{.66, .06, 165}, lch{.90, .07, 108}, lch{.97, .06, 102}, lch{.58, .055, 168}, lch{.19, .03, 185}},  // sage
		{lch{.50, .07, 262}, lch{.72, .06, 280}, lch{.90, .055, 40}, lch{.98, .035, 70}, lch{.64, .055, 272}, lch{.21, .04, 272}},  // lilac haze
		{lch{.45, .09, 245}, lch{.67, .085, 232}, lch{.88, .05, 205}, lch{.98, .02, 200}, lch{.57, .07, 236}, lch{.17, .04, 250}},  // clear blue
		{lch{.52, .06, 60}, lch{.72, .09, 68}, lch{.90, .09, 86}, lch{.98, .05, 92}, lch{.62, .08, 58}, lch{.21, .035, 45}},        // honey
	}
	dusk = []palette{
		{lch{.34, .08, 282}, lch{.58, .11, 345}, lch{.83, .11, 58}, lch{.95, .09, 84}, lch{.50, .09, 335}, lch{.16, .04, 292}},   // rose
		{lch{.25, .06, 300}, lch{.47, .14, 18}, lch{.75, .16, 54}, lch{.93, .12, 84}, lch{.40, .11, 18}, lch{.14, .03, 335}},     // ember
		{lch{.28, .09, 288}, lch{.48, .13, 312}, lch{.75, .12, 355}, lch{.94, .06, 40}, lch{.41, .11, 308}, lch{.14, .045, 290}}, // violet
		{lch{.33, .07, 232}, lch{.55, .07, 210}, lch{.80, .12, 72}, lch{.95, .10, 84}, lch{.44, .065, 222}, lch{.14, .03, 238}},  // petrol and amber
	}
	night = []palette{
		{lch{.15, .045, 272}, lch{.25, .065, 262}, lch{.42, .08, 235}, lch{.95, .03, 230}, lch{.27, .055, 256}, lch{.08, .02, 265}},
		{lch{.14, .04, 295}, lch{.24, .075, 290}, lch{.42, .09, 320}, lch{.95, .03, 330}, lch{.26, .07, 296}, lch{.08, .02, 290}},
		{lch{.15, .035, 220}, lch{.25, .055, 205}, lch{.42, .07, 180}, lch{.95, .03, 170}, lch{.26, .05, 210}, lch{.08, .015, 220}},
	}
)

// paints holds the colours of a palette, converted for painting.
type paints struct {
	zenith, middle, horizon, light, far, near rgb
}

// choose picks one of the palettes and shifts all its hues a little.
func (c chance) choose(from []palette) paints {
	p := from[c.pick(0, len(from))]
	turn := c.between(1, -14, 14)
	return paints{p.zenith.rgb(turn), p.middle.rgb(turn), p.horizon.rgb(turn), p.light.rgb(turn), p.far.rgb(turn), p.near.rgb(turn)}
}

// sky returns the colour of the sky from the zenith (y = 0) to the horizon (1).
func (p paints) sky(y float64) rgb {
	if y < 0.6 {
		return mix(p.zenith, p.middle, float32(smooth(0, 0.6, y)*0.5+y/0.6*0.5))
	}
	return mix(p.middle, p.horizon, float32(smooth(0.6, 1, y)*0.5+(y-0.6)/0.4*0.5))
}

// A sun is the sun or moon of a scene. Its position and radius are shares of the
// frame.
type sun struct{ x, y, r float64 }

// glow adds the sun's light to c, the colour of the sky at x, y. The frame has
// the aspect ratio wide.
func (s sun) glow(c, light rgb, x, y, wide float64) rgb {
	far := math.Hypot((x-s.x)*wide, (y-s.y)*1.1)
	return c.glow(light, float32(.52*math.Exp(-far*far*9.5)+.26*math.Exp(-far*2.5)))
}

// disc returns the sun's visible disc in a frame of w by h pixels.
func (s sun) disc(light rgb, w, h float64) disc {
	return disc{x: s.x * w, y: s.y * h, radius: s.r * h, soft: 1.2, colour: light, strength: .93}
}
