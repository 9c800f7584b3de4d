package part

import (
	"strings"
	"testing"
)

func TestOnlyAddressesOfTheWebAreLinks(t *testing.T) {
	for line, links := range map[string]string{
		"Lunch at one.": "",
		"See https://example.com/a?b=c, then go.": "https://example.com/a?b=c",
		"(http://example.com).":                   "http://example.com",
		"javascript:alert(1) data:text/html,x":    "",
		"https:// http://":                        "",
		"xhttps://example.com ftp://example.com":  "https://example.com",
	} {
		var got []string
		for _, s := range spans(line) {
			if s.Link {
				got = append(got, s.Text)
			}
		}
		if strings.Join(got, " ") != links {
			t.Errorf("%q: got %q", line, got)
		}
	}
}

func FuzzSpans(f *testing.F) {
	for _, line := range []string{"a https://b.c d", "http://", "https://x\"y", "(https://é.example/)."} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var all strings.Builder
		for _, s := range spans(line) {
			all.WriteString(s.Text)
			if s.Link && !strings.HasPrefix(s.Text, "http://") && !strings.HasPrefix(s.Text, "https://") {
				t.Errorf("%q is a link", s.Text)
			}
		}
		if all.String() != line {
			t.Errorf("%q became %q", line, all.String())
		}
	})
}
