package film

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
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
		space := float64(f.Width) - margin - line.x
		if line.text == "" || line.text == nothingShown || space < 4*px {
			continue
		}
		broken := wrap(fc, strings.ReplaceAll(line.text, " ", "\u00a0"), space)
		t.mark = append(t.mark, newStamp(fc, clamp(fc, broken, space, 1)[0], line.x, line.y))
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

// face opens a font at a size in pixels.
func face(f *sfnt.Font, px float64) (font.Face, error) {
	out, err := opentype.NewFace(f, &opentype.FaceOptions{Size: px, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("font: %w", err)
	}
	return out, nil
}

// A column is text that has been broken into lines.
type column struct {
	face  font.Face
	px    float64 // size of the type
	lines []string
}

// typeset finds the largest type, between the sizes big and small, in which text
// fits into width pixels and few lines. Text that is too long even for the
// smallest ends with an ellipsis.
func typeset(text string, f *sfnt.Font, big, small, width float64) (column, error) {
	const maxLines = 5
	for px := big; ; px *= .92 {
		fc, err := face(f, max(px, small))
		if err != nil {
			return column{}, err
		}
		space := maxLines
		if px > small*1.5 { // larger type gets fewer lines: a title is not a paragraph
			space = 3
		}
		if px > small*2 {
			space = 2
		}
		broken := wrap(fc, text, width)
		if len(broken) <= space {
			return column{fc, max(px, small), balance(fc, text, width, len(broken))}, nil
		}
		if px <= small {
			return column{fc, small, clamp(fc, broken, width, maxLines)}, nil
		}
	}
}

// wrap breaks text into lines, greedily. A word that is wider than a line is
// split.
func wrap(fc font.Face, text string, width float64) []string {
	limit, space := fixed.Int26_6(width*64), font.MeasureString(fc, " ")
	var lines []string
	line, used := "", fixed.Int26_6(0)
	for _, word := range strings.Fields(text) {
		wide := font.MeasureString(fc, word)
		if line != "" && used+space+wide <= limit {
			line, used = line+" "+word, used+space+wide
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for word != "" && wide > limit {
			head := fit(fc, word, limit)
			lines, word = append(lines, head), word[len(head):]
			wide = font.MeasureString(fc, word)
		}
		line, used = word, wide
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fit returns the longest beginning of word that fits into limit, at least one
// rune.
func fit(fc font.Face, word string, limit fixed.Int26_6) string {
	end := 0
	for i, r := range word {
		next := i + utf8.RuneLen(r)
		if end > 0 && font.MeasureString(fc, word[:next]) > limit {
			break
		}
		end = next
	}
	return word[:end]
}

// balance breaks text again, in the narrowest width that needs no more lines, so
// that the last line is not a single word.
func balance(fc font.Face, text string, width float64, lines int) []string {
	low, high := width*.4, width
	for range 6 {
		if mid := (low + high) / 2; len(wrap(fc, text, mid)) <= lines {
			high = mid
		} else {
			low = mid
		}
	}
	return wrap(fc, text, high)
}

// clamp keeps the first lines and ends the last of them with an ellipsis.
func clamp(fc font.Face, lines []string, width float64, keep int) []string {
	if len(lines) <= keep {
		return lines
	}
	lines = lines[:keep:keep]
	last := lines[keep-1]
	for last != "" && font.MeasureString(fc, last+"…") > fixed.Int26_6(width*64) {
		r := []rune(last)
		last = string(r[:len(r)-1])
	}
	lines[keep-1] = strings.TrimRight(last, " ,.;:–-") + "…"
	return lines
}

// maxRunes bounds the part of a prompt that is used. No title shows more.
const maxRunes = 700

// The sentences by which a film says that it leaves out parts of its prompt.
const (
	nothingShown = "This film cannot show the characters of its prompt"
	wordsMissing = "Words in other scripts are left out"
)

// legible returns the part of a prompt that the font can draw, in single spaces,
// and whether words are missing. The Go fonts have Latin, Greek and Cyrillic
// letters. A word with any other letter is left out as a whole; other signs and
// emoji are removed one by one, so that no empty boxes are drawn. If less than
// half of the letters would remain, the text is nothingShown.
func legible(prompt string, f *sfnt.Font) (text string, missing bool) {
	var (
		buf         sfnt.Buffer
		words       []string
		kept, total int
	)
	has := func(r rune) bool {
		g, err := f.GlyphIndex(&buf, r)
		return err == nil && g != 0 && unicode.IsGraphic(r)
	}
	for _, word := range strings.Fields(norm.NFC.String(firstRunes(prompt, maxRunes))) {
		letters, whole := 0, true
		shown := strings.Map(func(r rune) rune {
			letter := unicode.In(r, unicode.L, unicode.M, unicode.N)
			if letter {
				letters++
			}
			if has(r) {
				return r
			}
			// Marks such as the emoji selectors belong to a sign, not to a word.
			whole = whole && (!letter || unicode.Is(unicode.Variation_Selector, r))
			return -1
		}, word)
		total += letters
		if whole && shown != "" {
			words = append(words, shown)
			kept += letters
		}
	}
	if total == 0 && len(words) == 0 && strings.TrimSpace(prompt) != "" || kept*2 < total {
		return nothingShown, false
	}
	return strings.Join(words, " "), kept < total
}

// firstRunes returns the first n runes of s, without invalid UTF-8.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.ToValidUTF8(s[:i], "")
		}
		n--
	}
	return strings.ToValidUTF8(s, "")
}

// A stamp is a word as a mask, with a soft shadow that keeps it legible on any
// background.
type stamp struct {
	mask    *image.Alpha // in the frame's coordinates
	shadow  *image.Alpha
	advance float64
}

// newStamp draws text with its baseline starting at x, y.
func newStamp(fc font.Face, text string, x, y float64) stamp {
	bounds, advance := font.BoundString(fc, text)
	soft := fc.Metrics().XHeight.Ceil()
	box := image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil()+1, bounds.Max.Y.Ceil()+1)
	box = box.Add(image.Pt(int(math.Floor(x)), int(math.Floor(y))))
	s := stamp{mask: image.NewAlpha(box), shadow: image.NewAlpha(box.Inset(-soft)), advance: float64(advance) / 64}
	d := font.Drawer{Dst: s.mask, Src: image.Opaque, Face: fc, Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(text)
	// Scaling the mask down and up again blurs it.
	draw.Draw(s.shadow, box, s.mask, box.Min, draw.Src)
	step := max(1, soft/2)
	small := image.NewAlpha(image.Rect(0, 0, s.shadow.Rect.Dx()/step+1, s.shadow.Rect.Dy()/step+1))
	draw.BiLinear.Scale(small, small.Rect, s.shadow, s.shadow.Rect, draw.Src, nil)
	draw.BiLinear.Scale(s.shadow, s.shadow.Rect, small, small.Rect, draw.Src, nil)
	return s
}

// paint draws the word, moved down by some pixels, with a strength from 0 to 1.
func (s stamp) paint(dst *image.RGBA, strength, down float64) {
	lay := func(mask *image.Alpha, c color.NRGBA, share float64) {
		c.A = uint8(255 * share * strength)
		at := mask.Rect.Add(image.Pt(0, int(math.Round(down))))
		draw.DrawMask(dst, at, image.NewUniform(c), image.Point{}, mask, mask.Rect.Min, draw.Over)
	}
	lay(s.shadow, color.NRGBA{}, .78)
	lay(s.mask, color.NRGBA{R: 250, G: 246, B: 238}, 1)
}

// A scrim darkens the bottom of a picture under the title, and a little of its
// top under the mark. It holds the share of light that each row keeps, in 256ths.
type scrim []uint32

// newScrim returns a scrim that begins above the row top. It is weaker without
// words.
func newScrim(height int, top float64, words bool) scrim {
	s := make(scrim, height)
	h := float64(height)
	depth := .62
	if !words {
		depth = .12
	}
	begin := min(top-.12*h, .62*h)
	for y := range s {
		foot := depth * smooth(begin, begin+.75*(h-begin), float64(y))
		head := .5 * (1 - smooth(0, .2*h, float64(y)))
		s[y] = uint32(256 * (1 - foot) * (1 - head))
	}
	return s
}

func (s scrim) paint(dst *image.RGBA) {
	for y, keep := range s {
		row := dst.Pix[y*dst.Stride:][:dst.Rect.Dx()*4]
		for i := 0; keep < 256 && i+4 <= len(row); i += 4 {
			row[i] = byte(uint32(row[i]) * keep >> 8)
			row[i+1] = byte(uint32(row[i+1]) * keep >> 8)
			row[i+2] = byte(uint32(row[i+2]) * keep >> 8)
		}
	}
}
