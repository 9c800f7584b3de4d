package watch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/media/splice"
	"dailies/web/address"
)

const (
	maxVideo = 2 << 30  // bytes of one video
	maxCover = 20 << 20 // bytes of one cover

	// copyTimeout limits a whole copy, even one that makes steady progress.
	copyTimeout = 30 * time.Minute

	// coverTimeout limits the copy of a cover, because the videos of the same task
	// are recorded only after it.
	coverTimeout = 15 * time.Second

	// headerTimeout is how long a host may take to send its response header,
	// including redirects.
	headerTimeout = 30 * time.Second
)

var (
	errAddress  = errors.New("its address cannot be used")
	errGone     = errors.New("its link has expired")
	errStale    = errors.New("its link may have expired")
	errNoSpace  = errors.New("there is no room for it")
	errTooLarge = errors.New("it is too large")
	errUnknown  = errors.New("it is not known whether there is room for it, or how it is labelled")
)

// A wrongFile is the error of a copy that led to something other than a video.
type wrongFile struct {
	kind string // MIME type, empty if it is not known
}

// Error implements error.
func (e *wrongFile) Error() string {
	return fmt.Sprintf("what came is no video but of the type %q", e.kind)
}

// Is reports whether the link may lead to a video later: file stores answer with pages and
// texts when a link has expired or a file is not there yet.
func (e *wrongFile) Is(target error) bool { return target == errStale && !e.isFinal() }

// isFinal reports whether another attempt would bring the same: somebody has put the file
// there as a result.
func (e *wrongFile) isFinal() bool {
	family, _, _ := strings.Cut(e.kind, "/")
	switch e.kind {
	case "", "text/html", "application/xml", "application/json":
		return false
	}
	return family != "text"
}

