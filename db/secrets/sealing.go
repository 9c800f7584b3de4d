package secrets

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/argon2"
)

// A Sealing says how the key of an installation is derived from the program's secret,
// and recognises the secret. It is kept in the database, so that all processes on it
// derive the same key, each from its own copy of the secret.
//
// There are two kinds. A secret that this program has made is long and random, and is
// the key itself; so is any secret with which an earlier version began to seal. Any
// other secret was made up by somebody, so its key is derived with argon2id and a random
// salt.
type Sealing struct {
	hash string // parameters and salt of argon2id, in the PHC format; empty if the secret is the key
	mark []byte // an HMAC under the key, by which it is recognised
}

// SealingSetting is the setting with the text of the installation's Sealing.
const SealingSetting = "sealed with"

// The cost of deriving the key: 32 MiB and six passes, about 0.15 s at every start.
const (
	sealingMemory = 32 << 10 // KiB
	sealingPasses = 6
	sealingThread = 1
)

// ErrSecret says that the secret is not the one that the data is sealed with.
var ErrSecret = errors.New("another secret")

// NewSealing returns a Sealing for a new installation, and its key.
func NewSealing(secret []byte) (Sealing, []byte, error) {
	if IsMade(secret) {
		return PlainSealing(secret)
	}
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	s := Sealing{hash: fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s",
		argon2.Version, sealingMemory, sealingPasses, sealingThread, base64.RawStdEncoding.EncodeToString(salt))}
	key, err := s.derive(secret)
	if err != nil {
		return s, nil, err
	}
	s.mark, err = markOf(key)
	return s, key, err
}

// PlainSealing returns the Sealing of earlier versions: the secret is the key.
func PlainSealing(secret []byte) (Sealing, []byte, error) {
	mark, err := markOf(secret)
	return Sealing{mark: mark}, secret, err
}

// IsMade reports whether the secret is one that this program has made: 256 random bits,
// or more, as letters and digits.
func IsMade(secret []byte) bool { return madeSecret.Match(bytes.TrimRight(secret, "\r\n")) }

var madeSecret = regexp.MustCompile(`^[A-Z2-7]{52,104}$`)

// ParseSealing reads the text of a Sealing.
func ParseSealing(text string) (s Sealing, err error) {
	mark := text
	if at := strings.LastIndexByte(text, ' '); at >= 0 {
		s.hash, mark = text[:at], text[at+1:]
		if _, ok := s.parameters(); !ok {
			return Sealing{}, errors.New("the database says in a way unknown to this version how its keys are sealed")
		}
	}
	s.mark, err = hex.DecodeString(mark)
	if err != nil || len(s.mark) == 0 {
		return Sealing{}, errors.New("the database says in a way unknown to this version how its keys are sealed")
	}
	return s, nil
}

// String returns the text that ParseSealing reads. It does not reveal the secret, but
// lets guesses be tried, as anything sealed does.
func (s Sealing) String() string {
	return strings.TrimLeft(s.hash+" "+hex.EncodeToString(s.mark), " ")
}

// IsPlain reports whether the secret is the key.
func (s Sealing) IsPlain() bool { return s.hash == "" }

// Key returns the key that the secret gives, or ErrSecret. A line break at the end,
// which a file has and a flag has not, makes no difference.
func (s Sealing) Key(secret []byte) ([]byte, error) {
	line := bytes.TrimRight(secret, "\r\n")
	tries := [][]byte{line}
	if s.IsPlain() {
		tries = [][]byte{secret, line, append(bytes.Clone(line), '\n')}
	}
	for _, try := range tries {
		key, err := s.derive(try)
		if err != nil {
			return nil, err
		}
		mark, err := markOf(key)
		if err != nil {
			return nil, err
		}
		if hmac.Equal(mark, s.mark) {
			return key, nil
		}
	}
	return nil, ErrSecret
}

func (s Sealing) derive(secret []byte) ([]byte, error) {
	if s.IsPlain() {
		return secret, nil
	}
	h, ok := s.parameters()
	if !ok || len(secret) == 0 {
		return nil, ErrSecret
	}
	return argon2.IDKey(bytes.TrimRight(secret, "\r\n"), h.salt, h.passes, h.memory, h.threads, 32), nil
}

// parameters returns the parameters of argon2id. Costs beyond reason are not accepted:
// they are from the database, which others may have written.
func (s Sealing) parameters() (h hash, ok bool) {
	h, ok = parseHash(s.hash + "$AAAA")
	return h, ok && h.memory >= 8 && h.memory <= 1<<20 && h.passes <= 64 && len(h.salt) >= 8 && len(h.salt) <= 64
}

// markOf returns the HMAC by which the key is recognised.
func markOf(key []byte) ([]byte, error) {
	vault, err := NewVault(key)
	if err != nil {
		return nil, err
	}
	return vault.Fingerprint(SealingSetting), nil
}
