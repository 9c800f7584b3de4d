package db

import (
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
	plain := folded(secret)
	if isPlain(plain) || isCommon(plain) {
		return 0
	}
	letters := []rune(repeatedPart(plain))
	seen := map[rune]bool{}
	bits := 0.0
	for i := 0; i < len(letters); {
		seen[letters[i]] = true
		if n := wordAt(letters[i:]); n > 0 {
			bits += bitsOfWord
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
var phrases = []string{"correcthorsebatterystaple", "thequickbrownfox", "jumpsoverthelazydog", "loremipsumdolorsitamet", "tobeornottobe", "openthepodbaydoors"}

const (
	bitsOfWord   = 9 // the list has about 2^12 words, and people choose the first ones
	bitsExpected = 2 // of a character that its predecessor suggests
	longestWord  = 20
)

// wordAt returns the length of the longest common word, of four letters or more, with
// which the text begins, also if some letters are replaced by digits or signs.
func wordAt(text []rune) int {
	for _, phrase := range phrases {
		if strings.HasPrefix(string(text[:min(len(text), len(phrase))]), phrase) {
			return len(phrase)
		}
	}
	for n := min(len(text), longestWord); n >= 4; n-- {
		word := string(text[:n])
		if unicode.IsLetter(text[0]) && (common()[word] || common()[lookalikes.Replace(word)]) {
			return n
		}
	}
	return 0
}

func bitsOf(letters []rune, i int) float64 {
	c := letters[i]
	if i > 0 {
		before := letters[i-1]
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
	}
	return 5
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
