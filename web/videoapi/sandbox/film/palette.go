package film

import (
	"encoding/binary"
	"image"
	"math"
	"slices"

	"github.com/lucasb-eyer/go-colorful"
)

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

// An rgb is a colour in sRGB, each channel from 0 to 255, with fractions.
type rgb struct{ r, g, b float32 }

// mix interpolates between a (t = 0) and b (t = 1).
func mix(a, b rgb, t float32) rgb {
	t = min(max(t, 0), 1)
	return rgb{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

// glow adds t times the light l. It uses the screen blend, which approaches white
// without clipping.
func (c rgb) glow(l rgb, t float32) rgb {
	return rgb{screen(c.r, l.r*t), screen(c.g, l.g*t), screen(c.b, l.b*t)}
}

func screen(a, b float32) float32 { return 255 - (255-a)*(255-min(b, 255))/255 }

// An lch is a colour in OKLCH: lightness 0 to 1, chroma, hue in degrees. Equal
// distances in it look equally large, which palettes need.
type lch struct{ l, c, h float64 }

// rgb converts the colour to sRGB, with its hue turned by some degrees.
func (c lch) rgb(turn float64) rgb {
	s := colorful.OkLch(c.l, c.c, c.h+turn).Clamped()
	return rgb{float32(s.R * 255), float32(s.G * 255), float32(s.B * 255)}
}

// level converts a channel to 16.16 fixed point and adds nearly a half, so that
// pixel rounds instead of truncating.
func level(c float32) int32 { return int32(min(max(c, 0), 255)*65536) + 1<<15 - 1 }

// ink converts the colour to a pixel of image.RGBA.
func (c rgb) ink() uint32 { return pixel(level(c.r), level(c.g), level(c.b)) }

// pixel makes a pixel of image.RGBA from channels in 16.16 fixed point.
func pixel(r, g, b int32) uint32 {
	return uint32(r>>16) | uint32(g>>16)<<8 | uint32(b>>16)<<16 | 0xff<<24
}

// blend draws a pixel over the four bytes at p, with a coverage of 0 to 256.
func blend(p []byte, px uint32, cover uint32) {
	old := binary.LittleEndian.Uint32(p)
	binary.LittleEndian.PutUint32(p, lerp(old, px, cover))
}

// lerp interpolates between the pixels a (t = 0) and b (t = 256), two channels at
// a time.
func lerp(a, b, t uint32) uint32 {
	const even = 0x00ff00ff
	rb := ((a&even)*(256-t) + (b&even)*t) >> 8 & even
	ga := ((a>>8&even)*(256-t) + (b>>8&even)*t) & (even << 8)
	return rb | ga
}

// A light returns the colour of a soft gradient at a position: x from 0 at the
// left to 1 at the right, y from 0 at the top to 1 at the bottom.
type light func(x, y float64) rgb

// fieldRows is the number of grid cells over the height. Soft gradients need no
// more, and computing every pixel would take far longer.
const fieldRows = 45

// paintField computes l at the corners of a coarse grid and interpolates in
// between, from the top down to the row bottom.
func paintField(dst *image.RGBA, bottom int, l light) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	cell := max(4, (h+fieldRows-1)/fieldRows)
	cols := (w+cell-1)/cell + 1
	line := func(y int) []rgb {
		out := make([]rgb, cols)
		for i := range out {
			out[i] = l(float64(i*cell)/float64(w), float64(y)/float64(h))
		}
		return out
	}
	mixed := make([]rgb, cols)
	above, below := []rgb(nil), line(0)
	for y := range min(bottom, h) {
		k := y % cell
		if k == 0 {
			above, below = below, line(y+cell)
		}
		for i := range mixed {
			mixed[i] = mix(above[i], below[i], float32(k)/float32(cell))
		}
		fieldRow(dst.Pix[y*dst.Stride:][:w*4], mixed, int32(cell))
	}
}

// fieldRow paints one row by interpolating between colours that are cell pixels
// apart.
func fieldRow(row []byte, at []rgb, cell int32) {
	for i := 0; i+1 < len(at); i++ {
		r, g, b := level(at[i].r), level(at[i].g), level(at[i].b)
		dr, dg, db := (level(at[i+1].r)-r)/cell, (level(at[i+1].g)-g)/cell, (level(at[i+1].b)-b)/cell
		for k := int32(0); k < cell && len(row) >= 4; k++ {
			binary.LittleEndian.PutUint32(row, pixel(r, g, b))
			r, g, b = r+dr, g+dg, b+db
			row = row[4:]
		}
	}
}

// A silhouette is the area below a line: a ridge, a dune, a paper wave.
type silhouette struct {
	tops   []float32 // the row of the line in each column
	crest  rgb       // colour at the row first
	foot   rgb       // colour at the bottom row
	first  float32   // the row in which the ramp from crest to foot begins
	shadow float32   // height in rows of the shadow above the line; may be 0
}

// paintStack paints n silhouettes from the farthest, 0, to the nearest, each only
// as far down as it is visible.
func paintStack(dst *image.RGBA, n int, layer func(i int, near float64) silhouette) {
	stack := make([]silhouette, n)
	for i := range stack {
		stack[i] = layer(i, float64(i)/float64(n-1))
	}
	for i, s := range stack {
		until := dst.Rect.Dy()
		if i+1 < n {
			until = min(until, int(slices.Max(stack[i+1].tops))+1)
		}
		s.paint(dst, until)
	}
}

// paint fills the silhouette down to the row until.
func (s silhouette) paint(dst *image.RGBA, until int) {
	h := float32(dst.Rect.Dy())
	for y := max(0, int(slices.Min(s.tops)-s.shadow)-1); y < until; y++ {
		ramp := (float32(y) - s.first) / (h - s.first)
		s.row(dst.Pix[y*dst.Stride:][:len(s.tops)*4], mix(s.crest, s.foot, ramp).ink(), float32(y))
	}
}

func (s silhouette) row(row []byte, ink uint32, y float32) {
	for x, top := range s.tops {
		p := row[x*4 : x*4+4]
		switch inside := y + 1 - top; {
		case inside >= 1:
			binary.LittleEndian.PutUint32(p, ink)
		case inside > -s.shadow:
			if s.shadow > 0 {
				t := min(1, 1+inside/s.shadow)
				blend(p, 0xff<<24, uint32(64*t*t*t))
			}
			if inside > 0 {
				blend(p, ink, uint32(inside*256))
			}
		}
	}
}

// A disc is a round light with a soft edge. Sizes are in pixels.
type disc struct {
	x, y, radius, soft float64
	colour             rgb
	strength           float64 // 0 to 1
	rim                float64 // how much fainter the middle is than the rim
}

func (d disc) paint(dst *image.RGBA) {
	out := d.radius + d.soft
	b := image.Rect(int(d.x-out), int(d.y-out), int(d.x+out)+2, int(d.y+out)+2).Intersect(dst.Rect)
	px := d.colour.ink()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			far := math.Hypot(float64(x)-d.x, float64(y)-d.y)
			if far >= out {
				continue
			}
			cover := d.strength * (1 - smooth(d.radius-d.soft, out, far)) * (1 - d.rim*(1-far/out))
			if c := uint32(cover * 256); c > 0 {
				blend(dst.Pix[dst.PixOffset(x, y):][:4], px, c)
			}
		}
	}
}
