package watch

import (
	"context"
	"errors"

	"dailies/db"
	"dailies/web/videoapi"
)

// makersKey returns the API key that the person has now, sealed and in the clear.
func (c *Config) makersKey(ctx context.Context, userID int64) (db.Key, string, error) {
	k, err := c.Store.Key(ctx, userID)
	if err != nil {
		return k, "", err
	}
	text, err := c.Vault.Open(userID, k.Sealed)
	return k, text, err
}

// taskKey returns the API key that the task was sent with. Where that is not
// known, or no longer opens, it returns the maker's key; without either it
// returns db.ErrNotFound.
func (a *asker) taskKey(ctx context.Context, t db.Task) (string, error) {
	k, err := a.Store.TaskKey(ctx, t.ID)
	if err == nil {
		var text string
		if text, err = a.Vault.Open(t.UserID, k.Sealed); err == nil {
			return text, nil
		}
	}
	if !errors.Is(err, db.ErrNotFound) {
		return "", err
	}
	_, text, err := a.makersKey(ctx, t.UserID)
	return text, err
}

// query asks the service about the task with the key that it was sent with. If
// that key will not do, it asks once more with the one that its maker has now:
// the old one may have been revoked and the new one be of the same account.
// Without any key it returns db.ErrNotFound.
func (a *asker) query(ctx context.Context, t db.Task) (videoapi.Answer, error) {
	key, err := a.taskKey(ctx, t)
	if err != nil {
		return videoapi.Answer{}, err
	}
	answer, err := a.queryWith(ctx, t, key)
	if !unfit(err) {
		return answer, err
	}
	now, text, keyErr := a.makersKey(ctx, t.UserID)
	if keyErr != nil || text == key {
		return answer, err
	}
	other, otherErr := a.queryWith(ctx, t, text)
	if otherErr != nil {
		return answer, err
	}
	return other, a.Store.SetTaskKey(ctx, t.ID, now)
}

func (a *asker) queryWith(ctx context.Context, t db.Task, key string) (videoapi.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout(t.Attempts))
	defer cancel()
	answer, err := a.Service.Query(ctx, key, t.RemoteID)
	a.count("query", err)
	return answer, err
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
