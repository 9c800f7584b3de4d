package api

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"dailies/db"
)

// Show answers with one video, at once or when its state changes.
type Show struct {
	*Videos
	stopping <-chan struct{}
	waits    *waits
}

// Bounds of waiting.
const (
	mostWait    = 25 * time.Second
	mostWaiting = 5 // requests of a token
	lookEvery   = 250 * time.Millisecond
)

// Video answers with the video. With the parameter wait, a number of seconds, it waits
// that long for another state, unless the video has ended.
func (h *Show) Video(w http.ResponseWriter, r *http.Request, c Caller) error {
	t, err := h.find(r.Context(), r, c)
	if err != nil {
		return err
	}
	if text := r.URL.Query().Get("wait"); text != "" {
		seconds, err := strconv.Atoi(text)
		if err != nil || seconds < 0 || seconds > int(mostWait/time.Second) {
			return wrong("wait", oddWait)
		}
		if hasEnded(t) {
			return sendJSON(w, http.StatusOK, h.video(r, t))
		}
		if !h.waits.enter(c.Token.ID) {
			return &Problem{Status: http.StatusTooManyRequests, Code: TooMany, Detail: tooManyWait, Wait: 1}
		}
		defer h.waits.leave(c.Token.ID)
		if t, err = h.await(r, c, t, time.Duration(seconds)*time.Second); err != nil {
			return err
		}
	}
	return sendJSON(w, http.StatusOK, h.video(r, t))
}

// hasEnded reports whether nothing more becomes of the video by itself: it has failed, or its
// file is here, or cannot come any more.
func hasEnded(t db.Task) bool { return !t.State.Running() && t.Keeping != db.Saving }

// await returns the task when its state differs, when its file is there, or after the
// time.
func (h *Show) await(r *http.Request, c Caller, t db.Task, most time.Duration) (db.Task, error) {
	ctx, stop := context.WithTimeout(r.Context(), most)
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for before := t; t.State == before.State && t.Playable() == before.Playable(); {
		select {
		case <-ctx.Done():
			return t, r.Context().Err()
		case <-h.stopping:
			return t, nil
		case <-tick.C:
		}
		now, err := h.find(r.Context(), r, c)
		if err != nil {
			return now, err
		}
		t = now
	}
	return t, nil
}

// waits counts the requests of each token that wait.
type waits struct {
	mu  sync.Mutex
	now map[int64]int
}

func (w *waits) enter(token int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now[token] >= mostWaiting {
		return false
	}
	w.now[token]++
	return true
}

func (w *waits) leave(token int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now[token]--; w.now[token] == 0 {
		delete(w.now, token)
	}
}
