package video

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web/videoapi"
)

const (
	// followWait is how long a request waits for the service.
	followWait = 20 * time.Second

	// followLease is how long one request alone may ask the service about an ID: while
	// it waits for the service, and while it stores the result.
	followLease = followWait + 10*time.Second
)

// SaveServiceID gives an unconfirmed video the ID that its maker sees at the service, if the
// service knows a video with this ID. From then on the video is followed like any
// other.
func (h *Video) SaveServiceID(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.OwnTask(r)
	if err != nil {
		return err
	}
	if t.State != db.Unconfirmed {
		return fmt.Errorf("task %d is %s: %w", t.ID, t.State, db.ErrConflict)
	}
	id := strings.TrimSpace(r.PostFormValue("service_id"))
	why, err := h.follow(r.Context(), t, id)
	if err != nil {
		return err
	}
	if why != "" {
		page, err := h.find(r)
		if err != nil {
			return err
		}
		page.Card.FollowID, page.Card.FollowError = id, why
		return h.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	h.wake()
	return h.pages.SeeOther(w, r, site.TaskPath(t.ID), libraryview.Followed)
}

// follow checks the ID with the service and stores it. It returns a sentence for the
// user if the ID cannot be used.
func (h *Video) follow(ctx context.Context, t db.Task, id string) (sentence string, err error) {
	if sentence := site.Broken(id, libraryview.ServiceIDRules()); sentence != "" {
		return sentence, nil
	}
	if _, wait, err := h.attempts.Take(ctx, site.ServiceCalls(t.UserID)); err != nil {
		return "", err
	} else if wait > 0 {
		return libraryview.IDsTooMany, nil
	}
	// Two queries for a failed video at the same time, be it from another process,
	// could refund it twice.
	name, owner, now := fmt.Sprintf("asking about %s", id), h.leases.NewOwner(), h.now()
	mine, err := h.leases.TakeJob(ctx, name, owner, now, now.Add(followLease))
	if err != nil {
		return "", err
	}
	if !mine {
		return libraryview.IDBeingChecked, nil
	}
	defer func() { _ = h.leases.EndJob(context.WithoutCancel(ctx), name, owner) }() // on failure, the lease expires by itself
	known, err := h.calls.RemoteKnown(ctx, id)
	if err != nil {
		return "", err
	}
	if known {
		return libraryview.IDTaken, nil
	}
	key, sentence, err := h.findAtService(ctx, t, id)
	if err != nil || sentence != "" {
		return sentence, err
	}
	_, err = h.calls.FollowTask(ctx, t.ID, id, key, func(t *db.Task) error { return t.Follow(id, db.Now()) })
	if errors.Is(err, db.ErrTaken) {
		return libraryview.IDTaken, nil
	}
	return "", err
}

// findAtService asks the service about the ID with the key that the task was sent with
// and then, if that fails, with the keys that its payer has now. It returns the key
// that found the video, or a sentence for the user.
func (h *Video) findAtService(ctx context.Context, t db.Task, id string) (key secrets.Key, sentence string, err error) {
	keys, err := h.keysOf(ctx, t)
	if err != nil {
		return secrets.Key{}, "", err
	}
	if len(keys) == 0 {
		return secrets.Key{}, libraryview.IDNeedsKey, nil
	}
	ctx, cancel := context.WithTimeout(ctx, followWait)
	defer cancel()
	client, err := h.registry.Client(ctx, t.ServiceID)
	if err != nil {
		h.log.Info("the service of a video cannot be asked", "err", err)
		return secrets.Key{}, libraryview.IDNotChecked, nil
	}
	for _, k := range keys {
		said := h.lookUp(ctx, client, k.text, id)
		if said == "" {
			return k.Key, "", nil
		}
		if sentence == "" {
			sentence = said
		}
	}
	return secrets.Key{}, sentence, nil
}

// lookUp asks the service for a video with the ID. It returns a sentence for the user
// if there is none.
func (h *Video) lookUp(ctx context.Context, client *videoapi.Client, key, id string) string {
	answer, err := client.Query(ctx, key, id)
	if err == nil {
		if kind := answer.Record.MediaType; kind != "" && !strings.EqualFold(kind, videoapi.MediaType) {
			return libraryview.IDIsNoVideo
		}
		return ""
	}
	var e *videoapi.Error
	if !errors.As(err, &e) {
		e = &videoapi.Error{Kind: videoapi.Transport}
	}
	h.log.Info("a video could not be found at the service", "err", err)
	switch e.Kind {
	case videoapi.UnknownTask:
		return libraryview.IDUnknown
	case videoapi.NoPermission:
		return libraryview.IDOfAnotherKey
	case videoapi.KeyRefused:
		return libraryview.IDRefusedKey
	}
	return libraryview.IDNotChecked
}

// An openedKey is an API key with its decrypted text.
type openedKey struct {
	secrets.Key
	text string
}

// keysOf returns the keys that may know the task, the most likely ones first.
func (h *Video) keysOf(ctx context.Context, t db.Task) ([]openedKey, error) {
	kept, err := h.calls.TaskKeys(ctx, t)
	if err != nil {
		return nil, err
	}
	var keys []openedKey
	for _, k := range kept {
		text, err := h.vault.OpenKey(k)
		same := func(other openedKey) bool { return other.text == text }
		if errors.Is(err, db.ErrNotFound) || slices.ContainsFunc(keys, same) {
			continue
		} else if err != nil {
			return nil, err
		}
		keys = append(keys, openedKey{k, text})
	}
	return keys, nil
}
