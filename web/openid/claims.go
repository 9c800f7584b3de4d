package openid

import (
	"strings"
)

// Claims is what a provider says of a person.
type Claims struct {
	Issuer, Subject string
	Name            string
	Email           string
	EmailVerified   bool
	Values          []string // of the claim that was asked for
}

// Bounds of what is kept of a claim.
const (
	maxSubject = 255
	maxValues  = 200
)

// merge adds what more says to the claims of the token. The token is what is signed:
// nothing of it is replaced. An address goes with the mark of the same source.
func merge(said, more map[string]any) {
	if _, email := said["email"]; email {
		delete(more, "email_verified")
	} else {
		delete(said, "email_verified")
	}
	for name, value := range more {
		if _, there := said[name]; !there {
			said[name] = value
		}
	}
}

// read reads the claims that matter. What is of another type is as if it were not
// there.
func read(said map[string]any, claim string) Claims {
	c := Claims{Email: text(said["email"])}
	for _, name := range []string{"name", "preferred_username", "nickname"} {
		if c.Name == "" {
			c.Name = text(said[name])
		}
	}
	switch v := said["email_verified"].(type) {
	case bool:
		c.EmailVerified = v
	case string: // some providers write it so
		c.EmailVerified = v == "true"
	}
	if claim != "" {
		c.Values = values(lookUp(said, claim))
	}
	return c
}

func text(v any) string {
	s, _ := v.(string)
	return strings.TrimSpace(s)
}

// lookUp returns the claim with the name, or the one that the name leads to, such
// as "realm_access.roles".
func lookUp(said map[string]any, claim string) any {
	if v, there := said[claim]; there {
		return v
	}
	first, rest, more := strings.Cut(claim, ".")
	inner, _ := said[first].(map[string]any)
	if !more || inner == nil {
		return nil
	}
	return lookUp(inner, rest)
}

// values returns the texts of a claim: one, words of one, or a list.
func values(claim any) []string {
	var found []string
	switch v := claim.(type) {
	case string:
		found = append(found, v)
		if words := strings.Fields(v); len(words) > 1 {
			found = append(found, words...)
		}
	case []any:
		for _, one := range v {
			if s, ok := one.(string); ok {
				found = append(found, s)
			}
		}
	}
	return found[:min(len(found), maxValues)]
}
