package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/web/videoapi"
)

// payersKey returns the API key with which the task will be sent, sealed and in clear
// text. It returns db.ErrNotFound if there is no key that can be decrypted.
func (c *Config) payersKey(ctx context.Context, t db.Task) (secrets.Key, string, error) {
	k, err := c.Store.Keys.KeyInUse(ctx, t.PayerID)
	if err != nil {
		return k, "", err
	}
	text, err := c.Vault.OpenKey(k)
	return k, text, err
}

// query queries the service for the task with the key that it was sent with. If the
// service does not accept that key, it tries the other keys that may belong to the
// same account, since the original one may have been revoked. It returns
// db.ErrNotFound if there is no usable key.
func (a *asker) query(ctx context.Context, t db.Task) (first videoapi.Answer, firstErr error) {
	keys, err := a.Store.Calls.TaskKeys(ctx, t)
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
		case len(asked) == 1 && !keyUnusable(err):
			return answer, err
		case len(asked) == 1:
			first, firstErr = answer, err
		case err == nil:
			return answer, a.Store.Calls.SetTaskKey(ctx, t.ID, k)
		}
	}
	return first, firstErr
}

func (a *asker) queryWith(ctx context.Context, t db.Task, key string) (videoapi.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout(t.Attempts))
	defer cancel()
	service, err := a.Services.Client(ctx, t.ServiceID)
	if err != nil {
		return videoapi.Answer{}, err
	}
	answer, err := service.Query(ctx, key, t.RemoteID)
	a.count("query", err)
	a.noteCall(service.Host(), t.ID, false, err)
	return answer, err
}

// keyUnusable reports whether the error concerns the key: it was refused, or it has
// no access to the task.
func keyUnusable(err error) bool {
	var e *videoapi.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Kind == videoapi.KeyRefused || e.Kind == videoapi.NoPermission || e.Kind == videoapi.UnknownTask
}
