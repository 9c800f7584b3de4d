// Package secrets defines what must not be known to others, and how it is kept: random
// tokens, passwords and one-time codes, and the keys and tokens that the program's
// secret seals.
package secrets

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"dailies/db"
)

// A Vault seals keys of the video service, and tokens of links, with AES-256-GCM.
// The ID of the account, or of the team's key, is bound in as additional data, so
// that a sealed key copied to another row does not open.
type Vault struct {
	aead           cipher.AEAD
	fingerprintKey [sha256.Size]byte // the HMAC key of fingerprints, separate from the sealing key
	signingKey     [sha256.Size]byte // that of signatures
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
	fingerprintKey := sha256.Sum256(append([]byte("dailies fingerprint 1\x00"), secret...))
	return &Vault{aead, fingerprintKey, sha256.Sum256(append([]byte("dailies signature 1\x00"), secret...))}, nil
}

// Fingerprint returns an HMAC of the key, which is equal for equal keys and reveals
// nothing about them without the secret.
func (v *Vault) Fingerprint(key string) []byte {
	mac := hmac.New(sha256.New, v.fingerprintKey[:])
	mac.Write([]byte(key))
	return mac.Sum(nil)
}

// Sign returns a signature of the text, which only this secret makes. The text begins with
// what it is for, so that no signature serves another purpose.
func (v *Vault) Sign(text string) []byte {
	mac := hmac.New(sha256.New, v.signingKey[:])
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// Signed reports whether the signature is that of the text.
func (v *Vault) Signed(text string, signature []byte) bool {
	return hmac.Equal(v.Sign(text), signature)
}

// Seal encrypts the key so that only Open with the same user can decrypt it.
func (v *Vault) Seal(userID int64, key string) []byte {
	return v.aead.Seal(nil, nil, []byte(key), owner(userID))
}

// Open returns the key that was sealed by Seal. It returns db.ErrNotFound if the key
// does not open, for example because the data was restored without its secret: like
// a missing key, the person has to enter it again. The error does not reveal the
// key.
func (v *Vault) Open(userID int64, sealed []byte) (string, error) {
	return v.open("the key", sealed, owner(userID))
}

// SealFor encrypts the key so that only OpenKey with the same owner can decrypt it.
func (v *Vault) SealFor(o KeyOwner, key string) []byte {
	return v.aead.Seal(nil, nil, []byte(key), o.additionalData())
}

// OpenKey returns the key that was sealed by SealFor, or by Seal with the person's
// ID. Like Open, it returns db.ErrNotFound if the key does not open.
func (v *Vault) OpenKey(k Key) (string, error) {
	return v.open("the key", k.Sealed, k.Owner().additionalData())
}

// SealToken encrypts the token of a link so that only OpenToken with the same user
// can decrypt it. Open refuses it, so it cannot be mistaken for a key.
func (v *Vault) SealToken(userID int64, token string) []byte {
	return v.aead.Seal(nil, nil, []byte(token), tokenOwner(userID))
}

// OpenToken returns the token that was sealed by SealToken. It returns db.ErrNotFound
// if the token does not open, for example because the data was restored without its
// secret.
func (v *Vault) OpenToken(userID int64, sealed []byte) (string, error) {
	return v.open("the token", sealed, tokenOwner(userID))
}

// SealMail encrypts the token of the link in a mail so that only OpenMail with the
// same mail name can decrypt it.
func (v *Vault) SealMail(name, token string) []byte {
	return v.aead.Seal(nil, nil, []byte(token), fmt.Appendf(nil, "mail %s", name))
}

// OpenMail returns the token that was sealed by SealMail, or db.ErrNotFound if it does
// not open.
func (v *Vault) OpenMail(name string, sealed []byte) (string, error) {
	return v.open("the link", sealed, fmt.Appendf(nil, "mail %s", name))
}

// SealCode encrypts the secret of one-time codes so that only OpenCode with the
// same user can decrypt it.
func (v *Vault) SealCode(userID int64, secret string) []byte {
	return v.aead.Seal(nil, nil, []byte(secret), codeOwner(userID))
}

// OpenCode returns the secret that was sealed by SealCode, or db.ErrNotFound if it
// does not open.
func (v *Vault) OpenCode(userID int64, sealed []byte) (string, error) {
	return v.open("the secret of codes", sealed, codeOwner(userID))
}

// SealTokens encrypts the tokens that a provider has issued so that only OpenTokens with
// the same user can decrypt them.
func (v *Vault) SealTokens(userID int64, tokens string) []byte {
	return v.aead.Seal(nil, nil, []byte(tokens), providerOwner(userID))
}

// OpenTokens returns the tokens that were sealed by SealTokens, or db.ErrNotFound if they
// do not open.
func (v *Vault) OpenTokens(userID int64, sealed []byte) (string, error) {
	return v.open("the provider's tokens", sealed, providerOwner(userID))
}

// open returns what was sealed for the owner. what names it in the error.
func (v *Vault) open(what string, sealed, owner []byte) (string, error) {
	text, err := v.aead.Open(nil, nil, sealed, owner)
	if err != nil {
		return "", fmt.Errorf("vault: this secret does not open %s: %w", what, db.ErrNotFound)
	}
	return string(text), nil
}

func providerOwner(userID int64) []byte { return append([]byte("provider of "), owner(userID)...) }

func codeOwner(userID int64) []byte { return append([]byte("codes of "), owner(userID)...) }

func owner(userID int64) []byte { return strconv.AppendInt([]byte("user "), userID, 10) }

// additionalData returns what is bound into the owner's sealed keys.
func (o KeyOwner) additionalData() []byte {
	if o.TeamKeyID != 0 {
		return strconv.AppendInt([]byte("team key "), o.TeamKeyID, 10)
	}
	return owner(o.UserID)
}

func tokenOwner(userID int64) []byte { return append([]byte("token of "), owner(userID)...) }

// A Key is an API key for the video service, sealed by a Vault: a person's own, or
// one of the team's. Only its last four characters are in clear text.
type Key struct {
	UserID    int64 // the person whose key it is, or who uses the team's key
	TeamKeyID int64 // ID of the team's key; 0 for a person's own
	ServiceID int64 // the service that it is a key for; 0 means the one that the team uses
	Sealed    []byte
	LastFour  string
	// Fingerprint is an HMAC of the key, equal for equal keys, so that the creates
	// of people who share a key are still sent one after another.
	Fingerprint []byte
	CreatedAt   time.Time
	// CheckedAt is when the service last said whether it accepts the key; zero if
	// the service was never asked.
	CheckedAt time.Time
	// Accepted is true if the service accepted the key at that time.
	Accepted bool
}

// Owner returns the owner that the key was sealed for.
func (k Key) Owner() KeyOwner {
	if k.TeamKeyID != 0 {
		return KeyOwner{TeamKeyID: k.TeamKeyID}
	}
	return KeyOwner{UserID: k.UserID}
}

// A KeyOwner identifies the person, or the team's key, that a key is sealed for.
type KeyOwner struct{ UserID, TeamKeyID int64 }

// LastFour returns the part of a key that may be shown: its last four characters,
// or fewer if the key is so short that four would give it away.
func LastFour(key string) string {
	runes := []rune(key)
	return string(runes[len(runes)-min(4, len(runes)/4):])
}
