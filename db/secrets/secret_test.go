package secrets_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"dailies/db"
	"dailies/db/secrets"
)

func TestPasswordMatchesItsHash(t *testing.T) {
	for _, password := range []string{"correct horse", "", "pä$$wörd$v=19", strings.Repeat("x", 2000)} {
		hash := secrets.HashPassword(password)
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("%q does not say how it was made", hash)
		}
		if !fits(hash, password) {
			t.Errorf("%.20q is not known again", password)
		}
		if fits(hash, password+" ") {
			t.Errorf("%.20q with a space passes", password)
		}
	}
	if first, second := secrets.HashPassword("same"), secrets.HashPassword("same"); first == second {
		t.Error("two hashes share a salt")
	}
}

func fits(hash, password string) bool {
	ok, _ := secrets.MatchPassword(hash, password)
	return ok
}

func TestUnreadableHashAdmitsNobody(t *testing.T) {
	good := secrets.HashPassword("x")
	for _, hash := range []string{
		"", "x", "$argon2id$", good[:len(good)-30], strings.Replace(good, "argon2id", "argon2i", 1),
		strings.Replace(good, "v=19", "v=18", 1), strings.Replace(good, "t=2", "t=0", 1),
		strings.Replace(good, "p=1", "p=0", 1), strings.Replace(good, "p=1", "p=300", 1),
		"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$", "$argon2id$v=19$m=19456,t=2,p=1$!$!",
	} {
		if fits(hash, "x") {
			t.Errorf("%q admits somebody", hash)
		}
	}
}

// The cost of a hash can be raised without anybody losing their password.
func TestHashWithOtherParametersStillWorks(t *testing.T) {
	salt := []byte("some salt")
	hash := "$argon2id$v=19$m=64,t=1,p=2$" + base64.RawStdEncoding.EncodeToString(salt) + "$" +
		base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte("old"), salt, 1, 64, 2, 24))
	if !fits(hash, "old") || fits(hash, "new") {
		t.Error("the parameters in the hash are not used")
	}
}

// Before passwords were normalised, hashes were made from the typed characters.
func TestHashOfAnUnnormalisedPasswordIsRenewed(t *testing.T) {
	old := func(password string) string {
		salt := []byte("0123456789abcdef")
		return "$argon2id$v=19$m=19456,t=2,p=1$" + base64.RawStdEncoding.EncodeToString(salt) + "$" +
			base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), salt, 2, 19456, 1, 32))
	}
	decomposed := "cafe\u0301 au lait"
	for _, tt := range []struct {
		of, typed string
		ok, renew bool
	}{
		{decomposed, decomposed, true, true},
		{"café au lait", "café au lait", true, false},
		{"café au lait", decomposed, true, false}, // another keyboard
		{decomposed, "cafe au lait", false, false},
		{strings.Repeat("ж", 119), strings.Repeat("ж", 119), true, false},
	} {
		if ok, renew := secrets.MatchPassword(old(tt.of), tt.typed); ok != tt.ok || renew != tt.renew {
			t.Errorf("%+q typed as %+q: %t, renew %t", tt.of, tt.typed, ok, renew)
		}
	}
	if ok, renew := secrets.MatchPassword(strings.Replace(secrets.HashPassword("x"), "t=2", "t=1", 1), "x"); ok || renew {
		t.Error("a hash with changed parameters matches")
	}
}

// Checking an invalid hash costs as much as a wrong password, and a fuzzer finds
// costs that take minutes, so only cheap valid hashes are checked. With keys of
// three bytes or more, the fuzzer cannot find a matching password by chance.
func FuzzMatchPassword(f *testing.F) {
	f.Add("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA", "x")
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAA", "x")
	f.Add("$argon2id$v=19$m=8,t=1,p=300$c2FsdA$AAAA", "x")
	f.Fuzz(func(t *testing.T, hash, password string) {
		cost, key := secrets.ParseHash(hash)
		if cost > 0 && cost <= 256 && key >= 3 && fits(hash, password) {
			t.Errorf("%q admits %q", hash, password)
		}
	})
}

