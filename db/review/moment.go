package review

import (
	"fmt"
	"strconv"
	"strings"
)

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
