package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// The slowest that a file is sent: whoever takes less than lastingBytes within
// lastingTime is cut off. A browser that paused asks for the rest by itself.
// The bytes grow, up to mostBytes, while each piece takes less than a second:
// moving the deadline costs something too.
const (
	lastingBytes = 256 << 10
	mostBytes    = 1 << 20
	lastingTime  = time.Minute
)

// Lasting returns a writer for an answer that may take long, such as a video over
// a slow line. In place of the bound on the whole answer, its write deadline
// moves on with what is taken, so that whoever reads nothing does not hold the
// connection, and the open file, for ever.
func Lasting(w http.ResponseWriter) http.ResponseWriter {
	return &lasting{ResponseWriter: w, control: http.NewResponseController(w)}
}

type lasting struct {
	http.ResponseWriter
	control *http.ResponseController
	piece   int64 // bytes that the deadline was set for
	left    int64 // of piece
	since   time.Time
}

// Write implements io.Writer.
func (l *lasting) Write(b []byte) (int, error) {
	if err := l.moveOn(); err != nil {
		return 0, err
	}
	n, err := l.ResponseWriter.Write(b)
	l.left -= int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom. It hands src on in pieces of the kind that
// the connection sends without reading them: a limited file.
func (l *lasting) ReadFrom(src io.Reader) (total int64, err error) {
	whole, limited := src.(*io.LimitedReader)
	if !limited {
		whole = &io.LimitedReader{R: src, N: 1<<63 - 1}
	} else if remote, ok := whole.R.(interface{ Expect(bytes int64) }); ok {
		remote.Expect(whole.N) // it need not fetch more than that
	}
	for whole.N > 0 {
		if err := l.moveOn(); err != nil {
			return total, err
		}
		want := min(l.left, whole.N)
		n, err := io.Copy(l.ResponseWriter, &io.LimitedReader{R: whole.R, N: want})
		total, l.left, whole.N = total+n, l.left-n, whole.N-n
		if err != nil || n < want {
			return total, err
		}
	}
	return total, nil
}

// moveOn sets a new deadline once enough was taken since the last. A writer
// that has none, as in a test, goes without.
func (l *lasting) moveOn() error {
	if l.left > 0 {
		return nil
	}
	now := time.Now()
	if l.piece = min(2*l.piece, mostBytes); l.piece == 0 || now.Sub(l.since) >= time.Second {
		l.piece = lastingBytes
	}
	l.left, l.since = l.piece, now
	if err := l.control.SetWriteDeadline(now.Add(lastingTime)); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// Unwrap lets http.ResponseController reach the real writer.
func (l *lasting) Unwrap() http.ResponseWriter { return l.ResponseWriter }
