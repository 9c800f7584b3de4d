package site_test

import (
	"testing"

	"dailies/handlers/site"
)

func TestAKeyIsTakenWithoutTheNameOfItsHeader(t *testing.T) {
	for pasted, want := range map[string]string{
		"sk-abc":                           "sk-abc",
		" Bearer sk-abc\n":                 "sk-abc",
		"bearer   sk-abc":                  "sk-abc",
		"Authorization: Bearer sk-abc":     "sk-abc",
		"\"Authorization: Bearer sk-abc\"": "sk-abc",
		"'sk-abc'":                         "sk-abc",
		"bearersk-abc":                     "bearersk-abc",
		"Bearer ":                          "Bearer",
		"":                                 "",
	} {
		if got := site.CleanKey(pasted); got != want {
			t.Errorf("%q: got %q", pasted, got)
		}
	}
}
