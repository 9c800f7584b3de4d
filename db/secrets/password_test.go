package secrets_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"dailies/db"
	"dailies/db/secrets"
)

var kim = db.User{Name: "Kim van der Berg", Email: "kim.berg@example.com"}

func TestOneRuleForNewPasswords(t *testing.T) {
	for fault, passwords := range map[secrets.PasswordFault][]string{
		"": {
			"a long enough one", "correct horse", "another long one", "tr0ub4dor&3 is old", strings.Repeat("ж", 119) + "!?", "李小龙爱吃四川火锅和米饭",
			strings.Repeat("ab", 99) + "c!", strings.Repeat("😀", 198) + "ab", "kim likes the sea", "summer at the lake", "9f2k-77q1-xx",
		},
		secrets.PasswordShort: {"", "short", "123456789", "ééééééééé", strings.Repeat("e\u0301", 9)},
		secrets.PasswordLong:  {strings.Repeat("ab", 100) + "c", strings.Repeat("😀a", 101), strings.Repeat("x", 1<<20)},
		secrets.PasswordPlain: {
			"aaaaaaaaaa", "          ", " \t \t \t \t \t \u00a0", "AAAAaaaaAAAA", "1212121212", "abcabcabcabc", "1234567890", "0987654321", "abcdefghijkl",
			"ｘｘｘｘｘｘｘｘｘｘ", "😀😀😀😀😀😀😀😀😀😀", strings.Repeat("\u200b", 12), "a         a",
		},
		secrets.PasswordCommon: {
			"password123", "Password2026!", "P@ssw0rd1234", "pass word 123", "passwordpassword", "qwertyuiop", "QWERTY12345", "1q2w3e4r5t",
			"letmein1234", "iloveyou2026", "adminadminadmin", "ｐａｓｓｗｏｒｄ１２３", "11password11", "dailies2026", "йцукенгшщз",
		},
		secrets.PasswordPersonal: {
			"kim.berg@example.com", "KIM.BERG@EXAMPLE.COM", "kim.berg2026", "Kim van der Berg", "kimvanderberg1", "vanderberg!!", "Berg Kim Berg", "example.com1",
		},
	} {
		for _, password := range passwords {
			if got := secrets.CheckNewPassword(password, kim); got != fault {
				t.Errorf("%.40q: %q, want %q", password, got, fault)
			}
		}
	}
}

// Whatever password is accepted also signs in, however the keyboard composes
// characters.
func TestAcceptedPasswordSignsIn(t *testing.T) {
	for _, password := range []string{
		strings.Repeat("ж", 119) + "!?", strings.Repeat("é", 120) + "!?", strings.Repeat("한글", 90) + "과 바다", strings.Repeat("😀", 198) + "ab",
	} {
		if fault := secrets.CheckNewPassword(password, kim); fault != "" {
			t.Errorf("%.20q is refused as %s", password, fault)
		}
		hash := secrets.HashPassword(norm.NFD.String(password))
		for _, typed := range []string{password, norm.NFC.String(password), norm.NFD.String(password)} {
			if ok, renew := secrets.MatchPassword(hash, typed); !ok || renew {
				t.Errorf("%.20q (%d bytes): %t, renew %t", typed, len(typed), ok, renew)
			}
		}
	}
}

func FuzzCheckNewPassword(f *testing.F) {
	f.Add("a long enough one", "Kim", "kim@example.com")
	f.Add("passwordpassword", "", "@")
	f.Fuzz(func(t *testing.T, password, name, email string) {
		if secrets.CheckNewPassword(password, db.User{Name: name, Email: email}) != "" {
			return
		}
		composed := norm.NFC.String(password)
		if n := utf8.RuneCountInString(composed); n < secrets.MinPassword || n > secrets.MaxPassword || len(composed) > secrets.MaxPasswordBytes {
			t.Errorf("%d characters, %d bytes are let through", n, len(composed))
		}
		if strings.TrimSpace(password) == "" {
			t.Errorf("%q is blank", password)
		}
	})
}

// A hash with earlier parameters is accepted, and replaced while the password is known.
func TestAHashWithEarlierParametersIsRenewed(t *testing.T) {
	salt := []byte("0123456789abcdef")
	earlier := fmt.Sprintf("$argon2id$v=19$m=64,t=1,p=1$%s$%s", base64.RawStdEncoding.EncodeToString(salt),
		base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte("a quiet harbour"), salt, 1, 64, 1, 32)))
	if ok, renew := secrets.MatchPassword(earlier, "a quiet harbour"); !ok || !renew {
		t.Errorf("matches %v, is renewed %v", ok, renew)
	}
	if ok, renew := secrets.MatchPassword(earlier, "another harbour"); ok || renew {
		t.Errorf("another password: matches %v, is renewed %v", ok, renew)
	}
	if ok, renew := secrets.MatchPassword(secrets.HashPassword("a quiet harbour"), "a quiet harbour"); !ok || renew {
		t.Errorf("a hash of today: matches %v, is renewed %v", ok, renew)
	}
}
