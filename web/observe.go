package web

import (
	"net/http"
	"time"
)

// An Observer is called after every response. route is the pattern of the route.
type Observer func(route string, status int, took time.Duration)

// Observe calls the observer after every response. The observer may be nil.
func Observe(tell Observer) Middleware {
	return func(next http.Handler) http.Handler {
		if tell == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			rec := &recorder{ResponseWriter: w, status: http.StatusOK}
			next.ServeHTTP(rec, r)
			tell(r.Pattern, rec.status, time.Since(began))
		})
	}
}
