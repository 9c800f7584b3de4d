package secrets_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"dailies/db/secrets"
)

func TestTheKeyIsTheSameInEveryProcess(t *testing.T) {
	for name, secret := range map[string][]byte{"made": []byte(strings.Repeat("MADE2BYA7PROGRAM", 4) + "\n"), "typed": []byte("plaza ozone fjord umbra"), "random": []byte("mB4hqYt8VbZ0d2kLw9xT")} {
		s, key, err := secrets.NewSealing(secret)
		must(t, err)
		read, err := secrets.ParseSealing(s.String())
		must(t, err)
		for _, same := range [][]byte{secret, bytes.TrimSpace(secret), append(bytes.TrimSpace(secret), '\n')} {
			if again, err := read.Key(same); err != nil || !bytes.Equal(again, key) {
				t.Errorf("%s: %x, %v", name, again, err)
			}
		}
		if _, err := read.Key([]byte("plaza ozone fjord umbrb")); !errors.Is(err, secrets.ErrSecret) {
			t.Errorf("%s: another secret: %v", name, err)
		}
		if _, err := read.Key(nil); err == nil {
			t.Errorf("%s: an empty secret opens", name)
		}
		if s.IsPlain() != (name == "made") || strings.Contains(s.String(), string(bytes.TrimSpace(secret))) {
			t.Errorf("%s: %s", name, s)
		}
		other, otherKey, err := secrets.NewSealing([]byte("plaza ozone fjord umbra"))
		must(t, err)
		if other.String() == s.String() || bytes.Equal(otherKey, key) {
			t.Errorf("%s: two installations share a key", name)
		}
	}
}

// Until this version, the setting had 64 hexadecimal digits, and the secret was the key.
func TestTheKeyOfAnEarlierVersionStays(t *testing.T) {
	secret := []byte("fifteen letters or so\n")
	mark := hex.EncodeToString(newVault(t, string(secret)).Fingerprint("sealed with"))
	s, err := secrets.ParseSealing(mark)
	must(t, err)
	if key, err := s.Key(secret); err != nil || !bytes.Equal(key, secret) || !s.IsPlain() || s.String() != mark {
		t.Errorf("%q, %v, %s", key, err, s)
	}
}

func FuzzParseSealing(f *testing.F) {
	s, _, err := secrets.NewSealing([]byte("plaza ozone fjord umbra"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.String())
	f.Add("00ff")
	f.Add("$argon2id$v=19$m=4294967295,t=4294967295,p=1$c29tZXNhbHQ 00")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := secrets.ParseSealing(text)
		if err != nil {
			return
		}
		if again, err := secrets.ParseSealing(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("%q is read as %q, %v", text, s, err)
		}
		if cost := secrets.SealingCost(s); cost > 1<<20*64 {
			t.Errorf("%q costs %d", text, cost)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
