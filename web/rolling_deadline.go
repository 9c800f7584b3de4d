package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// A client that receives less than pieceBytes within pieceTime is disconnected. A
// browser that has paused a video requests the rest by itself. The number of bytes per
// deadline doubles, up to mostBytes, as long as each piece takes less than a second,
// because setting a deadline has a cost too.
const (
	pieceBytes = 256 << 10
	mostBytes  = 1 << 20
	pieceTime  = time.Minute
)

// WithRollingDeadline returns a writer for a response that may take long, such as a video over a
// slow connection. Instead of one timeout for the whole response, its write deadline
// is extended as the client receives data, so that a client that reads nothing does not
// keep the connection and the file open for ever.
func WithRollingDeadline(w http.ResponseWriter) http.ResponseWriter {
	return &rollingDeadline{ResponseWriter: w, control: http.NewResponseController(w)}
}

type rollingDeadline struct {
	http.ResponseWriter
	control *http.ResponseController
	piece   int64     // bytes that the current deadline is for
	left    int64     // bytes of the piece that are still to be sent
	since   time.Time // when the current deadline was set
}

// Write implements io.Writer.
func (l *rollingDeadline) Write(b []byte) (int, error) {
	if err := l.extendDeadline(); err != nil {
		return 0, err
	}
	n, err := l.ResponseWriter.Write(b)
	l.left -= int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom. It passes src on in pieces, each of them an
// io.LimitedReader over the source, so that the connection can send a file without
// copying it through the program.
func (l *rollingDeadline) ReadFrom(src io.Reader) (total int64, err error) {
	whole, limited := src.(*io.LimitedReader)
	if !limited {
		whole = &io.LimitedReader{R: src, N: 1<<63 - 1}
	} else if remote, ok := whole.R.(interface{ Expect(bytes int64) }); ok {
		remote.Expect(whole.N) // so that a remote file fetches no more than that
	}
	for whole.N > 0 {
		if err := l.extendDeadline(); err != nil {
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

// extendDeadline sets a new deadline once the current piece has been sent. It does
// nothing for a writer that does not support deadlines, such as one in a test.
func (l *rollingDeadline) extendDeadline() error {
	if l.left > 0 {
		return nil
	}
	now := time.Now()
	if l.piece = min(2*l.piece, mostBytes); l.piece == 0 || now.Sub(l.since) >= time.Second {
		l.piece = pieceBytes
	}
	l.left, l.since = l.piece, now
	if err := l.control.SetWriteDeadline(now.Add(pieceTime)); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// Unwrap returns the real writer for http.ResponseController.
func (l *rollingDeadline) Unwrap() http.ResponseWriter { return l.ResponseWriter }
