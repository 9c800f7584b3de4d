package secrets_test

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"dailies/db/secrets"
)

func TestSecretsThatPeopleMakeUpAreGuessable(t *testing.T) {
	for _, secret := range []string{
		"", "aaaaaaaaaaaaaaaaaaaaaaaa", "1234567890123456", "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz", "passwordpassword", "Password12345678",
		"changemechangeme", "change-me-please", "secretsecretsecret", "dailies-secret-2026", "my-secret-password", "this is the secret", "qwertyuiopasdfgh",
		"qwertzuiop1234567890", "fifteen letters!", "a long enough secret", "a secret of the tests", "letmeinletmeinletmein",
		"P@ssw0rdP@ssw0rd", "supersecretpassword1", "deadbeefdeadbeefdeadbeef", "11112222333344445555", "correct horse battery staple",
		"please change this secret", "abcabcabcabcabcabcabc", "the quick brown fox", "MySecretKey12345", "admin-admin-admin-1", "Lorem ipsum dolor sit amet",
		"your-secret-here-please-change-me", "replace-this-with-a-long-random-string", "EXAMPLE_SECRET_DO_NOT_USE_IN_PROD", "dailies-secret-2026-production", "MySuperSecretKey12345678",
		"ThisIsMyVeryLongSecretForDailies", "kim@example.com-secret", "00000000-0000-0000-0000-000000000000", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "11111111111111112222222222222222",
		"abcdefghijklmnopqrstuvwxyz012345", "1q2w3e4r5t6y7u8i9o0p", "мойсекретныйпароль", "5f4dcc3b5aa765d61d8327deb882cf99", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"YWJjZGVmZ2hpamtsbW5vcA==", "Y2hhbmdlLXRoaXMtc2VjcmV0", "6368616e67656d652d706c65617365", "cafebabedeadbeefcafebabedeadbeef0badf00d",
	} {
		if !secrets.IsGuessable(secret) {
			t.Errorf("%q passes: %.0f", secret, secrets.Strength(secret))
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
			if secrets.IsGuessable(secret) {
				t.Errorf("%q is refused: %.0f", secret, secrets.Strength(secret))
			}
		}
	}
	for _, secret := range []string{"plaza-ozone-fjord-umbra-quilt-vivid", "Xylophon mit 7 Wespen, gebraten auf Jute!"} {
		if secrets.IsGuessable(secret) {
			t.Errorf("%q is refused: %.0f", secret, secrets.Strength(secret))
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
