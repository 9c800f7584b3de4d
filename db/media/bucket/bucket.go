// Package bucket keeps blobs as objects in a bucket of a service that speaks the
// S3 protocol. Every call has a timeout, so none hangs on an unresponsive service.
package bucket

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"dailies/db/media"
)

const (
	// dialTimeout limits how long connecting to the service may take.
	dialTimeout = 3 * time.Second

	// callTimeout limits a call that transfers no content. silenceTimeout limits
	// how long a transfer may go without a single byte in either direction.
	callTimeout    = 10 * time.Second
	silenceTimeout = 30 * time.Second

	// maxAttempts limits how often a call is made if the service does not answer.
	maxAttempts = 2

	// freshAge is the age up to which an object is safe from deletion: the cleanup
	// deletes only objects that are at least a day old.
	freshAge = 12 * time.Hour

	// While another process writes the same object, Place tries so often, with
	// this delay in between.
	placeAttempts   = 5
	placeRetryDelay = 200 * time.Millisecond

	linkLife = time.Minute // validity of a presigned link
)

// A Bucket is a media.Backend that keeps its blobs in a bucket, all of them under
// the prefix of its Address.
type Bucket struct {
	Address
	client *client
	health health
}

// Open returns the bucket at the address. It makes one call to check that the
// bucket can be used. IsSetting tells whether the error is due to a wrong setting.
func Open(ctx context.Context, a Address, accessKey, secretKey string, log *slog.Logger) (*Bucket, error) {
	client, err := newClient(a, accessKey, secretKey)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	b := &Bucket{Address: a, client: client, health: health{log: log.With("bucket", a.String())}}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := b.list(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", a, unavailable(err))
	}
	return b, nil
}

// Place implements media.Backend. The service verifies the content against the
// hash before it stores the object.
func (b *Bucket) Place(ctx context.Context, path, hash string, size int64) (err error) {
	for range placeAttempts {
		if err = b.place(ctx, path, hash, size); !isMissing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(placeRetryDelay):
		}
	}
	return fmt.Errorf("%s is written by others and never there: %s", b.key(media.Path(hash)), err)
}

// place makes one attempt at Place. It returns fs.ErrNotExist if another process
// is still writing the object or has just deleted it.
func (b *Bucket) place(ctx context.Context, path, hash string, size int64) error {
	there, err := b.Stat(ctx, hash)
	switch {
	case err == nil && there.Size == size && time.Since(there.At) < freshAge:
		return nil
	case err != nil && !isMissing(err):
		return err
	}
	// An object that is truncated, or old enough to be deleted, is overwritten.
	if err := b.put(ctx, path, hash, size, isMissing(err)); err != nil {
		return err
	}
	if there, err = b.Stat(ctx, hash); err == nil && there.Size != size {
		err = fmt.Errorf("%s has %d bytes after %d were written", b.key(media.Path(hash)), there.Size, size)
	}
	return err
}

// put writes the object. With isNew, it does not overwrite an object that another
// process has written in the meantime.
func (b *Bucket) put(ctx context.Context, path, hash string, size int64, isNew bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	call, p := withWatchdog(ctx)
	defer p.stop()
	header := http.Header{"Content-Type": {"application/octet-stream"}}
	if isNew {
		header.Set("If-None-Match", "*")
	}
	answer, err := b.client.do(call, request{
		method: http.MethodPut, key: b.key(media.Path(hash)), header: header, hash: hash, size: size,
		body: func() io.Reader { return &upload{io.NewSectionReader(file, 0, size), p} },
	})
	if err == nil {
		err = finish(answer)
	}
	if code := codeOf(err); isNew && (code == "PreconditionFailed" || code == "ConditionalRequestConflict") {
		err = nil
	}
	return b.health.record(ctx, call, err)
}

// An upload reads a file that is being sent to the bucket, and resets the watchdog
// with each read.
type upload struct {
	io.Reader
	p *watchdog
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.p.reset()
	return u.Reader.Read(p)
}

// Open implements media.Backend.
func (b *Bucket) Open(ctx context.Context, hash string) (media.File, int64, error) {
	is, err := b.Stat(ctx, hash)
	if err != nil {
		return nil, 0, err
	}
	return &file{bucket: b, ctx: ctx, key: b.key(is.Path), size: is.Size}, is.Size, nil
}

// Stat implements media.Backend.
func (b *Bucket) Stat(ctx context.Context, hash string) (media.Blob, error) {
	is := media.Blob{Hash: hash, Path: media.Path(hash)}
	err := b.call(ctx, func(ctx context.Context) error {
		answer, err := b.client.do(ctx, request{method: http.MethodHead, key: b.key(is.Path)})
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		is.Size = answer.ContentLength
		is.At, err = parseTime(answer.Header.Get("Last-Modified"))
		return err
	})
	return is, err
}

