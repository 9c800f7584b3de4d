package watch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
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

	// acceptAttempts is the number of failed attempts after which a video with the
	// announced length is kept although its structure looks damaged: a strange file
	// is better than none.
	acceptAttempts = 5
)

var (
	errAddress  = errors.New("its address cannot be used")
	errGone     = errors.New("its link has expired")
	errStale    = errors.New("its link may have expired")
	errNoRoom   = errors.New("there is no room for it")
	errTooLarge = errors.New("it is too large")
	errUnknown  = errors.New("it is not known whether there is room for it, or how it is labelled")
)

// copy downloads the file, and fills in its type, hash, size and time of creation.
func (b *booking) copy(ctx context.Context, m *db.Media, attempts int) error {
	timeout, life := coverTimeout, ctx
	var from *hostCopy
	if m.Kind == db.Video {
		timeout, from = copyTimeout, b.hosts.begin(m.Host())
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	err := b.fetch(ctx, abort, m, attempts, from)
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
	for _, other := range []error{errGone, errStale, errNoRoom, errTooLarge, errUnknown, errAddress, db.ErrUnavailable, media.ErrTooLarge} {
		if errors.Is(err, other) {
			return copyOther
		}
	}
	if life.Err() != nil {
		return copyOther
	}
	return copyFailed
}

// fetch does the work of copy. It calls abort, which ends ctx, when the copy is too
// slow.
func (b *booking) fetch(ctx context.Context, abort context.CancelCauseFunc, m *db.Media, attempts int, from *hostCopy) error {
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
	bytes := &pulse{Reader: resp.Body}
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
		return fmt.Errorf("what came is no %s: %w", m.Kind, errStale)
	}
	checks := []media.Check{media.Length(resp.ContentLength)}
	if attempts < acceptAttempts || resp.ContentLength < 0 {
		checks = append(checks, media.Intact(m.Type))
	}
	if m.Kind == db.Video {
		checks = append(checks, noteMarks(m))
	}
	return b.put(ctx, m, body, resp.ContentLength, checks)
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

// put stores the file if there is room for it. A negative announced size means that
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
	room, err := b.book(ctx, announced, limit)
	if err != nil {
		return err
	}
	stored, err := b.Media.PutChanged(ctx, body, room, label, checks...)
	b.giveBack(room - stored.Size) // after an error that is 0
	switch {
	case errors.Is(err, media.ErrTooLarge) && announced >= 0:
		return fmt.Errorf("more than the announced %d bytes came", announced)
	case errors.Is(err, media.ErrTooLarge) && room == limit:
		return errTooLarge
	case errors.Is(err, media.ErrTooLarge), errors.Is(err, syscall.ENOSPC):
		return errNoRoom
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
