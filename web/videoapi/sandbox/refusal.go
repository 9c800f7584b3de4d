package sandbox

import (
	"fmt"
	"net/http"
)

// A refusal is an error that the caller is told about: the envelope with code
// -1 and the message.
type refusal struct {
	status  int // HTTP
	message string
}

// Error returns what the caller reads.
func (r *refusal) Error() string { return r.message }

// refuse makes a refusal. Like nearly every answer of the service, it is HTTP
// 200.
func refuse(format string, args ...any) error {
	return &refusal{http.StatusOK, fmt.Sprintf(format, args...)}
}

// invalid refuses a request that cannot be meant so.
func invalid(format string, args ...any) error {
	return refuse("invalid params: "+format, args...)
}

var (
	errNoAuth       = refuse("no auth, please sign in")
	errNoTask       = refuse("task not found")
	errNoPermission = refuse("no permission")
	errNoSuchPath   = &refusal{http.StatusNotFound, "not found"}
	errNotPost      = &refusal{http.StatusMethodNotAllowed, "the method must be POST"}
)

// quote shows a caller their own words, bounded.
func quote(s string) string { return fmt.Sprintf("%.60q", s) }
