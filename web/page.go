package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
)

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
