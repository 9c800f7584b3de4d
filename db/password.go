package db

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

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
	var version, memory, passes, threads uint32
	var tail string
	_, err := fmt.Sscanf(hash, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &passes, &threads, &tail)
	saltText, keyText, ok := strings.Cut(tail, "$")
	salt, saltErr := base64.RawStdEncoding.DecodeString(saltText)
	key, keyErr := base64.RawStdEncoding.DecodeString(keyText)
	if err != nil || !ok || saltErr != nil || keyErr != nil || version != argon2.Version || len(key) == 0 || passes == 0 || threads == 0 || threads > 255 {
		argon(password, make([]byte, argonSalt), argonPasses, argonMemory, argonThreads, argonKey)
		return false
	}
	return subtle.ConstantTimeCompare(key, argon(password, salt, passes, memory, uint8(threads), uint32(len(key)))) == 1
}

func argon(password string, salt []byte, passes, memory uint32, threads uint8, length uint32) []byte {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), salt, passes, memory, threads, length)
}
