package web

import (
	"net/http"
	"time"

	"dailies/db"
)

// knownLife is as long as browsers keep any cookie.
const knownLife = 400 * 24 * time.Hour

// knownAccounts bounds how many accounts one browser is known to.
const knownAccounts = 8

// Known returns the number that the browser got when it signed in to the
// account, or empty if it never has. The cookie opens nothing: it only tells a
// browser of the account's owner from one of a stranger.
func (c *Cookies) Known(r *http.Request, userID int64) string {
	s, _ := c.known.Get(r, c.knownName())
	number, _ := s.Values[userID].(string)
	return number
}

// Remember notes that the browser has signed in to the account.
func (c *Cookies) Remember(w http.ResponseWriter, r *http.Request, userID int64) error {
	s, _ := c.known.Get(r, c.knownName())
	if _, known := s.Values[userID]; !known {
		for other := range s.Values {
			if len(s.Values) < knownAccounts {
				break
			}
			delete(s.Values, other)
		}
		s.Values[userID] = db.NewToken()
	}
	return c.save(w, r, s)
}

func (c *Cookies) knownName() string { return c.prefix + c.name + "-known" }
