package site

import (
	"net/http"

	"dailies/web"
)

// A Room serves the pages that belong together.
type Room interface{ Routes() []Route }

// A Route is a row of a room's table: the requests that it answers, and who may send them.
type Route struct {
	Pattern string // as http.ServeMux reads it
	Guard   func(web.Handler) web.Handler
	Handler web.Handler
}

// On returns the row of the requests that fit the pattern. The guard lets those through who
// may send them.
func On(pattern string, guard func(web.Handler) web.Handler, h web.Handler) Route {
	return Route{Pattern: pattern, Guard: guard, Handler: h}
}

// RedirectTo returns the handler of the path of an earlier page, which leads to the one that
// has taken its place.
func RedirectTo(path string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return web.SeeOther(w, r, path) }
}
