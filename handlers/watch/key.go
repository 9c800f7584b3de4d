package watch

import (
	"context"
	"errors"

	"dailies/db"
	"dailies/web/videoapi"
)

// makersKey returns the API key that the person has now, sealed and in the clear.
func (w *Watcher) makersKey(ctx context.Context, userID int64) (db.Key, string, error) {
	k, err := w.Store.Key(ctx, userID)
	if err != nil {
		return k, "", err
	}
	text, err := w.Vault.Open(userID, k.Sealed)
	return k, text, err
}

// taskKey returns the API key that the task was sent with. Where that is not
// known, or no longer opens, it returns the maker's key; without either it
// returns db.ErrNotFound.
func (w *Watcher) taskKey(ctx context.Context, t db.Task) (string, error) {
	k, err := w.Store.TaskKey(ctx, t.ID)
	if err == nil {
		var text string
		if text, err = w.Vault.Open(t.UserID, k.Sealed); err == nil {
			return text, nil
		}
	}
	if !errors.Is(err, db.ErrNotFound) {
		return "", err
	}
	_, text, err := w.makersKey(ctx, t.UserID)
	return text, err
}

// query asks the service about the task with the key that it was sent with. If
// that key will not do, it asks once more with the one that its maker has now:
// the old one may have been revoked and the new one be of the same account.
// Without any key it returns db.ErrNotFound.
func (w *Watcher) query(ctx context.Context, t db.Task) (videoapi.Answer, error) {
	key, err := w.taskKey(ctx, t)
	if err != nil {
		return videoapi.Answer{}, err
	}
	answer, err := w.queryWith(ctx, t, key)
	if !unfit(err) {
		return answer, err
	}
	now, text, keyErr := w.makersKey(ctx, t.UserID)
	if keyErr != nil || text == key {
		return answer, err
	}
	other, otherErr := w.queryWith(ctx, t, text)
	if otherErr != nil {
		return answer, err
	}
	return other, w.Store.SetTaskKey(ctx, t.ID, now)
}

func (w *Watcher) queryWith(ctx context.Context, t db.Task, key string) (videoapi.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout(t.Attempts))
	defer cancel()
	return w.Service.Query(ctx, key, t.RemoteID)
}

// unfit reports whether the service speaks of the key, or of a task that the
// key has no part in.
func unfit(err error) bool {
	var e *videoapi.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Kind == videoapi.KeyRefused || e.Kind == videoapi.NoPermission || e.Kind == videoapi.UnknownTask
}
