package film

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

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
		room := maxLines
		if px > small*1.5 { // larger type gets fewer lines: a title is not a paragraph
			room = 3
		}
		if px > small*2 {
			room = 2
		}
		broken := wrap(fc, text, width)
		if len(broken) <= room {
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
