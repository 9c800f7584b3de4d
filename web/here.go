package web

import "net/http"

// FromHere refuses a part of a page that another site's page asks the browser
// for. It belongs before a handler that makes the server do something for a
// GET, such as ask another server: http.CrossOriginProtection lets every GET
// through. Programs, and browsers that do not say where a request comes from,
// are let through.
func FromHere(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		switch r.Header.Get("Sec-Fetch-Site") {
		case "", "same-origin", "none": // none is typed into the address bar
			return h(w, r)
		}
		return &Error{Status: http.StatusForbidden, Message: "This request came from another site, so it was not carried out."}
	}
}
