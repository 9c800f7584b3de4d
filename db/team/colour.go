package team

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
)

// A Colour is one that screens show, in sRGB.
type Colour struct{ R, G, B uint8 }

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`).MatchString

// ParseColour parses a colour such as "#0b6157".
func ParseColour(text string) (c Colour, ok bool) {
	if !hexColour(text) {
		return c, false
	}
	n, err := strconv.ParseUint(text[1:], 16, 32)
	return Colour{uint8(n >> 16), uint8(n >> 8), uint8(n)}, err == nil
}

// String returns the colour as ParseColour reads it.
func (c Colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// A Theme is light or dark.
type Theme int

// The themes.
const (
	Light Theme = iota
	Dark
)

// Backgrounds returns the colours of surfaces on which pages of the theme show text. Those
// in the style sheet are the same, which a test of package handlers checks.
func (t Theme) Backgrounds() []Colour {
	if t == Dark {
		return []Colour{{0x15, 0x15, 0x13}, {0x1d, 0x1d, 0x1b}, {0x28, 0x28, 0x25}, {0x1c, 0x1c, 0x1a},
			{0x0d, 0x0d, 0x0c}, {0x37, 0x36, 0x31}}
	}
	return []Colour{{0xf6, 0xf5, 0xf1}, {0xff, 0xff, 0xff}, {0xe7, 0xe4, 0xdc}, {0xec, 0xea, 0xe4}, {0xe6, 0xe3, 0xdb}}
}

// Shades are the colours that pages of one theme have instead of one colour: no colour is
// legible on the backgrounds of both themes.
type Shades struct {
	Text Colour // on the theme's backgrounds, and on Soft
	On   Colour // for text on Text
	Soft Colour // a background
}

// Legible is the contrast that WCAG 2.2 asks for between a text and its background.
const Legible = 4.5

// Shades returns the shades of the colour for the theme. They have its hue; the lightness
// of Text is moved as little as possible, until it is Legible.
func (c Colour) Shades(t Theme) Shades {
	look := c.oklch()
	soft := lch{0.955, min(look.c, 0.035), look.h}
	to := 0.0 // darker
	if t == Dark {
		soft = lch{0.28, min(look.c, 0.05), look.h}
		to = 1
	}
	s := Shades{Soft: soft.colour(), On: Colour{0xff, 0xff, 0xff}}
	legible := func(l float64) bool {
		s.Text = lch{l, look.c, look.h}.colour()
		return !slices.ContainsFunc(append(t.Backgrounds(), s.Soft), func(back Colour) bool { return Contrast(s.Text, back) < Legible })
	}
	if from := look.l; !legible(from) {
		for range 12 { // to is legible, from is not
			if middle := (from + to) / 2; legible(middle) {
				to = middle
			} else {
				from = middle
			}
		}
		legible(to)
	}
	if black := (Colour{0x14, 0x13, 0x10}); Contrast(black, s.Text) > Contrast(s.On, s.Text) {
		s.On = black
	}
	return s
}

// Contrast returns the contrast ratio of the colours, from 1 to 21, as WCAG defines it.
func Contrast(a, b Colour) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func (c Colour) luminance() float64 {
	r, g, b := c.linear()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// linear returns the amounts of light, from 0 to 1.
func (c Colour) linear() (r, g, b float64) {
	light := func(n uint8) float64 {
		v := float64(n) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return light(c.R), light(c.G), light(c.B)
}

// An lch is a colour in OKLCH, in which colours of the same lightness and hue look so:
// see https://bottosson.github.io/posts/oklab/.
type lch struct{ l, c, h float64 }

func (c Colour) oklch() lch {
	r, g, b := c.linear()
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	x := 1.9779984951*l - 2.4285922050*m + 0.4505937099*s
	y := 0.0259040371*l + 0.7827717662*m - 0.8086757660*s
	return lch{0.2104542553*l + 0.7936177850*m - 0.0040720468*s, math.Hypot(x, y), math.Atan2(y, x)}
}

// light returns the amounts of light, which are not from 0 to 1 if no screen shows the
// colour.
func (c lch) light() (r, g, b float64) {
	x, y := c.c*math.Cos(c.h), c.c*math.Sin(c.h)
	l := math.Pow(c.l+0.3963377774*x+0.2158037573*y, 3)
	m := math.Pow(c.l-0.1055613458*x-0.0638541728*y, 3)
	s := math.Pow(c.l-0.0894841775*x-1.2914855480*y, 3)
	return 4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s
}

// colour returns the colour with that lightness and hue, less colourful if no screen shows
// it otherwise.
func (c lch) colour() Colour {
	shown := func(c lch) bool {
		const near = 1e-4
		r, g, b := c.light()
		return min(r, g, b) >= -near && max(r, g, b) <= 1+near
	}
	if !shown(c) {
		low, high := 0.0, c.c
		for range 16 {
			if c.c = (low + high) / 2; shown(c) {
				low = c.c
			} else {
				high = c.c
			}
		}
		c.c = low
	}
	byte8 := func(v float64) uint8 {
		v = max(0, min(v, 1))
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		return uint8(math.Round(v * 255))
	}
	r, g, b := c.light()
	return Colour{byte8(r), byte8(g), byte8(b)}
}
