package film

import (
	"fmt"
	"image"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// A title is the words over the scene, drawn once as masks and shown word by
// word, and the Sandbox mark, which is there from the first frame on.
type title struct {
	shade  *scrim
	words  []stamp
	mark   []stamp
	stay   rgb
	amber  disc
	rise   float64 // how far a word comes up while it appears, in pixels
	begin  float64 // second at which the first word comes
	pace   float64 // seconds from word to word
	arrive float64 // seconds a word takes
}

// newTitle sets the type for a film.
func newTitle(f Film) (*title, error) {
	medium, err := opentype.Parse(gomedium.TTF)
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}
	w, h := float64(f.Width), float64(f.Height)
	unit := math.Sqrt(w * h)
	margin := math.Round(.065 * min(w, h*1.3))
	text, missing := legible(f.Prompt, medium)
	width := min(w-2*margin, max(.7*w, unit*.62))
	col, err := typeset(text, medium, unit*.086, unit*.031, width, 5)
	if err != nil {
		return nil, err
	}
	t := &title{stay: rgb{250, 246, 238}, rise: col.px * .42, begin: .25, arrive: .9}
	leading := math.Round(col.px * 1.2)
	base := h - margin - col.px*.22 - leading*float64(len(col.lines)-1)
	top := base - col.px*1.6
	for i, line := range col.lines {
		t.words = append(t.words, stampWords(col.face, line, margin, base+leading*float64(i))...)
	}
	// All words are there after a fifth of the film, or a second and a half.
	seconds := min(1.5, f.Duration.Seconds()*.2)
	t.pace = min(.11, seconds/float64(max(1, len(t.words))))
	if f.Scene != TextToVideo {
		t.shade = newScrim(f.Height, top, len(t.words) > 0)
	}
	note := ""
	if missing {
		note = wordsMissing
	}
	return t, t.setMark(f, margin, unit, note)
}

// setMark sets "SANDBOX" in open capitals with an amber dot before it, the
// model's name behind it, and a note below.
func (t *title) setMark(f Film, margin, unit float64, note string) error {
	regular, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return fmt.Errorf("font: %w", err)
	}
	px := max(unit*.0165, 7)
	fc, err := face(regular, px)
	if err != nil {
		return err
	}
	y := margin + px*.36
	dot := px * .30
	t.amber = disc{x: margin + dot, y: y - px*.36, radius: dot, soft: .8, colour: lch{.80, .155, 72}.rgb(0), strength: .95}
	x := margin + px*1.15
	for _, r := range "SANDBOX" {
		s := newStamp(fc, string(r), x, y)
		t.mark = append(t.mark, s)
		x += s.advance + px*.16
	}
	name, _ := legible(f.Model, regular)
	for _, line := range []struct {
		text string
		x, y float64
	}{{name, x + px*.55, y}, {note, margin, y + px*1.7}} {
		room := float64(f.Width) - margin - line.x
		if line.text == "" || line.text == nothingShown || room < 4*px {
			continue
		}
		broken := wrap(fc, strings.ReplaceAll(line.text, " ", "\u00a0"), room)
		t.mark = append(t.mark, newStamp(fc, clamp(fc, broken, room, 1)[0], line.x, line.y))
	}
	return nil
}

func (t *title) paint(dst *image.RGBA, at moment) {
	if t.shade != nil {
		t.shade.paint(dst)
	}
	t.amber.paint(dst)
	for i, s := range t.mark {
		strength := .92
		if i >= len("SANDBOX") {
			strength = .66
		}
		s.paint(dst, t.stay, strength, 0)
	}
	for i, s := range t.words {
		in := (at.sec - t.begin - t.pace*float64(i)) / t.arrive
		if in <= 0 {
			continue
		}
		s.paint(dst, t.stay, smooth(0, .8, in), t.rise*(1-settle(in)))
	}
}

// stampWords makes a stamp of each word of a line.
func stampWords(fc font.Face, line string, x, y float64) []stamp {
	var out []stamp
	for _, word := range strings.Fields(line) {
		s := newStamp(fc, word, x, y)
		out = append(out, s)
		x += s.advance + float64(font.MeasureString(fc, " "))/64
	}
	return out
}

// point returns a place in pixels as the font package wants it.
func point(x, y float64) fixed.Point26_6 {
	return fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}
}
