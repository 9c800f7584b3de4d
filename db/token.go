package db

import (
	"crypto/rand"
	"crypto/sha256"
)

// NewToken returns 26 letters and digits with at least 128 bits of chance, for
// sessions, join links and form tokens.
func NewToken() string { return rand.Text() }

// A TokenHash is the SHA-256 of a token. Only the hash is kept, so that who
// reads the database can open no session and use no link.
type TokenHash [sha256.Size]byte

// HashToken returns what is kept of the token.
func HashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }
