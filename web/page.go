package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
)

// A Component draws itself; every templ component does.
type Component interface {
	Render(ctx context.Context, w io.Writer) error
}

// Page answers with the page, or with only its fragment where htmx asked for a
// part. Either is drawn completely before anything is sent: a page that fails
// is a 500, never half a page.
func Page(w http.ResponseWriter, r *http.Request, page, fragment Component) error {
	return PageStatus(w, r, http.StatusOK, page, fragment)
}

// PageStatus is Page with another status, such as 422 for a form.
func PageStatus(w http.ResponseWriter, r *http.Request, status int, page, fragment Component) error {
	// htmx 4 says whether it will swap the whole body or a part of it.
	w.Header().Add("Vary", "HX-Request-Type")
	if r.Header.Get("HX-Request-Type") == "partial" {
		return Fragment(w, r, status, fragment)
	}
	return Fragment(w, r, status, page)
}

// Fragment answers with the component, whoever asks.
func Fragment(w http.ResponseWriter, r *http.Request, status int, c Component) error {
	var body bytes.Buffer
	if err := c.Render(r.Context(), &body); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store") // pages are a person's own
	}
	w.WriteHeader(status)
	_, err := body.WriteTo(w)
	_ = err // the browser went away: nobody is left to tell
	return nil
}

// SeeOther sends the browser on after a POST, so that a reload repeats nothing.
func SeeOther(w http.ResponseWriter, r *http.Request, address string) error {
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// Part answers with the fragment where htmx or a script asked for a part of a
// page, and otherwise leaves the answer to whole.
func Part(w http.ResponseWriter, r *http.Request, status int, fragment Component, whole Handler) error {
	w.Header().Add("Vary", "HX-Request-Type")
	if r.Header.Get("HX-Request-Type") == "partial" {
		return Fragment(w, r, status, fragment)
	}
	return whole(w, r)
}
