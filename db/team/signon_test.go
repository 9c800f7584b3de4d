package team_test

import (
	"slices"
	"testing"

	"dailies/db/team"
)

// The metrics have a series for each kind, so there must be few, and no others.
func TestEveryRefusalIsOfAKnownKind(t *testing.T) {
	for refusal, want := range map[team.Refusal]string{
		team.RefusedPassword: "password", team.RefusedCode: "code", team.RefusedPasskey: "passkey", team.RefusedRestored: "passkey",
		team.RefusedDeactivated: "deactivated", team.RefusedOff: "passwords_off", team.RefusedTooMany: "too_many",
		team.RefusedAnswer: "provider", team.RefusedByProvider: "provider", team.RefusedDomain: "provider", team.RefusedRole: "provider", team.RefusedTaken: "provider",
	} {
		if got := refusal.Kind(); got != want || !slices.Contains(team.RefusalKinds(), got) {
			t.Errorf("%s is of the kind %s, want %s", refusal, got, want)
		}
	}
}
