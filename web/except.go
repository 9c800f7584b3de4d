package web

import (
	"net/http"
	"strings"
)

// Except applies the middleware to everything but the addresses that begin with
// one of the prefixes. Files that are compressed already belong there: a
// compressor's writer, even one that leaves them as they are, would copy every
// byte where the kernel can send the file by itself.
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
