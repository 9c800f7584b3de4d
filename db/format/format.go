// Package format formats numbers, counts and sizes for people.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number formats n with at most two decimals and with commas between thousands.
// Numbers from 1e15 on are in scientific notation.
func Number[N int | float64](number N) string {
	n := float64(number)
	if math.IsNaN(n) || math.Abs(n) >= 1e15 {
		return strconv.FormatFloat(n, 'g', 3, 64)
	}
	text := strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(n, 'f', 2, 64), "0"), ".")
	whole, rest, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole
}

// Plural returns the one of two forms that fits the number, such as "%s video is saved."
// and "%s videos are saved.". The number is the form's first value, formatted by
// Number; the others follow it. Both forms are whole texts, because other languages do
// not form a plural from the singular.
func Plural(n int, one, many string, values ...any) string {
	form := many
	if n == 1 {
		form = one
	}
	return fmt.Sprintf(form, append([]any{Number(n)}, values...)...)
}

// Sentences puts whole sentences one after the other, without the empty ones.
func Sentences(sentences ...string) string { return joined(sentences, " ") }

// Facts puts short facts in one line, without the empty ones.
func Facts(facts ...string) string { return joined(facts, " · ") }

// List separates the items with commas.
func List(items []string) string { return joined(items, ", ") }

func joined(texts []string, between string) string {
	kept := make([]string, 0, len(texts))
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, between)
}

// Bytes formats a size in the decimal units that file managers use.
func Bytes(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d bytes", n)
	}
	size, names := float64(n)/unit, []string{"kB", "MB", "GB", "TB"}
	for len(names) > 1 && size >= unit {
		size, names = size/unit, names[1:]
	}
	if size < 10 {
		return fmt.Sprintf("%.1f %s", size, names[0])
	}
	return fmt.Sprintf("%.0f %s", size, names[0])
}

// Ordinal formats a position: "1st", "2nd", "12th".
func Ordinal(n int) string {
	end := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		end = "st"
	case n%10 == 2:
		end = "nd"
	case n%10 == 3:
		end = "rd"
	}
	return Number(n) + end
}
