// Package bucket keeps blobs as objects in a bucket of a service that speaks the
// S3 protocol. No call waits for ever for a service that has gone silent.
package bucket

import (
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"dailies/db/media"
)

const (
	// dialTimeout bounds the time until the service is connected.
	dialTimeout = 3 * time.Second

	// callTimeout bounds a call without content; silence, the time in which no
	// byte of a content goes either way.
	callTimeout = 10 * time.Second
	silence     = 30 * time.Second

	// tries is how often a call is made that the service did not answer.
	tries = 2

	// fresh is how long ago an object may have been written for nobody to delete
	// it soon: deleting waits for a day.
	fresh = 12 * time.Hour

	// An object that another process writes at the same time is looked for so
	// often, with a wait in between.
	races    = 5
	raceWait = 200 * time.Millisecond

	linkLife = time.Minute
)

// A Bucket is the media.Backend that is a bucket, or what in it begins with a
// prefix.
type Bucket struct {
	Address
	client minio.Core
	health health
}

// Open returns the bucket at the address. It makes one call, to see whether the
// bucket can be used; IsSetting tells what its error means.
func Open(ctx context.Context, a Address, accessKey, secretKey string, log *slog.Logger) (*Bucket, error) {
	client, err := minio.NewCore(a.Host, &minio.Options{
		Creds:      credentials.NewStaticV4(accessKey, secretKey, ""),
		Secure:     a.Secure,
		Region:     a.Region,
		MaxRetries: tries,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: silence}).DialContext,
			TLSHandshakeTimeout:   callTimeout,
			ResponseHeaderTimeout: silence,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       90 * time.Second,
			DisableCompression:    true, // a size has to be that of the object
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	b := &Bucket{Address: a, client: *client, health: health{log: log.With("bucket", a.String())}}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := b.list(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", a, unavailable(err))
	}
	return b, nil
}

// Place implements media.Backend. The service compares the content with its hash
// before it keeps it.
func (b *Bucket) Place(ctx context.Context, path, hash string, size int64) (err error) {
	for range races {
		if err = b.place(ctx, path, hash, size); !isMissing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(raceWait):
		}
	}
	return fmt.Errorf("%s is written by others and never there: %s", b.key(media.Path(hash)), err)
}

// place is Place. It returns fs.ErrNotExist where another process writes the
// object, or has just deleted it.
func (b *Bucket) place(ctx context.Context, path, hash string, size int64) error {
	there, err := b.Stat(ctx, hash)
	switch {
	case err == nil && there.Size == size && time.Since(there.At) < fresh:
		return nil
	case err != nil && !isMissing(err):
		return err
	}
	// One that was cut, or may soon be deleted, is written over.
	if err := b.put(ctx, path, hash, size, isMissing(err)); err != nil {
		return err
	}
	if there, err = b.Stat(ctx, hash); err == nil && there.Size != size {
		err = fmt.Errorf("%s has %d bytes after %d were written", b.key(media.Path(hash)), there.Size, size)
	}
	return err
}

// put writes the object. With isNew it leaves one alone that another process has
// just written.
func (b *Bucket) put(ctx context.Context, path, hash string, size int64, isNew bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	call, p := patient(ctx)
	defer p.end()
	options := minio.PutObjectOptions{DisableContentSha256: true} // it is known
	if isNew {
		options.SetMatchETagExcept("*")
	}
	_, err = b.client.PutObject(call, b.Bucket, b.key(media.Path(hash)), &upload{file, p}, size, "", hash, options)
	if code := minio.ToErrorResponse(err).Code; isNew && (code == minio.PreconditionFailed || code == "ConditionalRequestConflict") {
		err = nil
	}
	return b.health.note(ctx, call, err)
}

// An upload reads a file on its way to the bucket. A second try begins anew.
type upload struct {
	file *os.File
	p    *patience
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.p.wait()
	return u.file.Read(p)
}

// Seek implements io.Seeker.
func (u *upload) Seek(offset int64, whence int) (int64, error) { return u.file.Seek(offset, whence) }

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
	var is minio.ObjectInfo
	err := b.call(ctx, func(ctx context.Context) (err error) {
		is, err = b.client.StatObject(ctx, b.Bucket, b.key(media.Path(hash)), minio.StatObjectOptions{})
		return err
	})
	return media.Blob{Hash: hash, Path: media.Path(hash), Size: is.Size, At: is.LastModified}, err
}

// Remove implements media.Backend.
func (b *Bucket) Remove(ctx context.Context, hash string) error {
	return b.call(ctx, func(ctx context.Context) error {
		return b.client.RemoveObject(ctx, b.Bucket, b.key(media.Path(hash)), minio.RemoveObjectOptions{})
	})
}

// Walk implements media.Backend.
func (b *Bucket) Walk(ctx context.Context, see func(media.Blob) error) error {
	if err := b.health.known(); err != nil {
		return err
	}
	call, p := patient(ctx)
	defer p.end()
	prefix := b.key("") + "/"
	if b.Prefix == "" {
		prefix = ""
	}
	for is := range b.client.ListObjectsIter(call, b.Bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if err := b.health.note(ctx, call, is.Err); err != nil {
			return err
		}
		if strings.HasSuffix(is.Key, "/") {
			continue // some services list folders, which others do not have
		}
		p.rest()
		if err := see(media.Blob{Path: strings.TrimPrefix(is.Key, prefix), Size: is.Size, At: is.LastModified}); err != nil {
			return err
		}
		p.wait()
	}
	return b.health.note(ctx, call, call.Err())
}

// Usable implements media.Backend.
func (b *Bucket) Usable(ctx context.Context) error {
	err := b.health.known()
	if err == nil && b.health.failing() {
		err = b.Ready(ctx)
	}
	return err
}

// Ready implements media.Backend.
func (b *Bucket) Ready(ctx context.Context) error {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return b.health.note(ctx, call, b.list(call))
}

// list makes a call whose answer tells a wrong name from wrong credentials.
func (b *Bucket) list(ctx context.Context) error {
	for is := range b.client.ListObjectsIter(ctx, b.Bucket, minio.ListObjectsOptions{Prefix: b.key("00"), MaxKeys: 1}) {
		return is.Err
	}
	return ctx.Err()
}

// Link implements media.Backend. Whoever asks for it has shown that they may see
// the blob.
func (b *Bucket) Link(ctx context.Context, hash, name, kind string) (string, error) {
	if !b.Redirect {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout) // the region may have to be asked for
	defer cancel()
	u, err := b.client.PresignedGetObject(ctx, b.Bucket, b.key(media.Path(hash)), linkLife, url.Values{
		"response-content-disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
		"response-content-type":        {kind},
		"response-cache-control":       {"private, no-store"},
	})
	if err != nil {
		return "", unavailable(err)
	}
	return u.String(), nil
}

// call makes a call that takes no longer than callTimeout.
func (b *Bucket) call(ctx context.Context, do func(context.Context) error) error {
	if err := b.health.known(); err != nil {
		return err
	}
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return b.health.note(ctx, call, do(call))
}
