package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"syscall"
)

// RoundTrip answers a request in this process, whatever its host, so that a
// client speaks with the sandbox as it would over the network. The body of the
// answer streams; it ends with an error when the request's context ends.
func (s *Sandbox) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	a := newAnswer(r, cancel)
	in := received(r.WithContext(ctx))
	go func() {
		defer cancel()
		defer in.Body.Close()
		defer a.finish()
		s.ServeHTTP(a, in)
	}()
	select {
	case <-a.begun:
		if a.err != nil {
			return nil, a.err
		}
		return a.response, nil
	case <-r.Context().Done():
		cancel()
		return nil, context.Cause(r.Context())
	}
}

// received returns a client's request as a server gets it.
func received(r *http.Request) *http.Request {
	in := r.Clone(r.Context())
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "127.0.0.1:0"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Method == "" {
		in.Method = http.MethodGet
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

// An answer is an http.ResponseWriter whose other end is an http.Response.
type answer struct {
	header   http.Header
	pipe     *io.PipeWriter
	response *http.Response
	begun    chan struct{} // closed when response or err is there
	once     sync.Once
	stop     func() bool // lets go of the request's context
	err      error
}

func newAnswer(r *http.Request, cancel context.CancelFunc) *answer {
	reader, writer := io.Pipe()
	a := &answer{header: http.Header{}, pipe: writer, begun: make(chan struct{})}
	a.response = &http.Response{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Request: r,
		Body:    &answerBody{r.Context(), reader, cancel},
	}
	a.stop = context.AfterFunc(r.Context(), func() { writer.CloseWithError(context.Cause(r.Context())) })
	return a
}

// Header returns the answer's header, which counts until WriteHeader.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader lets RoundTrip return.
func (a *answer) WriteHeader(status int) {
	a.once.Do(func() {
		r := a.response
		r.StatusCode, r.Status = status, fmt.Sprintf("%d %s", status, http.StatusText(status))
		r.Header = a.header.Clone()
		r.ContentLength = -1
		if n, err := strconv.ParseInt(r.Header.Get("Content-Length"), 10, 64); err == nil {
			r.ContentLength = n
		}
		close(a.begun)
	})
}

// Write waits until the client has read p.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.response.Request.Method == http.MethodHead {
		return len(p), nil
	}
	return a.pipe.Write(p)
}

// finish ends the answer. A handler that panics breaks off the connection, as
// it does in a server.
func (a *answer) finish() {
	defer a.stop()
	if p := recover(); p != nil {
		err := fmt.Errorf("sandbox: %v", p)
		if p == http.ErrAbortHandler {
			err = fmt.Errorf("sandbox: %w", syscall.ECONNRESET)
		}
		a.once.Do(func() { a.err = err; close(a.begun) })
		_ = a.pipe.CloseWithError(errors.Join(io.ErrUnexpectedEOF, err)) // never fails
		return
	}
	a.WriteHeader(http.StatusOK)
	_ = a.pipe.Close() // never fails
}

// An answerBody ends the handler when the client has had enough.
type answerBody struct {
	ctx    context.Context // the request's
	pipe   *io.PipeReader
	cancel context.CancelFunc
}

// Read ends with the request's context, even while there is more to read.
func (b *answerBody) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.pipe.Read(p)
}

// Close may be called before the end.
func (b *answerBody) Close() error {
	b.cancel()
	return b.pipe.Close()
}
