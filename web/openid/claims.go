package openid

import (
	"strings"
)

// Claims holds what a provider states about a user.
type Claims struct {
	Issuer, Subject string
	Name            string
	Email           string
	EmailVerified   bool
	Values          []string // of the additional claim passed to Finish
}

// Limits of claims.
const (
	maxSubject = 255 // bytes
	maxValues  = 200 // number of Values
)

// merge adds the claims in more to those of the token. It replaces none of the token's
// claims, because the token is signed. email_verified is always taken from the same
// source as email.
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

// read extracts the claims that are used. A claim of an unexpected type counts as
// missing.
func read(said map[string]any, claim string) Claims {
	c := Claims{Email: text(said["email"])}
	c.Subject, _ = said["sub"].(string)
	for _, name := range []string{"name", "preferred_username", "nickname"} {
		if c.Name == "" {
			c.Name = text(said[name])
		}
	}
	switch v := said["email_verified"].(type) {
	case bool:
		c.EmailVerified = v
	case string: // some providers send a string
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

// lookUp returns the claim with the name, or the nested one at a path such as
// "realm_access.roles".
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

// values returns the strings of a claim: those of a list, or a single string and, if it
// has several words, each of these too.
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
