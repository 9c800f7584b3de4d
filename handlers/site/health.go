package site

import (
	"context"
	"net/http"

	"dailies/db"
)

// Live answers "ok" as long as the process runs. It checks nothing else, because
// restarting a program over a full disk could lose answers of the service that it holds
// in memory.
func (h *Health) Live(w http.ResponseWriter, _ *http.Request) error {
	return writePlain(w, http.StatusOK, "ok\n")
}

// Ready answers whether the program can write to its database and its folders, and
// can reach the storage for files.
func (h *Health) Ready(w http.ResponseWriter, r *http.Request) error {
	if err := h.writes.Check(r.Context(), h.writable); err != nil {
		w.Header().Set("Retry-After", "5")
		return writePlain(
			w, http.StatusServiceUnavailable,
			"not ready: Dailies cannot write to its database or its data folder, or does not reach its bucket\n",
		)
	}
	return writePlain(w, http.StatusOK, "ready\n")
}

// writable checks the database and calls h.Writable, and logs a failure.
func (h *Health) writable(ctx context.Context) error {
	err := h.probe(ctx, db.Now())
	if err == nil && h.Writable != nil {
		err = h.Writable(ctx)
	}
	if err != nil {
		h.log.Warn("not ready", "err", err)
	}
	return err
}

// writePlain answers with a status and a line of plain text.
func writePlain(w http.ResponseWriter, status int, word string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err := w.Write([]byte(word))
	_ = err // the client has gone away
	return nil
}
