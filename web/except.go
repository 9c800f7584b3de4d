package web

import "net/http"

// Except applies the middleware to all requests except those whose path raw matches. Use
// it to exempt compressed files from Compress: even if that leaves a response alone, its
// writer prevents the kernel from sending the file directly.
func Except(raw func(path string) bool, m Middleware) Middleware {
	return func(next http.Handler) http.Handler {
		wrapped := m(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if raw(r.URL.Path) {
				next.ServeHTTP(w, r)
				return
			}
			wrapped.ServeHTTP(w, r)
		})
	}
}
