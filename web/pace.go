package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// A Pace is the minimum speed of a request body. It tolerates a slow connection but
// ends requests of a client that only sends a byte now and then.
type Pace struct {
	Grace time.Duration // extra time, for pauses of the connection
	Rate  int64         // minimum average of bytes per second, without Grace
	Most  time.Duration // maximum time for the whole body
}

// Hold replaces the server's timeouts for the request with the pace. The time starts
// with the first read from the body. If the body arrives too slowly, reading it fails
// with os.ErrDeadlineExceeded.
func (p Pace) Hold(w http.ResponseWriter, r *http.Request) error {
	// This applies if the handler waits before it reads the body, or never reads it.
	c, until := http.NewResponseController(w), time.Now().Add(2*p.Most)
	if err := errors.Join(c.SetReadDeadline(until), c.SetWriteDeadline(until)); err != nil {
		return err
	}
	r.Body = &paced{ReadCloser: r.Body, pace: p, conn: c}
	return nil
}

// answerTime limits the time for the response after the body has arrived.
const answerTime = time.Minute

// paced is a body that extends the connection's read deadline as bytes arrive.
type paced struct {
	io.ReadCloser
	pace  Pace
	conn  *http.ResponseController
	began time.Time
	n     int64
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if p.began.IsZero() {
		p.began = time.Now()
		if err := p.conn.SetWriteDeadline(p.began.Add(p.pace.Most + answerTime)); err != nil {
			return 0, err
		}
	}
	earned := time.Duration(float64(p.n) / float64(p.pace.Rate) * float64(time.Second))
	if err := p.conn.SetReadDeadline(p.began.Add(min(p.pace.Grace+earned, p.pace.Most))); err != nil {
		return 0, err
	}
	n, err := p.ReadCloser.Read(b)
	p.n += int64(n)
	return n, err
}
