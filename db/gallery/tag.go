package gallery

import (
	"strings"
	"unicode/utf8"

	"dailies/db/naming"
)

// A Tag is a label under which the team files videos.
type Tag struct {
	ID   int64
	Name string // as it was first typed
}

const (
	maxTag  = 40 // characters of a tag's name
	maxTags = 20 // tags that one text can name
)

// TagKey returns the key under which names of tags are compared.
func TagKey(name string) string { return naming.Key(name) }

// TagNames parses names separated by commas, semicolons or lines. Each is cut to
// the maximum length of a tag; duplicates are dropped.
func TagNames(text string) []string {
	var names []string
	seen := map[string]bool{}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' || r == '、' || r == '，' }) {
		name := TagName(part)
		if name == "" || seen[TagKey(name)] {
			continue
		}
		seen[TagKey(name)] = true
		if names = append(names, name); len(names) == maxTags {
			break
		}
	}
	return names
}

// TagName returns the text as the name of a tag: at most 40 characters that naming.Clean
// leaves. It returns "" if nothing is left.
func TagName(text string) string { return naming.Short(whole(text), maxTag) }

// IsCut reports whether the text is too long for the name of a tag, so that TagName cuts it.
func IsCut(text string) bool { return utf8.RuneCountInString(whole(text)) > maxTag }

func whole(text string) string { return strings.TrimLeft(naming.Clean(text), "# ") }
