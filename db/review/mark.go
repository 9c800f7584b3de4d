package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Mark is a drawing on the picture of a video. Its zero value is none.
type Mark struct {
	Kind   MarkKind
	Points []Point
}

// A MarkKind is the shape of a mark.
type MarkKind string

// The shapes. A rectangle has two opposite corners, an arrow its beginning and its tip.
const (
	Rect  MarkKind = "rect"
	Arrow MarkKind = "arrow"
	Line  MarkKind = "line"
)

// A Point is a place in the picture: 0, 0 is its upper left corner and 1, 1 the lower right
// one.
type Point struct{ X, Y float64 }

const (
	maxPoints    = 200
	maxMarkBytes = 16 << 10 // of JSON; a line of maxPoints with all digits of a number has half as many
)

// ErrMark is the error of a mark that is not one.
var ErrMark = errors.New("review: not a mark")

// ParseMark parses a mark from JSON. An empty text is no mark. Nothing of the text remains
// but the kind and the numbers, to a ten-thousandth of the picture.
func ParseMark(text string) (Mark, error) {
	if text == "" {
		return Mark{}, nil
	}
	if len(text) > maxMarkBytes {
		return Mark{}, ErrMark
	}
	var raw struct {
		Kind   MarkKind
		Points [][]*float64 // a null would be read as 0 into a number
	}
	from := json.NewDecoder(bytes.NewReader([]byte(text)))
	from.DisallowUnknownFields()
	if from.Decode(&raw) != nil {
		return Mark{}, ErrMark
	}
	if _, err := from.Token(); !errors.Is(err, io.EOF) {
		return Mark{}, ErrMark
	}
	if most, known := mostPoints(raw.Kind); !known || len(raw.Points) < 2 || len(raw.Points) > most {
		return Mark{}, ErrMark
	}
	m := Mark{Kind: raw.Kind}
	for _, p := range raw.Points {
		if len(p) != 2 || p[0] == nil || p[1] == nil || !inside(*p[0]) || !inside(*p[1]) {
			return Mark{}, ErrMark
		}
		m.Points = append(m.Points, Point{rounded(*p[0]), rounded(*p[1])})
	}
	return m, nil
}

func mostPoints(k MarkKind) (most int, known bool) {
	switch k {
	case Rect, Arrow:
		return 2, true
	case Line:
		return maxPoints, true
	}
	return 0, false
}

// inside also holds for no number that is not one.
func inside(x float64) bool { return x >= 0 && x <= 1 }

func rounded(x float64) float64 { return math.Round(x*10_000) / 10_000 }

// IsZero reports whether there is no mark.
func (m Mark) IsZero() bool { return m.Kind == "" }

// JSON returns the mark as ParseMark reads it.
func (m Mark) JSON() string {
	if m.IsZero() {
		return ""
	}
	text := []byte(`{"kind":"` + string(m.Kind) + `","points":[`)
	for i, p := range m.Points {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = strconv.AppendFloat(text, p.X, 'f', -1, 64)
		text = append(text, ',')
		text = strconv.AppendFloat(text, p.Y, 'f', -1, 64)
		text = append(text, ']')
	}
	return string(append(text, "]}"...))
}

// maxTime limits a time in milliseconds: a thousand hours, which no video has.
const maxTime = 3_600_000_000

// ParseTime parses a moment of a video: whole milliseconds, such as 2400, or minutes and
// seconds with up to three decimals, such as 0:02.4.
func ParseTime(text string) (ms int64, ok bool) {
	minutes, seconds, timed := strings.Cut(text, ":")
	if !timed {
		return digits(text, 10)
	}
	m, ok := digits(minutes, 6)
	if !ok || len(seconds) < 2 {
		return 0, false
	}
	s, ok := digits(seconds[:2], 2)
	if !ok || s > 59 {
		return 0, false
	}
	ms = (m*60 + s) * 1000
	if rest := seconds[2:]; rest != "" {
		part, _ := strings.CutPrefix(rest, ".")
		fraction, ok := digits(part, 3)
		if !ok || part == rest {
			return 0, false
		}
		ms += fraction * []int64{100, 10, 1}[len(part)-1]
	}
	return ms, ms <= maxTime
}

// digits parses a number of ASCII digits alone, at most so many.
func digits(text string, most int) (int64, bool) {
	if text == "" || len(text) > most || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n <= maxTime
}

// FormatTime returns the moment in the second form that ParseTime reads, to a tenth of a
// second.
func FormatTime(ms int64) string {
	return fmt.Sprintf("%d:%02d.%d", ms/60_000, ms/1000%60, ms/100%10)
}
