package handlers_test

import (
	"database/sql/driver"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing/synctest"

	"dailies/db/store/failtest"
	"dailies/db/store/recordtest"
)

// A gauge is a transport that calls the app itself, and measures what an answer costs in
// units that do not depend on the processor.
type gauge struct {
	app        http.Handler
	plan       *failtest.Plan
	recorder   *recordtest.Recorder
	statements atomic.Int64
	memory     bool // measure what is allocated, and no statements: counting them allocates too
	last       cost // of the last answer
}

// A cost is what an answer costs.
type cost struct {
	Statements int // that the database ran
	Rows       int // that it returned
	Objects    int // that were allocated
	Bytes      int // that were allocated
	Wire       int // bytes of the body, as a browser gets it
	Again      int // statements for the same page once more, if nobody has written since
}

// observe is an engine.Observer.
func (g *gauge) observe(text string, args []driver.NamedValue) {
	if g.memory {
		return
	}
	g.statements.Add(1)
	g.recorder.Observe(text, args)
}

// RoundTrip implements http.RoundTripper. The answer has no body.
func (g *gauge) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Clone(r.Context())
	asked.RequestURI, asked.RemoteAddr, asked.Host = r.URL.RequestURI(), "127.0.0.1:50000", r.URL.Host
	asked.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
	asked.Header.Set("User-Agent", "Mozilla/5.0")
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	answer := &sink{header: http.Header{}}
	synctest.Wait() // for what earlier answers have left to do
	if g.memory {
		g.last = allocated(func() { g.app.ServeHTTP(answer, asked) })
	} else {
		g.plan.Begin(0)
		g.statements.Store(0)
		g.app.ServeHTTP(answer, asked)
		synctest.Wait()
		g.plan.Stop()
		g.last = cost{Statements: int(g.statements.Load()), Rows: g.plan.Rows(), Wire: answer.bytes}
	}
	return &http.Response{StatusCode: answer.status, Header: answer.header, Body: http.NoBody, Request: r}, nil
}

// allocated calls do, and returns what is allocated until all that it has begun is done.
func allocated(do func()) cost {
	// Without a second processor, and without collections, pools keep what was put in.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	synctest.Wait()
	runtime.ReadMemStats(&after)
	return cost{Objects: int(after.Mallocs - before.Mallocs), Bytes: int(after.TotalAlloc - before.TotalAlloc)}
}

// A sink is an http.ResponseWriter that counts the bytes of a body.
type sink struct {
	header http.Header
	status int
	bytes  int
}

func (s *sink) Header() http.Header { return s.header }

func (s *sink) WriteHeader(status int) {
	if s.status == 0 && status >= 200 {
		s.status = status
	}
}

func (s *sink) Write(p []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	s.bytes += len(p)
	return len(p), nil
}

// ReadFrom implements io.ReaderFrom, as the server's connections do.
func (s *sink) ReadFrom(from io.Reader) (int64, error) {
	s.WriteHeader(http.StatusOK)
	n, err := io.Copy(io.Discard, from)
	s.bytes += int(n)
	return n, err
}

// Flush implements http.Flusher.
func (s *sink) Flush() { s.WriteHeader(http.StatusOK) }
