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

// Chain wraps h in the middleware of the list. The first is the outermost.
func Chain(h http.Handler, list ...Middleware) http.Handler {
	for i := len(list) - 1; i >= 0; i-- {
		h = list[i](h)
	}
	return h
}

type requestKey struct{}

// A loggedRequest is what Log knows about a request while it is handled.
type loggedRequest struct {
	id   string
	user int64
}

// RequestID returns the ID that Log gave to the request, or "" outside of Log.
func RequestID(ctx context.Context) string {
	if logged, ok := ctx.Value(requestKey{}).(*loggedRequest); ok {
		return logged.id
	}
	return ""
}

// LogUser makes Log name the user with the ID as the one who sent the request.
func LogUser(ctx context.Context, id int64) {
	if logged, ok := ctx.Value(requestKey{}).(*loggedRequest); ok {
		logged.user = id
	}
}

// Log gives each request a random ID and logs it at debug level. It logs the route's
// pattern instead of the path and the query, because both may contain a token. address
// returns the network address that the request came from; it may be nil.
func Log(log *slog.Logger, address func(*http.Request) string) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			logged := &loggedRequest{id: rand.Text()[:10]}
			r = r.WithContext(context.WithValue(r.Context(), requestKey{}, logged))
			began := time.Now()
			rec := &recorder{ResponseWriter: w, status: http.StatusOK}
			next.ServeHTTP(rec, r)
			if !log.Enabled(r.Context(), slog.LevelDebug) {
				return
			}
			from := ""
			if address != nil {
				from = address(r)
			}
			log.Debug("request", "id", logged.id, "method", r.Method, "route", r.Pattern, "status", rec.status,
				"took", time.Since(began).Round(time.Microsecond), "user", logged.user, "address", from)
		})
	}
}

// Recover turns a panic into an error for fail. The error, which is for the log,
// contains the stack.
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

// policy is the content security policy. Nothing is loaded from other hosts, which would
// see who looks at a page.
const policy = "default-src 'self'; img-src 'self'; media-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// isolating are the headers that Headers sets. Every response shares their values: a slice for
// each of them would take longer than everything else that Headers does.
var isolating = []struct {
	name   string
	values []string
}{
	{"Content-Security-Policy", []string{policy}},
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Referrer-Policy", []string{"same-origin"}},
	{"Cross-Origin-Opener-Policy", []string{"same-origin"}},
	{"Permissions-Policy", []string{"camera=(), geolocation=(), microphone=()"}},
}

// Headers sets security headers that isolate pages from other sites.
func Headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for _, header := range isolating {
			h[header.name] = header.values
		}
		next.ServeHTTP(w, r)
	})
}

// HTTPSOnly tells browsers to use only https for a year, if secure is set because users
// reach the program over https.
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

// SameOrigin rejects cross-origin requests that change state.
func SameOrigin(fail func(http.ResponseWriter, *http.Request, *Error)) Middleware {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail(w, r, &Error{Status: http.StatusForbidden, Message: notDone})
	}))
	return guard.Handler
}

// MaxBody limits the size of request bodies. UpTo sets a different limit for a route.
func MaxBody(bytes int64) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Body = &bounded{http.MaxBytesReader(w, r.Body, bytes), r.Body}
			next.ServeHTTP(w, r)
		})
	}
}

// bounded is a limited body that also remembers the unlimited one for UpTo.
type bounded struct {
	io.ReadCloser
	whole io.ReadCloser
}

// UpTo replaces the limit of MaxBody for one handler. It must be applied inside the
// guard, so that it affects only users who may use the route.
func UpTo(bytes int64, h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if b, ok := r.Body.(*bounded); ok {
			r.Body = http.MaxBytesReader(w, b.whole, bytes)
		}
		return h(w, r)
	}
}

// recorder remembers the status of a response.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// ReadFrom implements io.ReaderFrom, so that the underlying writer can still send files
// without copying them through the program.
func (r *recorder) ReadFrom(src io.Reader) (int64, error) { return io.Copy(r.ResponseWriter, src) }

// Unwrap returns the real writer for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

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
