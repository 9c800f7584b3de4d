package handlerstest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"testing"

	"dailies/db/media"
	"dailies/db/store/failtest"
	"dailies/handlers"
)

// NewFailing is like New, with changed settings, but the calls to the database follow the
// plan. The server has no socket: its browsers call the app directly, so that a test can
// run in a synctest bubble.
func NewFailing(t testing.TB, plan *failtest.Plan, change func(*handlers.Config)) *Server {
	t.Helper()
	dir := t.TempDir()
	files, err := media.Open(dir + "/media")
	must(t, err)
	h, _ := assemble(plan.In(t.Context()), t, dir, files, dir+"/dailies.db")
	change(&h.Config)
	h.App = handlers.New(h.Config)
	handler, err := h.App.Handler()
	must(t, err)
	h.Server, h.direct = &httptest.Server{URL: "http://dailies.invalid"}, direct{handler}
	return h
}

// Transport is how programs reach the app; nil is the usual one.
func (h *Server) Transport() http.RoundTripper { return h.direct }

// direct is a transport that calls the handler itself.
type direct struct{ http.Handler }

// Aborted is the status of an answer whose connection was closed before its end.
const Aborted = 599

// RoundTrip implements http.RoundTripper. A panic of the handler is an error, unless it
// closes the connection.
func (d direct) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			answer = &http.Response{StatusCode: Aborted, Body: http.NoBody, Request: r}
		} else if p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	asked := r.Clone(r.Context())
	asked.RequestURI, asked.RemoteAddr, asked.Host = r.URL.RequestURI(), "127.0.0.1:50000", r.URL.Host
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, asked)
	return w.Result(), nil
}