// copy downloads the file, and fills in its type, hash, size and time of creation.
func (b *booking) copy(ctx context.Context, m *db.Media) error {
	timeout, life := coverTimeout, ctx
	var from *hostCopy
	if m.Kind == db.Video {
		timeout, from = copyTimeout, b.hosts.begin(m.Host())
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	err := b.fetch(ctx, abort, m, from)
	if err != nil && context.Cause(ctx) == errSlow {
		err = errSlow
	}
	from.end(outcomeOf(life, err), m.Size)
	return err
}

// outcomeOf returns what the error of a copy tells about its host. life is the context
// that ends when the program stops.
func outcomeOf(life context.Context, err error) copyOutcome {
	if err == nil {
		return copyDone
	}
	for _, other := range []error{
		errGone, errStale, errNoSpace, errTooLarge, errUnknown, errAddress, db.ErrUnavailable, media.ErrTooLarge,
	} {
		if errors.Is(err, other) {
			return copyOther
		}
	}
	if wrong := (*wrongFile)(nil); errors.As(err, &wrong) {
		return copyOther
	}
	if life.Err() != nil {
		return copyOther
	}
	return copyFailed
}

// fetch does the work of copy. It calls abort, which ends ctx, when the copy is too
// slow.
func (b *booking) fetch(ctx context.Context, abort context.CancelCauseFunc, m *db.Media, from *hostCopy) error {
	link, ok := address.Repair(m.Source) // links that were stored before they were repaired need it
	if !ok {
		return errAddress
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return errAddress
	}
	late := time.AfterFunc(headerTimeout, func() { abort(errSlow) })
	resp, err := b.Fetch.Do(req)
	late.Stop()
	b.noteFetch(ctx, m.Host(), m.TaskID, resp, err)
	if err != nil {
		return plainFetchError(err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("HTTP %d: %w", resp.StatusCode, errGone)
	case http.StatusBadRequest, http.StatusUnauthorized: // some stores' answer to an expired signature
		return fmt.Errorf("HTTP %d: %w", resp.StatusCode, errStale)
	default:
		return fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	from.announce(resp.ContentLength)
	bytes := &progress{Reader: resp.Body}
	go bytes.watch(ctx, abort)
	body := bufio.NewReaderSize(bytes, 4096)
	head, err := body.Peek(media.SniffLength)
	if err != nil && err != io.EOF {
		return plainFetchError(err)
	}
	want := "video/"
	if m.Kind == db.Cover {
		want = "image/"
	}
	if m.Type = media.Sniff(head); !strings.HasPrefix(m.Type, want) {
		if m.Kind == db.Video && len(head) > 0 {
			return &wrongFile{media.Kind(head)}
		}
		return fmt.Errorf("what came is no %s: %w", m.Kind, errStale)
	}
	checks := []media.Check{media.Length(resp.ContentLength), media.Intact(m.Type)}
	if m.Kind == db.Video {
		checks = append(checks, b.inspect(m), noteMarks(m))
	}
	return b.put(ctx, m, body, resp.ContentLength, checks)
}

// inspect returns a check that a film is whole. It notes what the film contains.
func (b *booking) inspect(m *db.Media) media.Check {
	return func(file io.ReaderAt, size int64) (err error) {
		b.labels.Lock() // reading an index takes memory
		defer b.labels.Unlock()
		m.Film, err = readFilm(file, size)
		if err == nil && m.Film.Cut {
			err = media.ErrCut
		}
		return err
	}
}

// noteMarks returns a check that any file passes. It notes which marks of its origin the
// file carries.
func noteMarks(m *db.Media) media.Check {
	return func(file io.ReaderAt, size int64) error {
		found, err := splice.ReadMarks(file, size)
		m.Marks = db.MarksOf(found.Label, found.Credentials)
		return err
	}
}

// put stores the file if there is space for it. A negative announced size means that
// it is unknown.
func (b *booking) put(ctx context.Context, m *db.Media, body io.Reader, announced int64, checks []media.Check) error {
	limit := int64(maxVideo)
	if m.Kind == db.Cover {
		limit = maxCover
	}
	if announced > limit {
		return errTooLarge
	}
	label, err := b.label(ctx, m)
	if err != nil {
		return err
	}
	reserved, err := b.book(ctx, announced, limit)
	if err != nil {
		return err
	}
	stored, err := b.Media.PutChanged(ctx, body, reserved, label, checks...)
	b.giveBack(reserved - stored.Size) // after an error that is 0
	switch {
	case errors.Is(err, media.ErrTooLarge) && announced >= 0:
		return fmt.Errorf("more than the announced %d bytes came", announced)
	case errors.Is(err, media.ErrTooLarge) && reserved == limit:
		return errTooLarge
	case errors.Is(err, media.ErrTooLarge), errors.Is(err, syscall.ENOSPC):
		return errNoSpace
	case err != nil:
		return err
	}
	m.Hash, m.Size, m.ServedHash, m.CreatedAt = stored.Hash, stored.Size, stored.Served, b.Store.Now()
	return nil
}

// plainFetchError removes the URL from the error: result links are signed and must
// not appear in the log.
func plainFetchError(err error) error {
	type hasURL interface{ Unwrap() error }
	if u, ok := err.(hasURL); ok && u.Unwrap() != nil {
		return u.Unwrap()
	}
	return err
}

const (
	// window is the interval at which a copy's bytes are counted. A stalled copy is
	// aborted after one or two windows.
	window = 30 * time.Second

	// minRate is the least number of bytes per second that a copy must receive over a
	// window. At a lower rate, a video's link would expire before the copy is
	// complete.
	minRate = 8 << 10
)

var errSlow = errors.New("it comes too slowly")

// A progress counts the bytes of a copy, so that watch can abort one that stalls or is
// too slow.
type progress struct {
	io.Reader
	bytes atomic.Int64
	done  atomic.Bool
}

// Read implements io.Reader.
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.bytes.Add(int64(n))
	if err != nil {
		p.done.Store(true) // the rest is time spent on our own disk
	}
	return n, err
}

// watch calls abort when a window brought too few bytes. It returns when ctx ends.
func (p *progress) watch(ctx context.Context, abort context.CancelCauseFunc) {
	tick := time.NewTicker(window)
	defer tick.Stop()
	for last := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := p.bytes.Load()
		if !p.done.Load() && now-last < minRate*int64(window/time.Second) {
			abort(errSlow)
			return
		}
		last = now
	}
}
