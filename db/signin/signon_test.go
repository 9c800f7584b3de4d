package signin_test

import (
	"slices"
	"testing"

	"dailies/db/signin"
)

// The metrics have a series for each kind, so there must be few, and no others.
func TestEveryRefusalIsOfAKnownKind(t *testing.T) {
	for refusal, want := range map[signin.Refusal]string{
		signin.RefusedPassword: "password", signin.RefusedCode: "code", signin.RefusedPasskey: "passkey", signin.RefusedRestored: "passkey",
		signin.RefusedDeactivated: "deactivated", signin.RefusedOff: "passwords_off", signin.RefusedTooMany: "too_many",
		signin.RefusedAnswer: "provider", signin.RefusedByProvider: "provider", signin.RefusedDomain: "provider", signin.RefusedRole: "provider", signin.RefusedTaken: "provider",
	} {
		if got := refusal.Kind(); got != want || !slices.Contains(signin.RefusalKinds(), got) {
			t.Errorf("%s is of the kind %s, want %s", refusal, got, want)
		}
	}
}
