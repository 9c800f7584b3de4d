package cast

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// KeyOf returns the key of a handle as Unknown returns it, with the @ before it.
func KeyOf(typed string) string { return Fold(strings.TrimLeft(typed, "@＠")) }

// Rename returns the text with another handle in the place of one that nobody in the cast
// has. Both are given as Fold returns them.
func Rename(text, from, to string) string {
	var renamed strings.Builder
	for _, p := range Pieces(text, func(string) bool { return false }) {
		if p.Handle == from {
			p.Text = "@" + to
		}
		renamed.WriteString(p.Text)
	}
	return renamed.String()
}

// Nearest returns the one of the handles that somebody probably meant who typed another: it
// differs in one character, or in two if it is long, or is the only one that begins with
// what was typed. It is empty if there is none. All are given as Fold returns them.
func Nearest(typed string, handles []string) string {
	const most = 2
	nearest, least := "", most+1
	var begin []string
	for _, h := range handles {
		if strings.HasPrefix(h, typed) && utf8.RuneCountInString(typed) >= MinHandle {
			begin = append(begin, h)
		}
		if d := distance([]rune(typed), []rune(h), most); d < least && (d < 2 || utf8.RuneCountInString(h) > 5) {
			nearest, least = h, d
		}
	}
	if nearest == "" && len(begin) == 1 {
		return begin[0]
	}
	return nearest
}

// distance returns how many characters have to be added, removed or replaced to make b of
// a; more than most if that is more than most.
func distance(a, b []rune, most int) int {
	if max(len(a), len(b))-min(len(a), len(b)) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before := row[0] // that of one character less of both
		row[0] = i + 1
		for j := range b {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before, row[j+1] = row[j+1], min(replaced, row[j]+1, row[j+1]+1)
		}
		if slices.Min(row) > most {
			return most + 1
		}
	}
	return row[len(b)]
}
