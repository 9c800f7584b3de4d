package db

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// A Vault seals keys of the video service, and tokens of links, with AES-256-GCM. The id of the
// account, or of the team's key, is bound in as additional data: a sealed key copied to
// another row does not open.
type Vault struct {
	aead cipher.AEAD
	mark [sha256.Size]byte // the HMAC key of fingerprints, apart from the sealing key
}

// NewVault makes a vault from the program's secret, of any length.
func NewVault(secret []byte) (*Vault, error) {
	if len(secret) == 0 {
		return nil, errors.New("vault: the secret is empty")
	}
	key := sha256.Sum256(append([]byte("dailies vault 1\x00"), secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	mark := sha256.Sum256(append([]byte("dailies fingerprint 1\x00"), secret...))
	return &Vault{aead, mark}, nil
}

// Fingerprint is equal for equal keys and tells nothing of them to who does not
// know the secret.
func (v *Vault) Fingerprint(key string) []byte {
	mac := hmac.New(sha256.New, v.mark[:])
	mac.Write([]byte(key))
	return mac.Sum(nil)
}

// Seal returns the key in a form that only Open with the same user reads.
func (v *Vault) Seal(userID int64, key string) []byte {
	return v.aead.Seal(nil, nil, []byte(key), owner(userID))
}

// Open returns the key that Seal was given. One that does not open is like one
// that is not there: the person has to give it again, as after the data was
// restored without its secret. The error says nothing of the key.
func (v *Vault) Open(userID int64, sealed []byte) (string, error) {
	key, err := v.aead.Open(nil, nil, sealed, owner(userID))
	if err != nil {
		return "", fmt.Errorf("vault: the key does not open with this secret: %w", ErrNotFound)
	}
	return string(key), nil
}

// SealFor returns the key in a form that only OpenKey with the same owner reads.
func (v *Vault) SealFor(o KeyOwner, key string) []byte {
	return v.aead.Seal(nil, nil, []byte(key), o.bound())
}

// OpenKey returns the key that SealFor, or Seal with the person's id, was given. One
// that does not open is ErrNotFound, as with Open.
func (v *Vault) OpenKey(k Key) (string, error) {
	key, err := v.aead.Open(nil, nil, k.Sealed, k.Owner().bound())
	if err != nil {
		return "", fmt.Errorf("vault: the key does not open with this secret: %w", ErrNotFound)
	}
	return string(key), nil
}

// SealToken returns the token of a link in a form that only OpenToken with the
// same user reads: it cannot be taken for a key.
func (v *Vault) SealToken(userID int64, token string) []byte {
	return v.aead.Seal(nil, nil, []byte(token), tokenOwner(userID))
}

// OpenToken returns the token that SealToken was given. One that does not open,
// as after the data was restored without its secret, is ErrNotFound.
func (v *Vault) OpenToken(userID int64, sealed []byte) (string, error) {
	token, err := v.aead.Open(nil, nil, sealed, tokenOwner(userID))
	if err != nil {
		return "", fmt.Errorf("vault: the token does not open with this secret: %w", ErrNotFound)
	}
	return string(token), nil
}

// SealMail returns the token of the link in a mail in a form that only OpenMail with
// the same name of a mail reads.
func (v *Vault) SealMail(name, token string) []byte {
	return v.aead.Seal(nil, nil, []byte(token), []byte("mail "+name))
}

// OpenMail returns the token that SealMail was given. One that does not open is
// ErrNotFound.
func (v *Vault) OpenMail(name string, sealed []byte) (string, error) {
	token, err := v.aead.Open(nil, nil, sealed, []byte("mail "+name))
	if err != nil {
		return "", fmt.Errorf("vault: the link does not open with this secret: %w", ErrNotFound)
	}
	return string(token), nil
}

// SealCode returns the secret of one-time codes in a form that only OpenCode with the
// same user reads.
func (v *Vault) SealCode(userID int64, secret string) []byte {
	return v.aead.Seal(nil, nil, []byte(secret), codeOwner(userID))
}

// OpenCode returns the secret that SealCode was given. One that does not open is
// ErrNotFound.
func (v *Vault) OpenCode(userID int64, sealed []byte) (string, error) {
	secret, err := v.aead.Open(nil, nil, sealed, codeOwner(userID))
	if err != nil {
		return "", fmt.Errorf("vault: the secret of codes does not open with this secret: %w", ErrNotFound)
	}
	return string(secret), nil
}

func codeOwner(userID int64) []byte { return append([]byte("codes of "), owner(userID)...) }

func owner(userID int64) []byte { return strconv.AppendInt([]byte("user "), userID, 10) }

// bound returns the additional data of the owner's sealed keys.
func (o KeyOwner) bound() []byte {
	if o.TeamKeyID != 0 {
		return strconv.AppendInt([]byte("team key "), o.TeamKeyID, 10)
	}
	return owner(o.UserID)
}

func tokenOwner(userID int64) []byte { return append([]byte("token of "), owner(userID)...) }

// A Key is an API key for the video service, sealed by a Vault: a person's own, or
// one of the team's. What it says in the clear is only ever its last four characters.
type Key struct {
	UserID    int64 // whose it is, or who uses the team's
	TeamKeyID int64 // of a key of the team; 0 for a person's own
	Sealed    []byte
	LastFour  string
	// Fingerprint is an HMAC of the key, equal for equal keys, so that creates
	// of two people with one key still go out one after another.
	Fingerprint []byte
	CreatedAt   time.Time
	// CheckedAt is when the service last said whether it accepts the key; zero if
	// the service was never asked.
	CheckedAt time.Time
	// Accepted is true if the service accepted the key at that time.
	Accepted bool
}

// Owner returns whom the sealed key belongs to: only for them does it open.
func (k Key) Owner() KeyOwner {
	if k.TeamKeyID != 0 {
		return KeyOwner{TeamKeyID: k.TeamKeyID}
	}
	return KeyOwner{UserID: k.UserID}
}

// A KeyOwner names the person, or the key of the team, that a sealed key belongs to.
type KeyOwner struct{ UserID, TeamKeyID int64 }

// LastFour returns what may be shown of a key: its last four characters, or fewer
// where the key is so short that four would give it away.
func LastFour(key string) string {
	runes := []rune(key)
	return string(runes[len(runes)-min(4, len(runes)/4):])
}
