package watch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/media"
)

const (
	maxVideo = 2 << 30  // bytes of one video
	maxCover = 20 << 20 // bytes of one cover

	// A copy may take this long; a stalled one is cut off and tried again.
	copyTimeout = 30 * time.Minute

	// Links of the service live about a day. After three, it is certain that
	// asking the same address again brings nothing.
	keepFor = 72 * time.Hour
)

// keep copies a finished task's files into the data folder. What is kept is
// never fetched again; what is missing is tried until it is here.
func (w *Watcher) keep(ctx context.Context, t db.Task) error {
	var files []db.Media
	var missing error
	position := map[db.MediaKind]int{}
	for _, r := range t.Results {
		m := db.Media{TaskID: t.ID, Kind: r.Kind, Position: position[r.Kind], Source: r.URL}
		position[r.Kind]++
		if kept(t.Media, m) {
			continue
		}
		if err := w.copy(ctx, &m); err != nil {
			if r.Kind == db.Video {
				missing = err
			}
			w.Log.Info("could not copy a file yet", "task", t.ID, "kind", r.Kind, "err", err)
			continue
		}
		files = append(files, m)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.kept(ctx, t.ID, files, missing)
}

// kept writes down what was copied. A cover is a nicety that nothing waits
// for; a missing video is tried again.
func (w *Watcher) kept(ctx context.Context, id int64, files []db.Media, missing error) error {
	return w.settle(ctx, w.Store.UpdateTask, id, func(t *db.Task) error {
		now := db.Now()
		if err := t.Keep(files, missing == nil); err != nil || missing == nil {
			return err
		}
		if now.Sub(t.DoneAt) > keepFor {
			return t.LoseFiles("The service no longer gives the video out.")
		}
		wait := grown(w.Poll, 2, t.Stumbles, 10*time.Minute)
		return t.Stumble(db.BlameService, "The video could not be copied yet. It is tried again.", now.Add(jitter(wait)))
	})
}

func kept(have []db.Media, m db.Media) bool {
	for _, h := range have {
		if h.Kind == m.Kind && h.Position == m.Position {
			return true
		}
	}
	return false
}

// copy fetches the file and fills in what it is, judged by its bytes.
func (w *Watcher) copy(ctx context.Context, m *db.Media) error {
	ctx, cancel := context.WithTimeout(ctx, copyTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.Source, nil)
	if err != nil {
		return errors.New("its address cannot be used")
	}
	resp, err := w.Fetch.Do(req)
	if err != nil {
		return plainFetchError(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	body := bufio.NewReaderSize(resp.Body, 4096)
	head, err := body.Peek(512)
	if err != nil && err != io.EOF {
		return plainFetchError(err)
	}
	want, limit := "video/", int64(maxVideo)
	if m.Kind == db.Cover {
		want, limit = "image/", maxCover
	}
	if m.Type = media.Sniff(head); !strings.HasPrefix(m.Type, want) {
		return fmt.Errorf("what came is no %s", m.Kind)
	}
	return w.store(ctx, m, body, resp.ContentLength, limit)
}

func (w *Watcher) store(ctx context.Context, m *db.Media, body io.Reader, length, limit int64) error {
	hash, size, err := w.Media.Put(ctx, body, limit)
	if err != nil {
		return err
	}
	if length >= 0 && size != length {
		return fmt.Errorf("%d of %d bytes came", size, length)
	}
	m.Hash, m.Size, m.CreatedAt = hash, size, db.Now()
	return nil
}

// plainFetchError drops the address from the error: result links are signed
// and do not belong in the log.
func plainFetchError(err error) error {
	type hasURL interface{ Unwrap() error }
	if u, ok := err.(hasURL); ok && u.Unwrap() != nil {
		return u.Unwrap()
	}
	return err
}
