package film

import (
	"fmt"
	"image"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// A title is the text over the scene: the words, which are drawn once as masks
// and appear one by one, and the mark "SANDBOX", which is on every frame.
type title struct {
	shade scrim
	words []stamp
	mark  []stamp
	amber disc
	rise  float64 // how far a word moves up while it appears, in pixels
	pace  float64 // seconds from one word to the next
}

// newTitle lays out the text of a film.
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
	col, err := typeset(text, medium, unit*.086, unit*.031, width)
	if err != nil {
		return nil, err
	}
	t := &title{rise: col.px * .42}
	leading := math.Round(col.px * 1.2)
	base := h - margin - col.px*.22 - leading*float64(len(col.lines)-1)
	for i, line := range col.lines {
		x := margin
		for _, word := range strings.Fields(line) {
			s := newStamp(col.face, word, x, base+leading*float64(i))
			t.words = append(t.words, s)
			x += s.advance + float64(font.MeasureString(col.face, " "))/64
		}
	}
	// All words begin to appear within a fifth of the film, or a second and a
	// half.
	seconds := min(1.5, f.Duration.Seconds()*.2)
	t.pace = min(.11, seconds/float64(max(1, len(t.words))))
	if f.Scene != TextToVideo {
		t.shade = newScrim(f.Height, base-col.px*1.6, len(t.words) > 0)
	}
	note := ""
	if missing {
		note = wordsMissing
	}
	return t, t.setMark(f, medium, margin, unit, note)
}

// setMark lays out "SANDBOX" in letter-spaced capitals, with an amber dot before
// it, the model's name behind it, and a note below.
func (t *title) setMark(f Film, medium *sfnt.Font, margin, unit float64, note string) error {
	px := max(unit*.0165, 7)
	fc, err := face(medium, px)
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
	name, _ := legible(f.Model, medium)
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
	const begin, arrive = .25, .9 // seconds until the first word, and for each word to appear
	t.shade.paint(dst)
	t.amber.paint(dst)
	for i, s := range t.mark {
		strength := .92
		if i >= len("SANDBOX") {
			strength = .66
		}
		s.paint(dst, strength, 0)
	}
	for i, s := range t.words {
		if in := (at.sec - begin - t.pace*float64(i)) / arrive; in > 0 {
			s.paint(dst, smooth(0, .8, in), t.rise*(1-settle(in)))
		}
	}
}
