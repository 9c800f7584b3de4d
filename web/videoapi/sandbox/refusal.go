package sandbox

import (
	"fmt"
	"net/http"
)

// A refusal is an error that is sent to the caller: an envelope with code -1 and
// the message.
type refusal struct {
	status  int // HTTP status
	message string
}

// Error returns the message.
func (r *refusal) Error() string { return r.message }

// refuse returns a refusal. Like nearly every answer of the service, it has HTTP
// status 200.
func refuse(format string, args ...any) error {
	return &refusal{http.StatusOK, fmt.Sprintf(format, args...)}
}

// invalid refuses a request because of its content.
func invalid(format string, args ...any) error {
	return refuse("invalid params: "+format, args...)
}

var (
	errNoAuth       = refuse("no auth, please sign in")
	errNoTask       = refuse("task not found")
	errNoPermission = refuse("no permission")
	errNoSuchPath   = &refusal{http.StatusNotFound, "not found"}
	errNotPost      = &refusal{http.StatusMethodNotAllowed, "the method must be POST"}
	errBroken       = &refusal{http.StatusInternalServerError, "internal error, please try again later"}
)

// quote returns a caller's text in quotation marks, at most 60 characters of it.
func quote(s string) string { return fmt.Sprintf("%.60q", s) }
