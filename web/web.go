// Package web is the HTTP grammar of Dailies: handlers that return errors, the
// one place that turns errors into pages, pages drawn whole or in part, the
// session cookie, and the middleware. It knows no page.
package web

import (
	"errors"
	"net/http"

	"dailies/db"
)

// A Handler answers a request, or returns an error and has written nothing.
type Handler func(w http.ResponseWriter, r *http.Request) error

// An Error is an answer that is not the page that was asked for.
type Error struct {
	Status  int    // HTTP status
	Message string // for the person
	Err     error  // for the log; may be nil
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// NotFound returns the error for a page that does not exist, or not for this person.
func NotFound() *Error {
	return &Error{Status: http.StatusNotFound, Message: "There is no page at this address. It may have been deleted, or belong to somebody else."}
}

// Forbidden returns the error for something that this person may not do, with the
// sentence that says so.
func Forbidden(message string) *Error {
	return &Error{Status: http.StatusForbidden, Message: message}
}

// AsError turns any error into the answer for it.
func AsError(err error) *Error {
	var e *Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, db.ErrNotFound):
		e = NotFound()
	case errors.Is(err, db.ErrConflict):
		e = &Error{Status: http.StatusConflict, Message: "Something changed in the meantime. Please reload the page and look again."}
	case errors.Is(err, db.ErrUnavailable):
		e = &Error{Status: http.StatusServiceUnavailable, Message: "The storage of videos and pictures does not answer just now. Nothing is lost; please try again in a minute."}
	case errors.As(err, &tooLarge):
		e = &Error{Status: http.StatusRequestEntityTooLarge, Message: "That is more than this form takes. Please go back and shorten it."}
	default:
		e = &Error{Status: http.StatusInternalServerError, Message: "Something went wrong here. Nothing that you paid for is lost. Please try again in a moment."}
	}
	e.Err = err
	return e
}

// A Mux is the route table. Handlers return errors; Fail draws them.
type Mux struct {
	mux      *http.ServeMux
	fail     func(http.ResponseWriter, *http.Request, *Error)
	patterns []string
}

// NewMux returns an empty table whose errors, including "no such route", go to
// fail.
func NewMux(fail func(http.ResponseWriter, *http.Request, *Error)) *Mux {
	return &Mux{mux: http.NewServeMux(), fail: fail}
}

// Handle adds a line to the table. The pattern is net/http's.
func (m *Mux) Handle(pattern string, h Handler) {
	m.patterns = append(m.patterns, pattern)
	m.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			m.fail(w, r, AsError(err))
		}
	})
}

// Patterns lists the table, so that a test can walk every line of it.
func (m *Mux) Patterns() []string { return m.patterns }

// ServeHTTP finds the line for the request. A method that the address does not
// take keeps net/http's 405 and its Allow header.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, pattern := m.mux.Handler(r); pattern != "" {
		m.mux.ServeHTTP(w, r)
		return
	}
	probe := &statusProbe{header: w.Header()}
	m.mux.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		m.fail(w, r, &Error{Status: probe.status, Message: "This address does not take that kind of request."})
		return
	}
	w.Header().Del("Content-Type")
	m.fail(w, r, NotFound())
}

// statusProbe learns what net/http would answer without sending its text.
type statusProbe struct {
	header http.Header
	status int
}

func (p *statusProbe) Header() http.Header         { return p.header }
func (p *statusProbe) Write(b []byte) (int, error) { return len(b), nil }
func (p *statusProbe) WriteHeader(status int)      { p.status = status }
