package videoapi

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sentTexts recognises what was sent in an answer, however it is written.
type sentTexts struct {
	whole   []string            // each text, in the form of normal
	runs    map[string]struct{} // each run of runLength words
	pairs   map[string]struct{} // each two words that follow one another
	short   []string            // texts of fewer words than runLength, but at least two
	spelled []string            // as they were sent, for what is no sentence: addresses, names
}

const (
	runLength = 3 // words by which a part of a text is recognised
	longRun   = 5 // words that are left out of a reason that quotes them

	mostSent = 40_000 // bytes of what was sent that are compared
)

func newSentTexts(sent []string) sentTexts {
	s := sentTexts{runs: map[string]struct{}{}, pairs: map[string]struct{}{}}
	left := mostSent
	for _, text := range sent {
		if text = strings.TrimSpace(text); text == "" || left <= 0 {
			continue
		}
		if len(text) > left {
			text = strings.ToValidUTF8(text[:left], "")
		}
		left -= len(text)
		tokens := tokensOf(text)
		whole := joined(tokens)
		if whole == "" || slices.Contains(s.whole, whole) {
			continue
		}
		s.whole = append(s.whole, whole)
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			s.spelled = append(s.spelled, u.Host+u.Path)
			if base := path.Base(u.Path); len(base) > 5 {
				s.spelled = append(s.spelled, base)
			}
			continue
		}
		if !strings.ContainsAny(text, " \t\n") && !strings.ContainsFunc(text, isHan) {
			continue // the name of a model, or a value: a sentence may hold it
		}
		if n := len(tokens); n > 1 && n < runLength {
			s.short = append(s.short, whole)
		}
		for i := range tokens {
			if i+runLength <= len(tokens) {
				s.runs[joined(tokens[i:i+runLength])] = struct{}{}
			}
			if i+2 <= len(tokens) {
				s.pairs[joined(tokens[i:i+2])] = struct{}{}
			}
		}
	}
	return s
}

// has reports whether the text is one that was sent, or a part of one.
func (s sentTexts) has(text string) bool {
	part := normal(text)
	if part == "" {
		return false
	}
	return slices.ContainsFunc(s.whole, func(whole string) bool {
		return whole == part || strings.Contains(" "+whole+" ", " "+part) || len(part) >= 12 && strings.Contains(whole, part)
	})
}

// without returns the text without what it repeats of what was sent; "" if little else is
// left.
func (s sentTexts) without(text string) string {
	if len(s.whole) == 0 {
		return text
	}
	for _, spelled := range s.spelled {
		text = replaceFold(text, spelled, "(link)")
	}
	tokens := tokensOf(text)
	covered := s.covered(tokens)
	if n := count(covered); n > 0 && len(tokens)-n < 3 {
		return ""
	}
	rest := replaced(text, tokens, covered)
	if s.repeats(text) && !(rest != text && aMistake.MatchString(rest)) {
		return ""
	}
	if strings.Contains(text, "%") {
		if plain, err := url.QueryUnescape(text); err == nil && plain != text && s.repeats(plain) {
			return ""
		}
	}
	return finish(rest)
}

// replaced returns the text with a … in place of each run of covered words.
func replaced(text string, tokens []token, covered []bool) string {
	var b strings.Builder
	at := 0
	for i := 0; i < len(tokens); i++ {
		if !covered[i] {
			continue
		}
		end := i
		for end < len(tokens) && covered[end] {
			end++
		}
		b.WriteString(text[at:tokens[i].from])
		b.WriteString("…")
		at, i = tokens[end-1].to, end
	}
	b.WriteString(text[at:])
	return b.String()
}

// repeats reports whether nearly all of the text is a part of what was sent.
func (s sentTexts) repeats(text string) bool {
	if s.has(strings.TrimRight(text, ".… ")) {
		return true
	}
	tokens := tokensOf(text)
	if len(tokens) < 3 {
		return false
	}
	same := 0
	for i := 0; i+2 <= len(tokens); i++ {
		if _, ok := s.pairs[joined(tokens[i:i+2])]; ok {
			same++
		}
	}
	return same*10 >= (len(tokens)-1)*6
}

// covered says of each word whether it belongs to a part of what was sent that is long, or to
// the whole of it.
func (s sentTexts) covered(tokens []token) []bool {
	hit := make([]bool, len(tokens))
	for i := 0; i+runLength <= len(tokens); i++ {
		if _, ok := s.runs[joined(tokens[i:i+runLength])]; ok {
			for j := range runLength {
				hit[i+j] = true
			}
		}
	}
	covered := make([]bool, len(tokens))
	for i := 0; i < len(tokens); i++ {
		end := i
		for end < len(tokens) && hit[end] {
			end++
		}
		if end-i >= longRun || end > i && slices.Contains(s.whole, joined(tokens[i:end])) {
			for j := i; j < end; j++ {
				covered[j] = true
			}
		}
		i = max(i, end-1)
	}
	for _, short := range s.short {
		n := strings.Count(short, " ") + 1
		for i := 0; i+n <= len(tokens); i++ {
			if joined(tokens[i:i+n]) == short {
				for j := range n {
					covered[i+j] = true
				}
			}
		}
	}
	return covered
}

func count(set []bool) (n int) {
	for _, is := range set {
		if is {
			n++
		}
	}
	return n
}

// A token is a word of a text, in one form for all spellings, and where it stands. In scripts
// without blanks each character is one.
type token struct {
	word     string
	from, to int
}

func tokensOf(text string) (tokens []token) {
	begun := -1
	flush := func(end int) {
		if begun >= 0 {
			tokens = append(tokens, token{foldWord(text[begun:end]), begun, end})
		}
		begun = -1
	}
	for i, c := range text {
		switch {
		case isHan(c):
			flush(i)
			tokens = append(tokens, token{foldWord(string(c)), i, i + len(string(c))})
		case unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
			if begun < 0 {
				begun = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return tokens
}

// foldWord returns the word without differences of case, width and accents.
func foldWord(word string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsMark(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, norm.NFKD.String(word))
}

// normal returns the words of the text with single blanks between them.
func normal(text string) string { return joined(tokensOf(text)) }

func joined(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.word)
	}
	return b.String()
}

// replaceFold replaces old in the text, in whatever case.
func replaceFold(text, old, with string) string {
	if old == "" {
		return text
	}
	lower, small := strings.ToLower(text), strings.ToLower(old)
	if len(lower) != len(text) {
		return strings.ReplaceAll(text, old, with)
	}
	var b strings.Builder
	for {
		at := strings.Index(lower, small)
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		b.WriteString(with)
		text, lower = text[at+len(small):], lower[at+len(small):]
	}
	b.WriteString(text)
	return b.String()
}
