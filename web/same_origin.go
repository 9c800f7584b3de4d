package web

import "net/http"

// FromSameOrigin rejects requests that another site's page causes. Use it for a GET with
// side effects on the server, such as a request to another server, because
// http.CrossOriginProtection allows every GET. Requests without Sec-Fetch-Site, from
// programs and old browsers, are allowed.
func FromSameOrigin(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		switch r.Header.Get("Sec-Fetch-Site") {
		case "", "same-origin", "none": // "none": the user has entered the URL
			return h(w, r)
		}
		return &Error{Status: http.StatusForbidden, Message: notDone}
	}
}
