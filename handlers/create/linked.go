package create

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/singleflight"

	"dailies/db/media"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
	"dailies/web/picture"
	"dailies/web/throttle"
	"dailies/web/turn"
)

// Linked serves thumbnails of pictures on other sites. The server fetches each of them
// once and keeps a copy, so that these sites do not learn who looks at a page and when.
type Linked struct {
	copies  *media.Copies
	fetcher *linkedFetcher
	flight  singleflight.Group // of fetches, by address
	log     *slog.Logger
}

// linkedFetcher fetches pictures from other sites and makes them small.
type linkedFetcher struct {
	checker *picture.Checker
	media   *media.Store
	places  *turn.Semaphore    // of one place: a picture that is drawn is in memory
	tries   *throttle.Throttle // limits how often a picture that cannot be shown is fetched
}

// linkedTimeout limits the time in which a thumbnail is made, including that in queues.
const linkedTimeout = time.Minute

// errNoThumb means that there is no picture at the address, or none that can be drawn.
var errNoThumb = &web.Error{Status: http.StatusNotFound, Message: createview.NoPicture}

// Show serves the thumbnail of the picture at the address.
func (l *Linked) Show(w http.ResponseWriter, r *http.Request) error {
	address := r.FormValue("address")
	if address == "" || AddressSentence(address) != "" {
		return web.NotFound()
	}
	small, err := l.thumb(r.Context(), site.Me(r).ID, address)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(small)))
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Content-Type", "image/jpeg")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(small))
	return nil
}

// thumb returns the copy of the picture, or makes one. People who look at the same
// picture share one request.
func (l *Linked) thumb(ctx context.Context, userID int64, address string) ([]byte, error) {
	if small := l.copies.Get(address); small != nil {
		return small, nil
	}
	shared := context.WithoutCancel(ctx) // the first may leave while others wait
	made := l.flight.DoChan(address, func() (any, error) {
		ctx, cancel := context.WithTimeout(shared, linkedTimeout)
		defer cancel()
		return l.make(ctx, userID, address)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-made:
		small, _ := r.Val.([]byte)
		return small, r.Err
	}
}

// make fetches the picture and keeps a thumbnail.
func (l *Linked) make(ctx context.Context, userID int64, address string) ([]byte, error) {
	if small := l.copies.Get(address); small != nil {
		return small, nil // another request has just made it
	}
	small, err := l.fetcher.thumb(ctx, userID, address)
	if err != nil {
		return nil, err
	}
	if err := l.copies.Put(address, small); err != nil {
		l.log.Warn("cannot keep the copy of a linked picture", "err", err)
	}
	return small, nil
}

// thumb returns the thumbnail of the picture. After a failure, it fetches the picture
// again only a minute later.
func (l *linkedFetcher) thumb(ctx context.Context, userID int64, address string) ([]byte, error) {
	try, wait := l.tries.Take(throttle.Rate{Name: address, Burst: 1, Every: time.Minute})
	if wait > 0 {
		return nil, errNoThumb
	}
	var whole *media.Scratch
	found, err := l.checker.Fetch(ctx, strconv.FormatInt(userID, 10), address, func(r io.Reader) (err error) {
		whole, err = l.media.Scratch(ctx, r, picture.MaxBytes+1)
		return err
	})
	if whole != nil {
		defer whole.Close()
	}
	switch {
	case found.Fault == picture.Skipped || found.Fault == picture.Waited:
		try.GiveBack()
		return nil, errNoThumb
	case err != nil || found.Fault != picture.Fine:
		return nil, errNoThumb
	}
	small, err := l.draw(ctx, userID, whole)
	if err == nil {
		try.GiveBack()
	}
	return small, err
}

// draw returns the thumbnail of the picture.
func (l *linkedFetcher) draw(ctx context.Context, userID int64, whole io.Reader) ([]byte, error) {
	leave, err := l.places.Take(ctx, site.PersonKey(userID, 1))
	if err != nil {
		return nil, err
	}
	defer leave()
	b, err := io.ReadAll(whole)
	if err != nil {
		return nil, err
	}
	small, err := picture.Thumb(b)
	if errors.Is(err, picture.ErrNoThumb) {
		return nil, errNoThumb
	}
	return small, err
}
