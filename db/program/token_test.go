package program_test

import (
	"strings"
	"testing"
	"time"

	"dailies/db/program"
	"dailies/db/secrets"
)

func TestATokenIsRecognisedByItsChecksum(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		secret := program.NewSecret()
		if len(secret) != 36 || !strings.HasPrefix(secret, "dly_") || seen[secret] {
			t.Fatalf("the token %s", secret)
		}
		seen[secret] = true
		hash, ok := program.Parse(secret)
		if !ok || hash != secrets.HashToken(secret) {
			t.Fatalf("%s is not parsed", secret)
		}
		for i := range secret {
			other := "x"
			if secret[i] == 'x' {
				other = "y"
			}
			if _, ok := program.Parse(secret[:i] + other + secret[i+1:]); ok {
				t.Errorf("%s is a token with another character at %d", secret, i)
			}
		}
	}
	for _, text := range []string{"", "dly_", strings.Repeat("a", 36), program.NewSecret() + "a", " " + program.NewSecret()} {
		if _, ok := program.Parse(text); ok {
			t.Errorf("%q is a token", text)
		}
	}
}

func TestPermissionsIncludeThoseBeforeThem(t *testing.T) {
	for _, tt := range []struct {
		has, needs program.Permission
		want       bool
	}{
		{program.Look, program.Look, true}, {program.Look, program.Make, false}, {program.Make, program.Look, true},
		{program.Make, program.Change, false}, {program.Change, program.Make, true}, {"", program.Look, false}, {"all", program.Look, false},
	} {
		if got := tt.has.Includes(tt.needs); got != tt.want {
			t.Errorf("%q includes %q: %t", tt.has, tt.needs, got)
		}
	}
}

func TestATokenWorksUntilItEnds(t *testing.T) {
	now := time.Now()
	for name, tt := range map[string]struct {
		token program.Token
		want  bool
	}{
		"it works":      {program.Token{EndsAt: now.Add(time.Second)}, true},
		"its last day":  {program.Token{EndsAt: now}, false},
		"it was ended":  {program.Token{EndsAt: now.Add(time.Hour), EndedAt: now}, false},
		"it is stopped": {program.Token{EndsAt: now.Add(time.Hour), StoppedAt: now}, true}, // it may look
	} {
		if got := tt.token.Works(now); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
