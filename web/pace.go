package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// A Pace is how fast the body of a request has to come. It lets a slow line
// through and cuts off whoever sends a byte now and then.
type Pace struct {
	Grace time.Duration // time that is not counted, for pauses of the line
	Rate  int64         // bytes a second, on average, beyond Grace
	Most  time.Duration // for the whole body
}

// Hold puts the pace in place of the server's own bounds on the time that the
// request may take. The clock starts when the body is read for the first time.
// A body that comes too slowly ends with os.ErrDeadlineExceeded.
func (p Pace) Hold(w http.ResponseWriter, r *http.Request) error {
	// For a handler that waits for its turn, or never reads the body.
	c, until := http.NewResponseController(w), time.Now().Add(2*p.Most)
	if err := errors.Join(c.SetReadDeadline(until), c.SetWriteDeadline(until)); err != nil {
		return err
	}
	r.Body = &paced{ReadCloser: r.Body, pace: p, conn: c}
	return nil
}

// answerTime is how long the answer may take once the body is there.
const answerTime = time.Minute

// paced moves the deadlines of the connection on with every byte that comes.
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
