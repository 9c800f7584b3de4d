package site_test

import (
	"testing"

	"dailies/db/secrets"
	"dailies/handlers/site"
)

func TestPasswordsAreCheckedInTurn(t *testing.T) {
	h := site.NewHashing(0)
	hash := secrets.HashPassword("a long enough one")
	for password, right := range map[string]bool{"a long enough one": true, "another one": false} {
		if ok, renew, err := h.Match(t.Context(), site.StrangeApplicant("kim@example.com"), hash, password); ok != right || renew || err != nil {
			t.Errorf("%s: %t, %t, %v", password, ok, renew, err)
		}
	}
}
