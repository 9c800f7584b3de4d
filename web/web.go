// Package web provides the HTTP building blocks of Dailies: handlers that return
// errors, the conversion of errors into responses, full and partial pages, the session
// cookie, and the middleware. It knows nothing about specific pages.
package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"dailies/db"
)

// A Handler responds to a request. If it returns an error, it must not have written
// anything.
type Handler func(w http.ResponseWriter, r *http.Request) error

// An Error is a response other than the requested page.
type Error struct {
	Status  int    // HTTP status
	Message string // for the user
	Err     error  // for the log; may be nil
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// NotFound returns the error for a page that does not exist or that the user may not
// see.
func NotFound() *Error {
	return &Error{Status: http.StatusNotFound, Message: notFound}
}

// Forbidden returns the error for an action that the user may not take. The message
// says so.
func Forbidden(message string) *Error {
	return &Error{Status: http.StatusForbidden, Message: message}
}

// AsError converts any error into the response for it.
func AsError(err error) *Error {
	var e *Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, db.ErrNotFound):
		e = NotFound()
	case errors.Is(err, db.ErrConflict):
		e = &Error{Status: http.StatusConflict, Message: changed}
	case errors.Is(err, db.ErrUnavailable):
		e = &Error{Status: http.StatusServiceUnavailable, Message: storageDown}
	case errors.As(err, &tooLarge):
		e = &Error{Status: http.StatusRequestEntityTooLarge, Message: tooLong}
	default:
		e = &Error{Status: http.StatusInternalServerError, Message: broken}
	}
	e.Err = err
	return e
}

// A Mux is the route table. It passes errors of handlers to a function that renders
// them.
type Mux struct {
	mux  *http.ServeMux
	fail func(http.ResponseWriter, *http.Request, *Error)
}

// NewMux returns an empty route table. It passes all errors to fail, including that no
// route matches.
func NewMux(fail func(http.ResponseWriter, *http.Request, *Error)) *Mux {
	return &Mux{mux: http.NewServeMux(), fail: fail}
}

// Handle adds a route. The pattern is that of http.ServeMux.
func (m *Mux) Handle(pattern string, h Handler) {
	m.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			m.fail(w, r, AsError(err))
		}
	})
}

// ServeHTTP calls the handler of the matching route. If the path exists but not for the
// method, the response has status 405 and the Allow header set by http.ServeMux.
func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, pattern := m.mux.Handler(r); pattern != "" {
		m.mux.ServeHTTP(w, r)
		return
	}
	probe := &statusProbe{header: w.Header()}
	m.mux.ServeHTTP(probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		m.fail(w, r, &Error{Status: probe.status, Message: notDone})
		return
	}
	w.Header().Del("Content-Type")
	w.Header().Del("Location") // of a path such as //x, which ServeMux would redirect to /x
	m.fail(w, r, NotFound())
}

// statusProbe records the status and headers that http.ServeMux would send, but
// discards the body.
type statusProbe struct {
	header http.Header
	status int
}

func (p *statusProbe) Header() http.Header         { return p.header }
func (p *statusProbe) Write(b []byte) (int, error) { return len(b), nil }
func (p *statusProbe) WriteHeader(status int)      { p.status = status }

// A Component renders itself as HTML, like a templ.Component.
type Component interface {
	Render(ctx context.Context, w io.Writer) error
}

// Page responds with the page, or with the fragment if htmx requests a partial. The
// response is rendered completely before anything is sent, so that an error results in
// a 500 and never in half a page.
func Page(w http.ResponseWriter, r *http.Request, page, fragment Component) error {
	return PageStatus(w, r, http.StatusOK, page, fragment)
}

// PageStatus is like Page with another status, such as 422 for an invalid form.
func PageStatus(w http.ResponseWriter, r *http.Request, status int, page, fragment Component) error {
	// htmx 4 sends "full" or "partial", depending on what it will replace.
	w.Header().Add("Vary", "HX-Request-Type")
	if r.Header.Get("HX-Request-Type") == "partial" {
		return Fragment(w, r, status, fragment)
	}
	return Fragment(w, r, status, page)
}

// bodies are buffers for pages, which would otherwise grow from nothing for each one.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Fragment responds with the component, whatever the request asks for.
func Fragment(w http.ResponseWriter, r *http.Request, status int, c Component) error {
	body, _ := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	body.Reset()
	if err := c.Render(r.Context(), body); err != nil {
		return err
	}
	html := body.Bytes()
	if r.Header.Get("HX-Request-Type") != "partial" {
		html = squeeze(w.Header(), r, html)
	}
	return Send(w, status, html)
}

// Send responds with HTML.
func Send(w http.ResponseWriter, status int, html []byte) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(html)))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store") // pages depend on the user
	}
	w.WriteHeader(status)
	_, err := w.Write(html)
	_ = err // the browser has disconnected
	return nil
}

// NothingNew responds to a page that already shows everything.
func NothingNew(w http.ResponseWriter) error {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// SeeOther redirects the browser after a POST, so that a reload does not repeat it.
func SeeOther(w http.ResponseWriter, r *http.Request, address string) error {
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// Part responds with the fragment if htmx or a script requests a partial, and otherwise
// calls whole.
func Part(w http.ResponseWriter, r *http.Request, status int, fragment Component, whole Handler) error {
	w.Header().Add("Vary", "HX-Request-Type")
	if IsPartial(r) {
		return Fragment(w, r, status, fragment)
	}
	return whole(w, r)
}

// IsPartial reports whether htmx or a script requests a part of a page.
func IsPartial(r *http.Request) bool { return r.Header.Get("HX-Request-Type") == "partial" }

// StartCSV begins a response with comma-separated values, which the browser saves under
// the name. The response begins with a byte-order mark, because spreadsheets garble
// letters outside ASCII without it. The writer returned reports a lost connection.
func StartCSV(w http.ResponseWriter, name string) *csv.Writer {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "\ufeff")
	return csv.NewWriter(w)
}
