package openid

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestClaimsOfAnUnexpectedTypeAreIgnored(t *testing.T) {
	for text, want := range map[string]Claims{
		`{"email":"kim@example.com","email_verified":true,"name":" Kim ","groups":["a",7,"b"]}`: {Name: "Kim", Email: "kim@example.com", EmailVerified: true, Values: []string{"a", "b"}},
		`{"email":["kim@example.com"],"email_verified":"TRUE","preferred_username":"kim"}`:      {Name: "kim"},
		`{"email_verified":1,"groups":{"a":true}}`:                                              {},
		`{"email_verified":"true","groups":"a b"}`:                                              {EmailVerified: true, Values: []string{"a b", "a", "b"}},
	} {
		said := map[string]any{}
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			t.Fatal(err)
		}
		got := read(said, "groups")
		if got.Name != want.Name || got.Email != want.Email || got.EmailVerified != want.EmailVerified || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"realm_access":{"roles":["a"]}}`, "realm_access.roles")
	f.Add(`{"a.b":"c","a":{"b":["d"]}}`, "a.b")
	f.Add(`{}`, "....")
	f.Fuzz(func(t *testing.T, text, claim string) {
		said := map[string]any{}
		if json.Unmarshal([]byte(text), &said) != nil {
			return
		}
		if c := read(said, claim); len(c.Values) > maxValues || claim == "" && c.Values != nil {
			t.Errorf("%d values of %q", len(c.Values), claim)
		}
	})
}

func TestEmailVerifiedComesFromTheSourceOfTheEmail(t *testing.T) {
	for name, tt := range map[string]struct {
		said, more map[string]any
		verified   bool
	}{
		"mark of the token, address of the other":  {map[string]any{"email_verified": true}, map[string]any{"email": "a@example.com"}, false},
		"mark of the other, address of the token":  {map[string]any{"email": "a@example.com"}, map[string]any{"email_verified": true}, false},
		"both of the other":                        {map[string]any{"email_verified": false}, map[string]any{"email": "a@example.com", "email_verified": true}, true},
		"both of the token, another address there": {map[string]any{"email": "a@example.com", "email_verified": true}, map[string]any{"email": "b@example.com", "email_verified": false}, true},
	} {
		merge(tt.said, tt.more)
		if c := read(tt.said, ""); c.Email != "a@example.com" || c.EmailVerified != tt.verified {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
