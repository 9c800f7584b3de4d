package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dailies/db"
	"dailies/web/videoapi"
)

// payersKey returns the API key that the task is sent with now, sealed and in the
// clear. It is db.ErrNotFound where there is none that opens.
func (c *Config) payersKey(ctx context.Context, t db.Task) (db.Key, string, error) {
	k, err := c.Store.KeyInUse(ctx, t.PayerID)
	if err != nil {
		return k, "", err
	}
	text, err := c.Vault.OpenKey(k)
	return k, text, err
}

// query asks the service about the task with the key that it was sent with. If
// that key will not do, it asks with the others that may be of the same account: the
// old one may have been revoked. Without any key it returns db.ErrNotFound.
func (a *asker) query(ctx context.Context, t db.Task) (first videoapi.Answer, firstErr error) {
	keys, err := a.Store.TaskKeys(ctx, t)
	if err != nil {
		return videoapi.Answer{}, err
	}
	firstErr = fmt.Errorf("key of task %d: %w", t.ID, db.ErrNotFound)
	var asked []string
	for _, k := range keys {
		text, err := a.Vault.OpenKey(k)
		if errors.Is(err, db.ErrNotFound) || slices.Contains(asked, text) {
			continue
		} else if err != nil {
			return videoapi.Answer{}, err
		}
		answer, err := a.queryWith(ctx, t, text)
		switch asked = append(asked, text); {
		case len(asked) == 1 && !unfit(err):
			return answer, err
		case len(asked) == 1:
			first, firstErr = answer, err
		case err == nil:
			return answer, a.Store.SetTaskKey(ctx, t.ID, k)
		}
	}
	return first, firstErr
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
