package web

import (
	"math"
	"net/http"
	"strings"
	"time"

	"dailies/db/secrets"
)

// knownLife is the longest time for which browsers keep a cookie.
const knownLife = 400 * 24 * time.Hour

// knownAccounts is the maximum number of accounts in one browser's cookie.
const knownAccounts = 8

// Known returns the token that Remember gave to the browser for the account, or "" if
// the browser has never signed in to it. The token grants no access: it only
// distinguishes the browsers of the account's owner from those of strangers.
func (c *Cookies) Known(r *http.Request, userID int64) string {
	return strings.TrimPrefix(c.knownNumber(r, userID), proven)
}

// proven begins the token of a browser in which a second step was given.
const proven = "+"

// KnownProof reports whether a second step of the account was given in the browser:
// see RememberProof.
func (c *Cookies) KnownProof(r *http.Request, userID int64) bool {
	return strings.HasPrefix(c.knownNumber(r, userID), proven)
}

func (c *Cookies) knownNumber(r *http.Request, userID int64) string {
	s, _ := c.known.Get(r, c.knownName())
	number, _ := s.Values[userID].(string)
	return number
}

// Browser returns a token of the browser, or "" if it has never signed in to any account.
// Like the tokens of Known, it grants no access.
func (c *Cookies) Browser(r *http.Request) string {
	s, _ := c.known.Get(r, c.knownName())
	first, token := int64(math.MaxInt64), ""
	for key, value := range s.Values {
		id, isID := key.(int64)
		if number, isText := value.(string); isID && isText && id < first {
			first, token = id, strings.TrimPrefix(number, proven) // which is added later
		}
	}
	return token
}

// Remember records in a cookie that the browser has signed in to the account.
func (c *Cookies) Remember(w http.ResponseWriter, r *http.Request, userID int64) error {
	return c.remember(w, r, userID, "")
}

// RememberProof is like Remember, and also records that a second step of the account
// was given in the browser. Nobody who knows only the password has such a browser.
func (c *Cookies) RememberProof(w http.ResponseWriter, r *http.Request, userID int64) error {
	return c.remember(w, r, userID, proven)
}

func (c *Cookies) remember(w http.ResponseWriter, r *http.Request, userID int64, prefix string) error {
	s, _ := c.known.Get(r, c.knownName())
	if number, known := s.Values[userID].(string); !known {
		for other := range s.Values {
			if len(s.Values) < knownAccounts {
				break
			}
			delete(s.Values, other)
		}
		s.Values[userID] = prefix + secrets.NewToken()
	} else if !strings.HasPrefix(number, prefix) {
		s.Values[userID] = prefix + number
	}
	return c.save(w, r, s)
}

func (c *Cookies) knownName() string { return c.prefix + c.name + "-known" }
