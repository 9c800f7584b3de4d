package secrets

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strings"
	"unicode"
)

// leastSecret is the least strength, in bits, of a secret with which a new installation
// may seal: with argon2id, guessing it takes longer than anybody has.
const leastSecret = 44

// IsGuessable reports whether somebody who has stolen a backup or a cookie could find
// the program's secret by trying likely ones: words, repetitions, rows of a keyboard.
// It overestimates nothing that people make up, and accepts what a random generator
// made, from about 16 characters on.
func IsGuessable(secret string) bool { return strength(secret) < leastSecret }

// strength estimates how many bits of a secret an attacker has to guess. A common word
// counts as its place in a list; other characters count less if they follow each other
// as they do in words, in the alphabet or on a keyboard.
func strength(secret string) float64 {
	if bits, ok := strengthOfCode(secret); ok {
		return bits
	}
	plain := folded(secret)
	if isPlain(plain) || isCommon(plain) || isHashOfWord(plain) {
		return 0
	}
	letters := []rune(repeatedPart(plain))
	seen := map[rune]bool{}
	bits := 0.0
	for i := 0; i < len(letters); {
		seen[letters[i]] = true
		if n, worth := wordAt(letters[i:]); n > 0 && !continues(letters, i) {
			bits += worth
			i += n
			continue
		}
		bits += bitsOf(letters, i)
		i++
	}
	bits += float64(changesOfCase(secret)) / 2
	return math.Min(bits, math.Log2(float64(len(seen)+1))*float64(len(letters)))
}

// phrases are known to everybody who guesses, and longer than the words of the list.
var phrases = []string{"correcthorsebatterystaple", "thequickbrownfox", "jumpsoverthelazydog",
	"loremipsumdolorsitamet", "tobeornottobe", "openthepodbaydoors"}

// placeholders are the words of which examples of secrets are made, in manuals and in files
// of settings, and what people add to them.
var placeholders = wordSet(`
	secret secrets example examples change changed replace replaced your this that with random string text please here there prod production default value
	token key keys must should long longer very really super for use used not never dont from some enter insert put put session sessions cookie cookies
	application app apps config setting settings env environment local localhost docker compose staging development dev company team test tests demo sample
	placeholder todo fixme generate generated characters chars character letters least minimum bytes unsafe insecure safe strong hard guess only our the and
	dailies video videos hmac signing sign seal sealing encryption encrypt jwt admin internal public private own new old temp temporary just until before
	deadbeef cafebabe badf00d baadf00d feedface facefeed cafed00d c0ffee deadc0de`)

func wordSet(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	return words
}

const (
	bitsOfWord        = 9 // the list has about 2^10 words, and people choose the first ones
	bitsOfPlaceholder = 4
	bitsExpected      = 2   // of a character that its predecessor suggests
	bitsContinued     = 0.3 // of a character that repeats its predecessor, or counts on
	longestWord       = 20
)

// wordAt returns the length of the longest known word with which the text begins, also if
// some letters are replaced by digits or signs, and how many bits it is worth.
func wordAt(text []rune) (n int, worth float64) {
	for _, phrase := range phrases {
		if strings.HasPrefix(string(text[:min(len(text), len(phrase))]), phrase) {
			return len(phrase), bitsOfWord
		}
	}
	for n := min(len(text), longestWord); n >= 3; n-- {
		word := string(text[:n])
		plain := word
		if unicode.IsLetter(text[0]) {
			plain = lookalikes.Replace(word)
		}
		switch {
		case placeholders[word]:
			return n, bitsOfPlaceholder
		case n > 3 && (common()[word] || common()[plain]):
			return n, bitsOfWord
		}
	}
	return 0, 0
}

// isHashOfWord reports whether the text is the hash, in hexadecimal digits, of nothing or
// of a common word.
func isHashOfWord(text string) bool {
	want, err := hex.DecodeString(text)
	if err != nil {
		return false
	}
	is := func(string) bool { return false }
	switch len(want) {
	case md5.Size:
		is = func(word string) bool { return [md5.Size]byte(want) == md5.Sum([]byte(word)) }
	case sha1.Size:
		is = func(word string) bool { return [sha1.Size]byte(want) == sha1.Sum([]byte(word)) }
	case sha256.Size:
		is = func(word string) bool { return [sha256.Size]byte(want) == sha256.Sum256([]byte(word)) }
	}
	for _, words := range []map[string]bool{{"": true}, placeholders, common()} {
		for word := range words {
			if is(word) {
				return true
			}
		}
	}
	return false
}

// strengthOfCode returns the strength of the text that the secret encodes in base64 or in
// hexadecimal digits. ok is false if it encodes no text.
func strengthOfCode(secret string) (bits float64, ok bool) {
	secret = strings.TrimSpace(secret)
	if !strings.ContainsFunc(secret, unicode.IsLetter) {
		return 0, false
	}
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		text, err := decode(secret)
		if err == nil && isText(text) {
			return strength(string(text)), true
		}
	}
	return 0, false
}

func bitsOf(letters []rune, i int) float64 {
	c := letters[i]
	if i > 0 {
		before := letters[i-1]
		if continues(letters, i) {
			return bitsContinued
		}
		if d := c - before; d >= -1 && d <= 1 || strings.Contains(likelyPairs, string([]rune{' ', before, c})) || neighbours(before, c) {
			return bitsExpected
		}
	}
	switch {
	case strings.ContainsRune("-_.,!", c): // people put these between and after words
		return 1
	case unicode.IsDigit(c):
		return math.Log2(10)
	case c < unicode.MaxASCII && unicode.IsLetter(c):
		return math.Log2(26)
	case unicode.IsLetter(c): // no generator of passwords uses them, so it is a word
		return 2.5
	}
	return 5
}

// isText reports whether the bytes are hardly anything but the letters of words, which
// random ones never are.
func isText(b []byte) bool {
	letters := 0
	for _, c := range b {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ' ' || c == '-' || c == '_' {
			letters++
		}
	}
	return len(b) > 0 && letters*10 >= len(b)*9
}

// continues reports whether the letter repeats its two predecessors, or counts on from
// them.
func continues(letters []rune, i int) bool {
	if i < 2 {
		return false
	}
	d := letters[i] - letters[i-1]
	return d >= -1 && d <= 1 && d == letters[i-1]-letters[i-2]
}

// likelyPairs lists the pairs of letters that make up two thirds of English text.
const likelyPairs = " th he in er an re nd on en at ou ed ha to or it is hi es ng st te se ti nt ar al ea as le of ve co me de ro ri io ic ne ec ra ll ce li ch be ma si om ur ca el ta la ns di ho us ca pe ur no wo rs sh so ut fo ow ly tr ee ot ss wa we mo my yo ke ey pa sw rd pl le ai il ie ge am im et ac em vi id da ab up "

// neighbours reports whether the two characters are next to each other in a row of a
// keyboard.
func neighbours(a, b rune) bool {
	for _, row := range []string{"qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop"} {
		i, j := strings.IndexRune(row, a), strings.IndexRune(row, b)
		if i >= 0 && j >= 0 && (i-j == 1 || j-i == 1) {
			return true
		}
	}
	return false
}

// changesOfCase counts how often a capital follows a small letter or the other way
// round within a word, which it does in half of random text and rarely in other text.
func changesOfCase(text string) (n int) {
	var before rune
	for _, c := range text {
		if unicode.IsUpper(c) && unicode.IsLower(before) || unicode.IsLower(c) && unicode.IsUpper(before) {
			n++
		}
		before = c
	}
	return n
}