func TestVaultOpensOnlyForItsOwner(t *testing.T) {
	vault := newVault(t, "secret")
	sealed := vault.Seal(1, "sk-abcdef")
	if key, err := vault.Open(1, sealed); err != nil || key != "sk-abcdef" {
		t.Fatalf("%q, %v", key, err)
	}
	if bytes.Contains(sealed, []byte("abcdef")) {
		t.Error("the key stands in the clear")
	}
	if bytes.Equal(sealed, vault.Seal(1, "sk-abcdef")) {
		t.Error("two seals are the same")
	}
	damaged := bytes.Clone(sealed)
	damaged[len(damaged)-1]++
	for name, open := range map[string]func() (string, error){
		"another account": func() (string, error) { return vault.Open(2, sealed) },
		"another secret":  func() (string, error) { return newVault(t, "other").Open(1, sealed) },
		"damaged":         func() (string, error) { return vault.Open(1, damaged) },
		"cut off":         func() (string, error) { return vault.Open(1, sealed[:5]) },
		"nothing":         func() (string, error) { return vault.Open(1, nil) },
	} {
		if key, err := open(); err == nil || key != "" || strings.Contains(err.Error(), "abc") {
			t.Errorf("%s: %q, %v", name, key, err)
		}
	}
}

func TestVaultWantsASecret(t *testing.T) {
	if _, err := secrets.NewVault(nil); err == nil {
		t.Error("an empty secret seals")
	}
}

func TestFingerprintIsOfTheKeyAlone(t *testing.T) {
	vault := newVault(t, "secret")
	mark := vault.Fingerprint("sk-1")
	if !bytes.Equal(mark, newVault(t, "secret").Fingerprint("sk-1")) {
		t.Error("one key has two fingerprints")
	}
	if bytes.Equal(mark, vault.Fingerprint("sk-2")) || bytes.Equal(mark, newVault(t, "other").Fingerprint("sk-1")) {
		t.Error("another key or secret has the same fingerprint")
	}
}

// A team's key opens only for that key's ID, and a person's key only for the
// person.
func TestTeamKeyOpensOnlyForItsID(t *testing.T) {
	vault := newVault(t, "a secret")
	teams := secrets.Key{TeamKeyID: 7, UserID: 3, Sealed: vault.SealFor(secrets.KeyOwner{TeamKeyID: 7}, "sk-team")}
	own := secrets.Key{UserID: 7, Sealed: vault.Seal(7, "sk-own")}
	for want, k := range map[string]secrets.Key{"sk-team": teams, "sk-own": own} {
		if got, err := vault.OpenKey(k); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	for name, k := range map[string]secrets.Key{
		"as a person's":      {UserID: 7, Sealed: teams.Sealed},
		"of another team's":  {TeamKeyID: 8, Sealed: teams.Sealed},
		"a person's as team": {TeamKeyID: 7, Sealed: own.Sealed},
	} {
		if _, err := vault.OpenKey(k); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := vault.OpenToken(7, teams.Sealed); err == nil {
		t.Error("a key opens as a token")
	}
}

func TestLastFourNeverGivesAShortKeyAway(t *testing.T) {
	for key, want := range map[string]string{
		"": "", "abc": "", "abcd": "d", "abcdefgh": "gh", "sk-0123456789abcdef": "cdef", "ключ-длинный-очень": "чень",
	} {
		if got := secrets.LastFour(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

func TestTokensDiffer(t *testing.T) {
	a, b := secrets.NewToken(), secrets.NewToken()
	if a == b || len(a) != 26 || secrets.HashToken(a) == secrets.HashToken(b) {
		t.Errorf("%q and %q", a, b)
	}
}

func newVault(t *testing.T, secret string) *secrets.Vault {
	t.Helper()
	vault, err := secrets.NewVault([]byte(secret))
	must(t, err)
	return vault
}

func TestATokenOfMailsIsForOneAddress(t *testing.T) {
	v, err := secrets.NewVault([]byte("a secret of the tests"))
	if err != nil {
		t.Fatal(err)
	}
	token := v.SignMail(7, "mara@example.com")
	if secrets.MailID(token) != 7 || !v.IsMail(token, 7, "mara@example.com") {
		t.Errorf("%q is not right", token)
	}
	for _, bad := range []string{"", "7", "7.", "x." + token, "8" + token[1:], token + "A"} {
		if v.IsMail(bad, 7, "mara@example.com") {
			t.Errorf("%q is right", bad)
		}
	}
	if v.IsMail(token, 7, "jo@example.com") || v.IsMail(token, 8, "mara@example.com") {
		t.Error("it is right for another address")
	}
	if secrets.MailID("x.y") != 0 {
		t.Error("it names a subscription")
	}
}
