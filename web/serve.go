package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// Run takes at most requestTimeout plus workerTimeout to stop, so that the program can
// close its store well within the ten seconds after which process managers kill it.
const (
	requestTimeout = 3 * time.Second         // for open requests
	workerTimeout  = 4500 * time.Millisecond // for the workers, after the requests
)

// A Server is a listener with the handler of its requests.
type Server struct {
	Listener net.Listener
	Handler  http.Handler
}

// Run runs the servers and the workers until the context asked is done or one of them
// fails. It stops the servers first, so that no new requests arrive, and then the
// workers, so that they can finish what those requests began. It does not wait for a
// worker that fails to end in time.
func Run(asked context.Context, log *slog.Logger, servers []Server, workers ...func(context.Context) error) error {
	all, ctx := errgroup.WithContext(asked)
	late := make(chan struct{})
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	for _, w := range workers {
		all.Go(func() error { return w(work) })
	}
	var running []*http.Server
	for _, s := range servers {
		server := &http.Server{
			Handler: s.Handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
			WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 256 << 10,
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		}
		running = append(running, server)
		all.Go(func() error {
			if err := server.Serve(s.Listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
	}
	all.Go(func() error {
		<-ctx.Done()
		log.Info("stopping")
		time.AfterFunc(requestTimeout+workerTimeout, func() { close(late) })
		defer stopWork()
		return stop(context.WithoutCancel(ctx), running)
	})
	ended := make(chan error, 1)
	go func() { ended <- all.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-late:
		log.Warn("stopped before all work had ended")
	}
	if asked.Err() != nil {
		return nil
	}
	return context.Cause(ctx) // the error of the server or worker that failed
}

// stop shuts the servers down and waits for open requests until requestTimeout. After
// that it closes the connections, such as that of a browser that plays a video; the
// browser requests the rest when the program is running again.
func stop(ctx context.Context, servers []*http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var errs []error
	for _, s := range servers {
		err := s.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.Close()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

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
