package web_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web"
)

// pipes is a listener for in-memory connections, whose deadlines use the fake clock of
// synctest.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

func TestABodyThatTricklesIsCutOff(t *testing.T) {
	pace := web.Pace{Grace: 20 * time.Second, Rate: 1000, Most: 5 * time.Minute}
	for name, tt := range map[string]struct {
		bytes       int
		every       time.Duration
		least, most time.Duration // until reading fails; 0 if the body is read to the end
	}{
		"a byte a second":           {1, time.Second, 20 * time.Second, 21 * time.Second},
		"nothing after the first":   {1, time.Hour, 20 * time.Second, 21 * time.Second},
		"half the rate":             {500, time.Second, 39 * time.Second, 42 * time.Second},
		"twice the rate, for ever":  {2000, time.Second, 5 * time.Minute, 5*time.Minute + time.Second},
		"fast enough":               {20_000, time.Second, 0, 0},
		"with pauses of 15 seconds": {100_000, 15 * time.Second, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, err := received(t, pace, tt.bytes, tt.every)
				if tt.most == 0 && err != nil {
					t.Errorf("it was cut off after %v: %v", took, err)
				}
				if tt.most > 0 && (!errors.Is(err, os.ErrDeadlineExceeded) || took < tt.least || took > tt.most) {
					t.Errorf("it was read for %v: %v", took, err)
				}
			})
		})
	}
}

// received returns how long a handler reads a body of a megabyte of which so many bytes
// arrive at each interval.
func received(t *testing.T, pace web.Pace, bytes int, every time.Duration) (took time.Duration, err error) {
	const size = 1_000_000
	listener, done := make(pipes), make(chan struct{})
	s := &http.Server{
		ReadTimeout: time.Minute, WriteTimeout: time.Minute, ErrorLog: nil,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(done)
			if err = pace.Hold(w, r); err != nil {
				return
			}
			began := time.Now()
			_, err = io.Copy(io.Discard, r.Body)
			took = time.Since(began)
		}),
	}
	go func() { _ = s.Serve(listener) }()
	mine, its := net.Pipe()
	listener <- its
	var all sync.WaitGroup
	all.Go(func() { _, _ = io.Copy(io.Discard, mine) })
	all.Go(func() {
		_, _ = fmt.Fprintf(mine, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
		for sent := 0; sent < size; sent += bytes {
			if _, err := mine.Write(make([]byte, min(bytes, size-sent))); err != nil {
				return
			}
			select {
			case <-time.After(every):
			case <-done:
			}
		}
	})
	<-done
	_ = mine.Close()
	_ = s.Close()
	all.Wait()
	return took, err
}
