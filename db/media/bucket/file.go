package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// ReadAt fetches between minFetch and maxFetch bytes at once. The amount
	// doubles as long as the reads are sequential.
	minFetch = 64 << 10
	maxFetch = 1 << 20
)

// A file reads an object. Read streams its content; ReadAt fetches pieces of it.
// Nothing is fetched before the first read.
type file struct {
	bucket *Bucket
	ctx    context.Context // passed to Open; reading ends when it is done
	key    string
	size   int64

	at     int64     // offset of the next Read
	wanted int64     // bytes that will be read from there, 0 if unknown; see Expect
	body   *download // nil while nothing is being downloaded

	mu    sync.Mutex
	piece []byte // the last piece that ReadAt has fetched
	from  int64  // offset of the piece in the object
}

// Expect announces how many bytes will be read from the current offset, so that
// no more than that are requested.
func (f *file) Expect(bytes int64) {
	if f.body == nil {
		f.wanted = bytes
	}
}

// Read implements io.Reader.
func (f *file) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if f.at >= f.size {
		return 0, io.EOF
	}
	if f.body == nil {
		end := f.size
		if f.wanted > 0 {
			end = min(end, f.at+f.wanted)
		}
		var err error
		if f.body, err = f.get(f.at, end); err != nil {
			return 0, err
		}
		f.wanted = 0
	}
	n, err := f.body.Read(p)
	f.at += int64(n)
	if err == io.EOF {
		if err = f.stop(); n == 0 && err == nil {
			return f.Read(p) // the reader wants more than it announced
		}
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, fs.ErrInvalid
	}
	if offset != f.at {
		if err := f.stop(); err != nil {
			return 0, err
		}
		f.at, f.wanted = offset, 0
	}
	return f.at, nil
}

// Close implements io.Closer.
func (f *file) Close() error { return f.stop() }

func (f *file) stop() error {
	if f.body == nil {
		return nil
	}
	err := f.body.Close()
	f.body = nil
	return err
}

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, at int64) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at < 0 {
		return 0, fs.ErrInvalid
	}
	for n < len(p) {
		if at+int64(n) >= f.size {
			return n, io.EOF
		}
		if err := f.fetch(at+int64(n), len(p)-n); err != nil {
			return n, err
		}
		n += copy(p[n:], f.piece[at+int64(n)-f.from:])
	}
	return n, nil
}

// fetch makes sure that the piece contains the byte at the offset, for a reader
// that wants so many bytes from there.
func (f *file) fetch(at int64, wanted int) error {
	end := f.from + int64(len(f.piece))
	if at >= f.from && at < end {
		return nil
	}
	length := minFetch
	if at == end && len(f.piece) > 0 {
		length = 2 * len(f.piece)
	}
	length = int(min(int64(min(max(length, wanted), maxFetch)), f.size-at))
	body, err := f.get(at, at+int64(length))
	if err != nil {
		return err
	}
	if cap(f.piece) < length {
		f.piece = make([]byte, length)
	}
	f.piece, f.from = f.piece[:length], at
	_, err = io.ReadFull(body, f.piece)
	if err = errors.Join(err, body.Close()); err != nil {
		f.piece = nil
	}
	return err
}

// get starts to download the bytes from at up to, but not including, end.
func (f *file) get(at, end int64) (*download, error) {
	if err := f.bucket.health.recentError(); err != nil {
		return nil, err
	}
	call, p := withWatchdog(f.ctx)
	answer, err := f.bucket.client.do(call, request{
		method: http.MethodGet, key: f.key, header: http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", at, end-1)}},
	})
	if err := f.bucket.health.record(f.ctx, call, err); err != nil {
		p.stop()
		return nil, err
	}
	body := answer.Body
	if is := answer.Header.Get("Content-Range"); !strings.HasPrefix(is, fmt.Sprintf("bytes %d-", at)) && (is != "" || at > 0) {
		p.stop()
		return nil, unavailable(errors.Join(fmt.Errorf("%s: other bytes came than those from %d on", f.key, at), body.Close()))
	}
	p.pause()
	return &download{f, call, p, body, end - at}, nil
}

// A download reads a range of an object.
type download struct {
	file *file
	call context.Context
	p    *watchdog
	body io.ReadCloser
	left int64 // bytes
}

// Read implements io.Reader. It returns an error if the range ends early.
func (d *download) Read(p []byte) (int, error) {
	if d.left == 0 {
		return 0, io.EOF
	}
	d.p.reset()
	n, err := d.body.Read(p[:min(int64(len(p)), d.left)])
	d.p.pause()
	d.left -= int64(n)
	switch {
	case err == io.EOF && d.left > 0:
		err = io.ErrUnexpectedEOF
	case err == io.EOF:
		err = nil
	}
	if err != nil && d.file.ctx.Err() == nil {
		if context.Cause(d.call) == errSilent {
			err = errSilent
		}
		// The next call will show whether the whole service is unavailable, so
		// this is not recorded.
		err = unavailable(err)
	}
	return n, err
}

// Close implements io.Closer.
func (d *download) Close() error {
	d.p.stop()
	return d.body.Close()
}

var errSilent = errors.New("it has gone silent")

// A watchdog cancels the context of a call that transfers no byte for
// silenceTimeout.
type watchdog struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// withWatchdog returns a context and the running watchdog that cancels it. The
// caller must stop the watchdog, which releases the context too.
func withWatchdog(ctx context.Context) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &watchdog{time.AfterFunc(silenceTimeout, func() { cancel(errSilent) }), cancel}
}

// reset restarts the time.
func (p *watchdog) reset() { p.timer.Reset(silenceTimeout) }

// pause stops the time while the caller, not the service, is busy.
func (p *watchdog) pause() { p.timer.Stop() }

func (p *watchdog) stop() {
	p.timer.Stop()
	p.cancel(nil)
}
