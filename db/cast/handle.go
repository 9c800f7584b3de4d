package cast

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"dailies/db/naming"

	"golang.org/x/text/unicode/norm"
)

// The shortest and the longest handle, in characters.
const (
	MinHandle = 2
	MaxHandle = 30
)

// joiners are characters that cannot be seen: they say whether the letters beside them are
// joined, in Persian for example.
var joiners = strings.NewReplacer("\u200c", "", "\u200d", "")

// Fold returns the key under which handles are compared. Handles that differ only in case,
// in their Unicode form or in joiners have the same key; Fold(Fold(h)) equals Fold(h).
func Fold(handle string) string {
	if !strings.ContainsFunc(handle, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ToLower(handle)
	}
	key := joiners.Replace(handle)
	for range 4 { // folding may need normalising, and the other way round
		folded := norm.NFKC.String(strings.ReplaceAll(strings.Map(fold, norm.NFKC.String(key)), "ß", "ss"))
		if folded == key {
			break
		}
		key = folded
	}
	return key
}

// fold returns the same letter for all that differ only in case.
func fold(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if unicode.IsLetter(other) && (other < least || !unicode.IsLetter(least)) {
			least = other
		}
	}
	return unicode.ToLower(least)
}

// CleanHandle returns a handle as it is stored: what was typed, without an @ before it and
// without what cannot be seen.
func CleanHandle(typed string) string {
	return norm.NFC.String(strings.TrimPrefix(norm.NFKC.String(joiners.Replace(strings.TrimSpace(naming.Clean(typed)))), "@"))
}

// IsHandle reports whether the text has the form of a handle: letters and digits of any
// script, with hyphens and underscores between them.
func IsHandle(handle string) bool { return handleFault(handle) == "" }

// handleFault returns a sentence about what is wrong with the handle, or "".
func handleFault(handle string) string {
	n := utf8.RuneCountInString(handle)
	switch {
	case handle == "":
		return NoHandle
	case strings.ContainsFunc(handle, unicode.IsSpace):
		return SpaceInHandle
	case strings.ContainsFunc(handle, func(r rune) bool { return !InHandle(r) }):
		return BadHandle
	case isLink(rune(handle[0])) || isLink(rune(handle[len(handle)-1])) || startsWithMark(handle):
		return HandleEnds
	case n < MinHandle:
		return ShortHandle
	case n > MaxHandle || utf8.RuneCountInString(Fold(handle)) > 2*MaxHandle:
		return LongHandle
	}
	return ""
}

// InHandle reports whether the character may be in a handle. Marks belong to the letters
// before them, as vowels do in many scripts.
func InHandle(r rune) bool {
	return isLink(r) || unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) || unicode.In(r, unicode.Mn, unicode.Mc)
}

func isLink(r rune) bool { return r == '-' || r == '_' }

func startsWithMark(handle string) bool {
	first, _ := utf8.DecodeRuneInString(handle)
	return unicode.Is(unicode.M, first)
}

// alike are the scripts whose letters look alike.
var alike = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic}

// MixesAlike reports whether the handle has letters of several scripts that look alike,
// such as a Cyrillic "а" among Latin letters: colleagues would type another one.
func MixesAlike(handle string) bool {
	found := 0
	for _, script := range alike {
		if strings.ContainsFunc(handle, func(r rune) bool { return unicode.Is(script, r) }) {
			found++
		}
	}
	return found > 1
}
