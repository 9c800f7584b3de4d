package db

import (
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// The cost of one guess: 19 MiB and two passes, the least that OWASP advises
// for argon2id; a sign-in takes some tens of milliseconds.
const (
	argonMemory  = 19 * 1024 // KiB
	argonPasses  = 2
	argonThreads = 1
	argonKey     = 32 // bytes
	argonSalt    = 16 // bytes
)

// hashing bounds how many passwords are worked on at once, so that a flood of
// sign-ins costs a bounded amount of memory.
var hashing = make(chan struct{}, 4)

// HashPassword returns the PHC string of argon2id for the password, however its
// characters are composed: keyboards differ in that.
func HashPassword(password string) string {
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	return argonPrefix() + base64.RawStdEncoding.EncodeToString(salt) + "$" +
		base64.RawStdEncoding.EncodeToString(argon(norm.NFC.String(password), salt, argonPasses, argonMemory, argonThreads, argonKey))
}

// CheckPassword reports whether the password is the one that hash was made
// from. The parameters come from the hash, so that they can be raised later.
func CheckPassword(hash, password string) bool {
	ok, _ := MatchPassword(hash, password)
	return ok
}

// MatchPassword is CheckPassword, and reports whether a new hash is to be kept:
// the old one was made with other parameters, or before HashPassword composed
// characters. Those hashes are of the password as it was typed. A hash that
// cannot be read costs as much time as a wrong password, so that nobody can
// measure whether an account exists.
func MatchPassword(hash, password string) (ok, renew bool) {
	if len(password) > maxTypedBytes {
		return false, false
	}
	composed := norm.NFC.String(password)
	if matches(hash, composed) {
		return true, !strings.HasPrefix(hash, argonPrefix())
	}
	ok = composed != password && matches(hash, password)
	return ok, ok
}

// argonPrefix returns how the hashes of HashPassword begin.
func argonPrefix() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, argonMemory, argonPasses, argonThreads)
}

func matches(hash, password string) bool {
	h, ok := parseHash(hash)
	if !ok {
		argon(password, make([]byte, argonSalt), argonPasses, argonMemory, argonThreads, argonKey)
		return false
	}
	return subtle.ConstantTimeCompare(h.key, argon(password, h.salt, h.passes, h.memory, h.threads, uint32(len(h.key)))) == 1
}

// A hash holds the parameters, the salt and the key of an argon2id hash, as read
// from its text in the PHC format.
type hash struct {
	memory, passes uint32 // memory in KiB
	threads        uint8
	salt, key      []byte
}

func parseHash(text string) (h hash, ok bool) {
	var version, threads uint32
	var tail string
	_, err := fmt.Sscanf(text, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &h.memory, &h.passes, &threads, &tail)
	salt, key, cut := strings.Cut(tail, "$")
	var saltErr, keyErr error
	h.salt, saltErr = base64.RawStdEncoding.DecodeString(salt)
	h.key, keyErr = base64.RawStdEncoding.DecodeString(key)
	h.threads = uint8(threads)
	return h, err == nil && cut && saltErr == nil && keyErr == nil && version == argon2.Version &&
		len(h.key) > 0 && h.passes > 0 && threads > 0 && threads <= 255
}

func argon(password string, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, length)
}

// What a password may have. The bytes are counted too because a hash is made of
// them, and both are counted after characters were composed.
const (
	MinPassword      = 10  // characters
	MaxPassword      = 200 // characters
	MaxPasswordBytes = 800
	// maxTypedBytes bounds what is composed and hashed at all. Composing makes no
	// text so much shorter that it would fit.
	maxTypedBytes = 4 * MaxPasswordBytes
)

// A PasswordFault says why a password cannot be chosen; empty means it can.
type PasswordFault string

const (
	PasswordShort    PasswordFault = "short"
	PasswordLong     PasswordFault = "long"
	PasswordPlain    PasswordFault = "plain"    // blank, or the same few characters again and again
	PasswordCommon   PasswordFault = "common"   // on the list of those that are tried first
	PasswordPersonal PasswordFault = "personal" // hardly more than the name or the e-mail address
)

// CheckNewPassword returns what is wrong with a password that the person wants
// to have from now on.
func CheckNewPassword(password string, u User) PasswordFault {
	if len(password) > maxTypedBytes {
		return PasswordLong
	}
	password = norm.NFC.String(password)
	switch n := utf8.RuneCountInString(password); {
	case n < MinPassword:
		return PasswordShort
	case n > MaxPassword || len(password) > MaxPasswordBytes:
		return PasswordLong
	}
	plain := folded(password)
	switch {
	case isPlain(password) || isPlain(plain):
		return PasswordPlain
	case isCommon(plain):
		return PasswordCommon
	case isPersonal(plain, u):
		return PasswordPersonal
	}
	return ""
}

// folded returns the text as somebody who guesses thinks of it: in lower case,
// without spaces and what cannot be seen.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || invisible(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
}

// isPlain reports whether the text is blank, repeats one to three characters,
// or counts, as "1234567890" and "zyxwvutsrqp" do.
func isPlain(text string) bool {
	letters := []rune(text)
	for period := 1; period <= 3; period++ {
		if repeats(letters, period) {
			return true
		}
	}
	return counts(letters, 1) || counts(letters, -1)
}

// repeats reports whether the first characters come again and again.
func repeats(letters []rune, period int) bool {
	for i := range letters {
		if i >= period && letters[i] != letters[i-period] {
			return false
		}
	}
	return true
}

// counts reports whether each character is the one after the one before it, by
// the step; after 9 comes 0.
func counts(letters []rune, step rune) bool {
	for i := 1; i < len(letters); i++ {
		before, next := letters[i-1], letters[i]
		if next != before+step && (next != '0' || before != '9') && (next != '9' || before != '0') {
			return false
		}
	}
	return true
}

//go:embed common.txt
var commonText string

// common holds the words and passwords that are tried first, folded.
var common = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(commonText) {
		words[word] = true
	}
	return words
})

// lookalikes undoes the replacements that everybody knows.
var lookalikes = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// isCommon reports whether the folded password is a common one, or one with
// digits and signs around it, as in "Password2026!", or one several times.
func isCommon(password string) bool {
	for _, word := range []string{password, trimmed(password), once(password), once(trimmed(password))} {
		if common()[word] || common()[lookalikes.Replace(word)] {
			return true
		}
	}
	return false
}

// trimmed returns the text without the digits and signs around its letters.
func trimmed(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// once returns the part that the text repeats, or else the text.
func once(text string) string {
	for n := range len(text) / 2 {
		if part := text[:n+1]; len(text)%len(part) == 0 && strings.Repeat(part, len(text)/len(part)) == text {
			return part
		}
	}
	return text
}

// isPersonal reports whether fewer than five characters are left of the folded
// password without the person's name and e-mail address.
func isPersonal(password string, u User) bool {
	mailbox, host, _ := strings.Cut(u.Email, "@")
	parts := append([]string{u.Email, mailbox, host, u.Name}, strings.Fields(u.Name)...)
	left := password
	for _, part := range parts {
		if part = folded(part); utf8.RuneCountInString(part) >= 3 {
			left = strings.ReplaceAll(left, part, "")
		}
	}
	return left != password && utf8.RuneCountInString(left) < 5
}
