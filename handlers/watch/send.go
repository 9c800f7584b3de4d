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
// never a second payment. The call itself lives as long as life does.
func (w *Watcher) send(ctx, life context.Context, t db.Task) error {
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
	// The call outlives its lease: once begun, only its end says what became of it.
	answered := make(chan outcome, 1)
	go func() {
		answer, err := w.Service.Create(life, key, request(model, t))
		answered <- outcome{answer, err}
	}()
	patience := time.NewTimer(createPatience)
	defer patience.Stop()
	select {
	case o := <-answered:
		return w.settleCreate(ctx, t.ID, o)
	case <-patience.C:
	}
	lose := func(t *db.Task) error { return t.Lose("The video service has not answered for two minutes.", db.Now()) }
	if err := w.settle(ctx, w.Store.SettleTask, t.ID, lose); err != nil {
		return err
	}
	return w.settleCreate(ctx, t.ID, <-answered)
}

// createPatience is how long a create call may take before the person is told
// that it is not known what became of it. Its answer is still waited for.
const createPatience = 2 * time.Minute

// outcome is what a create call came to.
type outcome struct {
	answer videoapi.Answer
	err    error
}

func (w *Watcher) settleCreate(ctx context.Context, id int64, o outcome) error {
	change := func(t *db.Task) error { return w.created(t, o.answer, o.err) }
	return w.settle(ctx, w.Store.SettleTask, id, change, rawAnswer(id, "create", o.answer, o.err)...)
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
		e = &videoapi.Error{Kind: videoapi.Transport}
	}
	w.count("create", e.Kind.String())
	switch {
	case t.State == db.Unconfirmed && (e.Kind == videoapi.Busy || e.Kind == videoapi.Transport):
		return nil // the late answer says no more than is known

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
