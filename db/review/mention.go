package review

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dailies/db"
	"dailies/db/naming"
)

// A named person can be mentioned by this name.
type named struct {
	name string
	id   int64
}

// namesOf returns the names by which people can be mentioned: whole names, and first names
// that only one of them has. A name that several have mentions nobody.
func namesOf(people []db.User) (names []named) {
	whole, first := map[string][]int64{}, map[string][]int64{}
	for _, p := range people {
		if !p.IsActive() {
			continue
		}
		name := naming.Clean(p.Name)
		whole[name] = append(whole[name], p.ID)
		word, _, _ := strings.Cut(name, " ")
		first[word] = append(first[word], p.ID)
	}
	for _, of := range []map[string][]int64{whole, first} {
		for name, ids := range of {
			if name != "" && len(ids) == 1 {
				names = append(names, named{name, ids[0]})
			}
		}
	}
	return names
}

// Mentionable returns the people whom a note can mention by their whole names, of which a word
// begins with what was typed: in the order of their names.
func Mentionable(people []db.User, typed string) (found []db.User) {
	begin, names := naming.Key(typed), map[string]int{}
	for _, p := range people {
		names[naming.Clean(p.Name)]++
	}
	for _, p := range people {
		key := naming.Key(p.Name)
		if p.IsActive() && names[naming.Clean(p.Name)] == 1 && (strings.HasPrefix(key, begin) || strings.Contains(key, " "+begin)) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b db.User) int { return cmp.Compare(naming.Key(a.Name), naming.Key(b.Name)) })
	return found
}

// hasName reports whether the text begins with the name, whatever the case of its letters,
// and where the name ends. A longer word does not begin with it.
func hasName(text, name string) (end int, ok bool) {
	for _, letter := range name {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || unicode.ToLower(r) != unicode.ToLower(letter) {
			return 0, false
		}
		end += size
	}
	after, size := utf8.DecodeRuneInString(text[end:])
	return end, size == 0 || !isWord(after)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
