package film

import (
	"encoding/binary"
	"math"
)

// An rgb is a colour in sRGB, each channel from 0 to 255, with fractions: they
// become dither when painted, so that wide gradients show no bands.
type rgb struct{ r, g, b float32 }

// mix returns the colour at t between a (0) and b (1).
func mix(a, b rgb, t float32) rgb {
	t = min(max(t, 0), 1)
	return rgb{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

// glow adds light of a colour, softly limited, as on film.
func (c rgb) glow(l rgb, t float32) rgb {
	return rgb{screen(c.r, l.r*t), screen(c.g, l.g*t), screen(c.b, l.b*t)}
}

func (c rgb) scale(t float32) rgb { return rgb{c.r * t, c.g * t, c.b * t} }

func screen(a, b float32) float32 { return 255 - (255-a)*(255-min(b, 255))/255 }

// An lch is a colour in OKLCH: lightness 0 to 1, chroma, hue in degrees.
// Equal steps in it look equal, which is what palettes need.
type lch struct{ l, c, h float64 }

// turn shifts the hue.
func (c lch) turn(degrees float64) lch { c.h += degrees; return c }

// rgb converts by way of OKLab (Björn Ottosson's matrices).
func (c lch) rgb() rgb {
	sin, cos := math.Sincos(c.h * math.Pi / 180)
	a, b := c.c*cos, c.c*sin
	l := cube(c.l + 0.3963377774*a + 0.2158037573*b)
	m := cube(c.l - 0.1055613458*a - 0.0638541728*b)
	s := cube(c.l - 0.0894841775*a - 1.2914855480*b)
	return rgb{
		gamma(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		gamma(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		gamma(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}
}

func cube(x float64) float64 { return x * x * x }

func gamma(x float64) float32 {
	x = min(max(x, 0), 1)
	if x <= 0.0031308 {
		return float32(255 * 12.92 * x)
	}
	return float32(255 * (1.055*math.Pow(x, 1/2.4) - 0.055))
}

// dither gives the thresholds of an ordered 8 by 8 dither, in 256ths.
func dither(x, y int) uint32 {
	v, a, b := uint32(0), uint32(x^y), uint32(y)
	for range 3 {
		v = v<<2 | a&1<<1 | b&1
		a, b = a>>1, b>>1
	}
	return v<<2 + 2
}

// level returns a channel in 16.16 fixed point.
func level(c float32) int32 { return int32(min(max(c, 0), 254.99) * 65536) }

// inks returns the eight dithered pixels of one colour along a row.
func inks(c rgb, y int) (px [8]uint32) {
	r, g, b := uint32(level(c.r)), uint32(level(c.g)), uint32(level(c.b))
	for x := range px {
		d := dither(x, y) << 8
		px[x] = (r+d)>>16 | (g+d)>>16<<8 | (b+d)>>16<<16 | 0xff<<24
	}
	return px
}

// blend puts a pixel over the four bytes at p with coverage 0 to 256.
func blend(p []byte, px uint32, cover uint32) {
	old := binary.LittleEndian.Uint32(p)
	binary.LittleEndian.PutUint32(p, lerp(old, px, cover))
}

// lerp returns the pixel at t of 256 between a and b, two channels at a time.
func lerp(a, b, t uint32) uint32 {
	const even = 0x00ff00ff
	rb := ((a&even)*(256-t) + (b&even)*t) >> 8 & even
	ga := ((a>>8&even)*(256-t) + (b>>8&even)*t) & (even << 8)
	return rb | ga
}
