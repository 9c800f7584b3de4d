package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/web/videoapi"
)

// send makes the create call for a queued task. The row says that the call has
// begun before it begins: a crash in between costs a question to the person,
// never a second payment.
func (w *Watcher) send(ctx context.Context, t db.Task) error {
	key, err := w.key(ctx, t.UserID)
	if err != nil {
		return w.reject(ctx, t.ID, db.BlameKey, "There is no API key to make it with.", err)
	}
	model, ok := w.Catalog.Model(t.Model)
	if !ok {
		return w.reject(ctx, t.ID, db.BlameRequest, fmt.Sprintf("The model %s is no longer offered here.", t.Model), nil)
	}
	if t, err = w.Store.SettleTask(ctx, t.ID, func(t *db.Task) error { return t.Begin(db.Now()) }); err != nil {
		return err
	}
	answer, callErr := w.Service.Create(ctx, key, request(model, t))
	change := func(t *db.Task) error { return w.created(t, answer, callErr) }
	return w.settle(ctx, w.Store.SettleTask, t.ID, change, rawAnswer(t.ID, "create", answer, callErr)...)
}

// created applies the outcome of the create call.
func (w *Watcher) created(t *db.Task, a videoapi.Answer, err error) error {
	now := db.Now()
	if err == nil {
		w.count("create", "ok")
		return t.Accept(report(a.Record, t.Pictures), now, now.Add(w.pause(*t, now)))
	}
	var e *videoapi.Error
	if !errors.As(err, &e) {
		return t.Lose("The answer was lost.", now)
	}
	w.count("create", e.Kind.String())
	switch {
	case e.Kind == videoapi.Busy, e.Kind == videoapi.Transport && e.Unsent:
		return t.PutBack(sentence(e), now.Add(w.backoff(t.Stumbles, e.RetryAfter)))
	case e.Kind == videoapi.Transport:
		return t.Lose(sentence(e), now)
	}
	return t.Reject(blame(e.Kind), sentence(e), now)
}

// updater is UpdateTask or SettleTask of the store.
type updater func(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) (db.Task, error)

// settle writes an outcome down. The outcome of a create call exists nowhere
// else, so it is tried again for a while when the database does not take it.
func (w *Watcher) settle(ctx context.Context, update updater, id int64, change func(*db.Task) error, answers ...db.Answer) error {
	ctx = context.WithoutCancel(ctx)
	var err error
	for try := range 6 {
		if _, err = update(ctx, id, change, answers...); err == nil || errors.Is(err, db.ErrConflict) || errors.Is(err, db.ErrNotFound) {
			return err
		}
		w.Log.Error("cannot write down what the service answered", "task", id, "try", try+1, "err", err)
		time.Sleep(time.Second << try / 4)
	}
	return err
}

func (w *Watcher) reject(ctx context.Context, id int64, b db.Blame, message string, cause error) error {
	if cause != nil && !errors.Is(cause, db.ErrNotFound) {
		return cause // the key is there but cannot be read now
	}
	_, err := w.Store.UpdateTask(ctx, id, func(t *db.Task) error { return t.Reject(b, message, db.Now()) })
	return err
}

// key opens the person's API key.
func (w *Watcher) key(ctx context.Context, userID int64) (string, error) {
	k, err := w.Store.Key(ctx, userID)
	if err != nil {
		return "", err
	}
	return w.Vault.Open(userID, k.Sealed)
}
