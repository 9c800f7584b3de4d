package secrets

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

	"dailies/db"
	"dailies/db/naming"
)

// The cost of hashing one password: 19 MiB and two passes, the minimum that OWASP
// recommends for argon2id. Signing in takes some tens of milliseconds.
const (
	argonMemory  = 19 * 1024 // KiB
	argonPasses  = 2
	argonThreads = 1
	argonKey     = 32 // bytes
	argonSalt    = 16 // bytes
)

// HashMemory is how many bytes of memory each call of HashPassword and MatchPassword
// needs while it runs. The caller limits how many run at the same time.
const HashMemory = argonMemory << 10

// HashPassword returns the PHC string of argon2id for the password. Keyboards
// compose accented characters differently, so the password is normalised to NFC.
func HashPassword(password string) string {
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	return argonPrefix() + base64.RawStdEncoding.EncodeToString(salt) + "$" +
		base64.RawStdEncoding.EncodeToString(argon(norm.NFC.String(password), salt, argonPasses, argonMemory, argonThreads, argonKey))
}

// MatchPassword reports whether the password is the one that hash was made from. The
// parameters come from the hash, so that they can be raised later. It also reports
// whether the hash should be replaced: because it has other parameters, or because it
// dates from before HashPassword normalised passwords. Such old hashes are of the
// password as typed. A hash that cannot be parsed takes as much time as a wrong password, so that
// nobody can measure whether an account exists.
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

// argonPrefix returns the beginning of the hashes that HashPassword makes.
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
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, length)
}

// Limits of a password. Its bytes are limited too, because the hash is computed from
// them; both are counted after normalisation.
const (
	MinPassword      = 10  // characters
	MaxPassword      = 200 // characters
	MaxPasswordBytes = 800
	// maxTypedBytes limits what is normalised and hashed at all. Normalisation
	// never shortens a longer text so much that it would fit.
	maxTypedBytes = 4 * MaxPasswordBytes
)

// A PasswordFault says why a password is not accepted; empty means it is.
type PasswordFault string

const (
	PasswordShort    PasswordFault = "short"
	PasswordLong     PasswordFault = "long"
	PasswordPlain    PasswordFault = "plain"    // blank, or the same few characters again and again
	PasswordCommon   PasswordFault = "common"   // on the list of passwords that attackers try first
	PasswordPersonal PasswordFault = "personal" // hardly more than the name or the e-mail address
)

// CheckNewPassword returns what is wrong with a password that the person wants to
// set, or "" if it is good.
func CheckNewPassword(password string, u db.User) PasswordFault {
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

// folded returns the text without the differences that a guess ignores: in lower
// case, with compatibility characters replaced, without spaces and invisible
// characters.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || naming.Invisible(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
}

// isPlain reports whether the text is blank, repeats one to three characters, or
// counts up or down, as "1234567890" and "zyxwvutsrqp" do.
func isPlain(text string) bool {
	letters := []rune(text)
	for period := 1; period <= 3; period++ {
		if repeats(letters, period) {
			return true
		}
	}
	return counts(letters, 1) || counts(letters, -1)
}

// repeats reports whether the text repeats its first period characters.
func repeats(letters []rune, period int) bool {
	for i := range letters {
		if i >= period && letters[i] != letters[i-period] {
			return false
		}
	}
	return true
}

// counts reports whether each character is its predecessor plus step, where 9 and 0
// are neighbours.
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

// common holds the words and passwords that attackers try first, folded.
var common = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(commonText) {
		words[word] = true
	}
	return words
})

// lookalikes reverses common replacements of letters.
var lookalikes = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t")

// isCommon reports whether the folded password is a common one, possibly repeated,
// or with digits and signs around it as in "Password2026!".
func isCommon(password string) bool {
	for _, word := range []string{password, trimmed(password), repeatedPart(password), repeatedPart(trimmed(password))} {
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

// repeatedPart returns the shortest part that the text repeats, or else the text.
func repeatedPart(text string) string {
	for n := range len(text) / 2 {
		if part := text[:n+1]; len(text)%len(part) == 0 && strings.Repeat(part, len(text)/len(part)) == text {
			return part
		}
	}
	return text
}

// isPersonal reports whether the folded password has fewer than five characters
// left when the person's name and e-mail address are removed.
func isPersonal(password string, u db.User) bool {
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
