package account

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"dailies/db"
	"dailies/web"
)

// stepLife is the time a user has between two requests of a sign-in.
const stepLife = 10 * time.Minute

// A step is the state of an unfinished sign-in. It is kept encrypted in the browser's
// cookie, so that any process can handle the next request.
type step[T any] struct {
	Until time.Time
	What  T
}

// maxNext limits, in bytes, the redirect path that a step remembers, because an
// encrypted cookie has room for only about 4,000.
const maxNext = 1000

// shortNext returns the path to go to after a sign-in: next itself or, if that is too
// long for a cookie, next without its query, or else the start page.
func shortNext(next string) string {
	if len(next) <= maxNext {
		return next
	}
	if path, _, _ := strings.Cut(next, "?"); len(path) <= maxNext {
		return path
	}
	return "/"
}

// leaveStep keeps the step in the cookie under the name, replacing an earlier one.
func leaveStep[T any](cookies *web.Cookies, w http.ResponseWriter, r *http.Request, name string, what T) error {
	text, err := json.Marshal(step[T]{db.Now().Add(stepLife), what})
	if err != nil {
		return err
	}
	return cookies.SetFlash(w, r, name, string(text))
}

// peekStep returns the step kept under the name, unless it has expired.
func peekStep[T any](cookies *web.Cookies, r *http.Request, name string) (found step[T], ok bool) {
	err := json.Unmarshal([]byte(cookies.PeekFlash(r, name)), &found)
	return found, err == nil && db.Now().Before(found.Until)
}

// dropStep deletes the step.
func dropStep(cookies *web.Cookies, w http.ResponseWriter, r *http.Request, name string) error {
	_, err := cookies.TakeFlash(w, r, name)
	return err
}
