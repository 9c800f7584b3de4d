package film

import (
	"encoding/binary"

	"github.com/lucasb-eyer/go-colorful"
)

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
