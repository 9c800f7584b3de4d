package web

import (
	"net/http"
	"time"
)

// An Observer is told about every answer.
type Observer func(route string, status int, took time.Duration)

// Observe tells the observer, if there is one.
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
