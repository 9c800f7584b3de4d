package site

import (
	"strings"
	"unicode"
)

// Clip returns s without invalid UTF-8, cut to at most n bytes.
func Clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "")
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}

// PlainText returns s without invalid UTF-8 and without control characters
// other than line breaks and tabs.
func PlainText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\r\n", "\n"))
}
