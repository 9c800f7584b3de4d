package web

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// A Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Chain applies the list; the first is the outermost.
func Chain(h http.Handler, list ...Middleware) http.Handler {
	for i := len(list) - 1; i >= 0; i-- {
		h = list[i](h)
	}
	return h
}

type requestID struct{}

// RequestID returns the request's number in the log, or empty outside of Log.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestID{}).(string)
	return id
}

// Log gives each request a number and writes a line about it at debug level.
// Addresses are written without their query, and as the route's pattern where
// one fits, because both can carry a token.
func Log(log *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := rand.Text()[:10]
			r = r.WithContext(context.WithValue(r.Context(), requestID{}, id))
			began := time.Now()
			rec := &recorder{ResponseWriter: w, status: http.StatusOK}
			next.ServeHTTP(rec, r)
			log.Debug("request", "id", id, "method", r.Method, "route", r.Pattern, "status", rec.status, "took", time.Since(began).Round(time.Microsecond))
		})
	}
}

// Recover turns a panic into fail's page, with the stack in the log.
func Recover(fail func(http.ResponseWriter, *http.Request, *Error)) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				if v == http.ErrAbortHandler {
					panic(v)
				}
				fail(w, r, AsError(fmt.Errorf("panic: %v\n%s", v, debug.Stack())))
			}()
			next.ServeHTTP(w, r)
		})
	}
}

// policy allows nothing from elsewhere but pictures and videos that people
// link to. Pictures may lie on plain http, as the service takes such links.
const policy = "default-src 'self'; img-src 'self' https: http:; media-src 'self' https:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Headers sets the headers that keep a page to itself.
func Headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		next.ServeHTTP(w, r)
	})
}

// HTTPSOnly tells browsers to come by https for a year, where people reach the
// program in that way.
func HTTPSOnly(secure bool) Middleware {
	return func(next http.Handler) http.Handler {
		if !secure {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
			next.ServeHTTP(w, r)
		})
	}
}

// SameOrigin refuses a change that another site's page asks the browser for.
func SameOrigin(fail func(http.ResponseWriter, *http.Request, *Error)) Middleware {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, &Error{Status: http.StatusForbidden, Message: "This request came from another site, so it was not carried out."})
	}))
	return guard.Handler
}

// MaxBody bounds what a request may carry. A route that takes more says so with
// UpTo.
func MaxBody(bytes int64) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = &bounded{http.MaxBytesReader(w, r.Body, bytes), r.Body}
			next.ServeHTTP(w, r)
		})
	}
}

// bounded is a body with its bound, and the body behind it.
type bounded struct {
	io.ReadCloser
	whole io.ReadCloser
}

// UpTo gives the handler a bound of its own in place of that of MaxBody. It
// belongs inside the guard, so that only who may send that much does.
func UpTo(bytes int64, h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if b, ok := r.Body.(*bounded); ok {
			r.Body = http.MaxBytesReader(w, b.whole, bytes)
		}
		return h(w, r)
	}
}

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// ReadFrom implements io.ReaderFrom, so that the writer behind it still sends
// files without copying them through the program.
func (r *recorder) ReadFrom(src io.Reader) (int64, error) { return io.Copy(r.ResponseWriter, src) }

// Unwrap lets http.ResponseController reach the real writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
