package secrets

import (
	"strings"
	"testing"
	"time"
)

// The test vectors are those of RFC 6238, appendix B, cut to six digits.
func TestCodesAreThoseOfTheStandard(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got := CodeAt(secret, CodeStep(time.Unix(at, 0))); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

func TestCodeIsValidBrieflyAndOnce(t *testing.T) {
	secret, now := NewCodeSecret(), time.Unix(1_800_000_000, 0)
	key, err := plainBase32.DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	step := CodeStep(now)
	for off, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		typed := CodeAt(key, step+off)
		if got, ok := CheckCode(secret, typed[:3]+" "+typed[3:], now, 0); ok != want || ok && got != step+off {
			t.Errorf("%d steps off: %t", off, ok)
		}
	}
	if _, ok := CheckCode(secret, CodeAt(key, step), now, step); ok {
		t.Error("a code counts twice")
	}
	if _, ok := CheckCode("not base32!", CodeAt(nil, step), now, 0); ok {
		t.Error("a secret that is none has codes")
	}
	if link := CodeLink("video.example.com", "kim@example.com", "ABC"); link != "otpauth://totp/Dailies%20%28video.example.com%29:kim@example.com?issuer=Dailies%20%28video.example.com%29&secret=ABC" {
		t.Error(link)
	}
}

func TestRecoveryCodesAreReadHoweverTheyAreTyped(t *testing.T) {
	code := NewRecoveryCodes()[3]
	if RecoveryHash(1, code) != RecoveryHash(1, " "+strings.ToUpper(strings.ReplaceAll(code, "-", " "))) {
		t.Error("another spelling is another code")
	}
	if RecoveryHash(1, code) == RecoveryHash(2, code) {
		t.Error("the codes of two people are the same")
	}
}

func FuzzCheckCode(f *testing.F) {
	f.Add("JBSWY3DPEHPK3PXP", "123456")
	f.Add("", "-")
	f.Fuzz(func(t *testing.T, secret, typed string) {
		if step, ok := CheckCode(secret, typed, time.Unix(1_800_000_000, 0), 0); ok && len(digits(typed)) != CodeDigits {
			t.Errorf("%q is the code of %d", typed, step)
		}
	})
}
