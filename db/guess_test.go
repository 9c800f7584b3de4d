package db_test

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"dailies/db"
)

func TestSecretsThatPeopleMakeUpAreGuessable(t *testing.T) {
	for _, secret := range []string{
		"", "aaaaaaaaaaaaaaaaaaaaaaaa", "1234567890123456", "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz", "passwordpassword", "Password12345678",
		"changemechangeme", "change-me-please", "secretsecretsecret", "dailies-secret-2026", "my-secret-password", "this is the secret", "qwertyuiopasdfgh",
		"qwertzuiop1234567890", "fifteen letters!", "a long enough secret", "a secret of the tests", "letmeinletmeinletmein",
		"P@ssw0rdP@ssw0rd", "supersecretpassword1", "deadbeefdeadbeefdeadbeef", "11112222333344445555", "correct horse battery staple",
		"please change this secret", "abcabcabcabcabcabcabc", "the quick brown fox", "MySecretKey12345", "admin-admin-admin-1", "Lorem ipsum dolor sit amet",
	} {
		if !db.IsGuessable(secret) {
			t.Errorf("%q passes: %.0f", secret, db.Strength(secret))
		}
	}
}

func TestRandomSecretsAreNotGuessable(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2)) // the same secrets in every run
	letters := func(n int, of string) string {
		var b strings.Builder
		for range n {
			b.WriteByte(of[source.IntN(len(of))])
		}
		return b.String()
	}
	for range 2000 {
		random := []byte(letters(32, bytes256))
		for _, secret := range []string{
			letters(26, base32), letters(52, base32) + "\n", hex.EncodeToString(random[:12]), hex.EncodeToString(random), base64.StdEncoding.EncodeToString(random[:12]),
			base64.RawURLEncoding.EncodeToString(random), letters(18, "abcdefghijklmnopqrstuvwxyz"), letters(20, "0123456789"), letters(16, "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#%&"),
		} {
			if db.IsGuessable(secret) {
				t.Errorf("%q is refused: %.0f", secret, db.Strength(secret))
			}
		}
	}
	for _, secret := range []string{"plaza-ozone-fjord-umbra-quilt-vivid", "Xylophon mit 7 Wespen, gebraten auf Jute!"} {
		if db.IsGuessable(secret) {
			t.Errorf("%q is refused: %.0f", secret, db.Strength(secret))
		}
	}
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// bytes256 has every byte once.
var bytes256 = func() string {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return string(all)
}()