// parseTime parses the time of a header. Some services send days of one digit.
func parseTime(text string) (time.Time, error) {
	if at, err := time.Parse("Mon, 2 Jan 2006 15:04:05 GMT", text); err == nil {
		return at, nil
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return at, errors.New("the time of the object cannot be read")
	}
	return at, nil
}

// Remove implements media.Backend.
func (b *Bucket) Remove(ctx context.Context, hash string) error {
	return b.call(ctx, func(ctx context.Context) error {
		answer, err := b.client.do(ctx, request{method: http.MethodDelete, key: b.key(media.Path(hash))})
		if err != nil {
			return err
		}
		return finish(answer)
	})
}

// Walk implements media.Backend.
func (b *Bucket) Walk(ctx context.Context, see func(media.Blob) error) error {
	if err := b.health.recentError(); err != nil {
		return err
	}
	call, p := withWatchdog(ctx)
	defer p.stop()
	prefix := b.key("") + "/"
	if b.Prefix == "" {
		prefix = ""
	}
	for is, err := range b.client.list(call, prefix, 0) {
		if err := b.health.record(ctx, call, err); err != nil {
			return err
		}
		if strings.HasSuffix(is.Key, "/") {
			continue // some services list folders as well
		}
		p.pause()
		if err := see(media.Blob{Path: strings.TrimPrefix(is.Key, prefix), Size: is.Size, At: is.LastModified}); err != nil {
			return err
		}
		p.reset()
	}
	return b.health.record(ctx, call, call.Err())
}

// Usable implements media.Backend.
func (b *Bucket) Usable(ctx context.Context) error {
	err := b.health.recentError()
	if err == nil && b.health.failing() {
		err = b.Ready(ctx)
	}
	return err
}

// Ready implements media.Backend.
func (b *Bucket) Ready(ctx context.Context) error {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return b.health.record(ctx, call, b.list(call))
}

// list lists at most one object. The service's answer distinguishes a wrong bucket
// name from wrong credentials.
func (b *Bucket) list(ctx context.Context) error {
	for _, err := range b.client.list(ctx, b.key("00"), 1) {
		return err
	}
	return ctx.Err()
}

// Link implements media.Backend. The caller must have checked that the user may
// see the blob.
func (b *Bucket) Link(ctx context.Context, hash, name, kind string) (string, error) {
	if !b.Redirect {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout) // the client may have to ask for the region
	defer cancel()
	link, err := b.client.link(ctx, b.key(media.Path(hash)), url.Values{
		"response-content-disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
		"response-content-type":        {kind},
		"response-cache-control":       {"private, no-store"},
	})
	if err != nil {
		return "", unavailable(err)
	}
	return link, nil
}

// call makes a call with callTimeout, unless an earlier one has just failed.
func (b *Bucket) call(ctx context.Context, do func(context.Context) error) error {
	if err := b.health.recentError(); err != nil {
		return err
	}
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return b.health.record(ctx, call, do(call))
}

// An object is an entry of a list.
type object struct {
	Key          string
	Size         int64 // in bytes
	LastModified time.Time
}

// list lists the objects whose keys begin with the prefix, page by page. With a page
// size of 0, the service decides how many objects a page has.
func (c *client) list(ctx context.Context, prefix string, pageSize int) iter.Seq2[object, error] {
	return func(yield func(object, error) bool) {
		for token := ""; ; {
			page, err := c.page(ctx, prefix, token, pageSize)
			if err == nil && page.IsTruncated && (page.NextContinuationToken == "" || page.NextContinuationToken == token) {
				err = errors.New("a list of objects is truncated, and the service does not say how it goes on")
			}
			if err != nil {
				yield(object{}, err)
				return
			}
			for _, is := range page.Contents {
				if !yield(is, nil) {
					return
				}
			}
			if !page.IsTruncated {
				return
			}
			token = page.NextContinuationToken
		}
	}
}

// A page is a part of a list.
type page struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	IsTruncated           bool
	NextContinuationToken string
	EncodingType          string
	Contents              []object
}

// page fetches the part of a list that the token names, or the first.
func (c *client) page(ctx context.Context, prefix, token string, size int) (page, error) {
	query := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "prefix": {prefix}}
	if token != "" {
		query.Set("continuation-token", token)
	}
	if size > 0 {
		query.Set("max-keys", strconv.Itoa(size))
	}
	answer, err := c.do(ctx, request{method: http.MethodGet, query: query})
	if err != nil {
		return page{}, err
	}
	p, err := readXML[page](answer, maxListAnswer)
	if err != nil {
		return p, err
	}
	if p.EncodingType != "url" {
		return p, nil
	}
	for i := range p.Contents {
		if p.Contents[i].Key, err = url.QueryUnescape(p.Contents[i].Key); err != nil {
			return p, errors.New("a list of objects has a name that cannot be read")
		}
	}
	return p, nil
}
