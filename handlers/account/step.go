package account

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"dailies/db"
	"dailies/handlers/site"
)

// stepLife is how long somebody may take from one request of a sign-in to the next.
const stepLife = 10 * time.Minute

// A step is what the browser keeps, sealed in its cookie, from one request of a
// sign-in to the next. So any process can answer the next one.
type step[T any] struct {
	Until time.Time
	What  T
}

// maxNext bounds, in bytes, the address that a step remembers: a cookie has room for
// about 4,000, sealed.
const maxNext = 1000

// shortNext returns where to go after a sign-in: the address, without its query if
// that is too long for a cookie, or else the first page.
func shortNext(next string) string {
	if len(next) <= maxNext {
		return next
	}
	if path, _, _ := strings.Cut(next, "?"); len(path) <= maxNext {
		return path
	}
	return "/"
}

// leaveStep keeps the step under the name, in place of one from before.
func leaveStep[T any](s *site.Site, w http.ResponseWriter, r *http.Request, name string, what T) error {
	text, err := json.Marshal(step[T]{db.Now().Add(stepLife), what})
	if err != nil {
		return err
	}
	return s.Cookies.Leave(w, r, name, string(text))
}

// peekStep returns the step that was kept, unless it took too long.
func peekStep[T any](s *site.Site, r *http.Request, name string) (found step[T], ok bool) {
	err := json.Unmarshal([]byte(s.Cookies.Peek(r, name)), &found)
	return found, err == nil && db.Now().Before(found.Until)
}

// dropStep forgets the step.
func dropStep(s *site.Site, w http.ResponseWriter, r *http.Request, name string) error {
	_, err := s.Cookies.Take(w, r, name)
	return err
}
