package web

import (
	"net/http"
	"strings"
)

// Except applies the middleware to all requests except those whose path begins with one
// of the prefixes. Use it to exempt compressed files from Compress: even if that leaves
// a response alone, its writer prevents the kernel from sending the file directly.
func Except(prefixes []string, m Middleware) Middleware {
	return func(next http.Handler) http.Handler {
		wrapped := m(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for _, prefix := range prefixes {
				if strings.HasPrefix(r.URL.Path, prefix) {
					next.ServeHTTP(w, r)
					return
				}
			}
			wrapped.ServeHTTP(w, r)
		})
	}
}
