package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/views/input"
	"dailies/web/throttle"
)

// Hooks sets up webhooks and tries them out, for pages and for programs alike.
type Hooks struct {
	network  *Network
	attempts *Attempts
	vault    *secrets.Vault
	webhooks *people.Webhooks
}

// ReadWebhookAddress reads an address that was not sent with a form. It returns a sentence
// if it is none.
func ReadWebhookAddress(text string) (address, sentence string) {
	field := input.WebhookAddress()
	ReadInputs(url.Values{field.Name: {text}}, &field)
	return field.Value, field.Error
}

// Find returns the webhook, if it is the person's or, for admins, the team's.
func (h *Hooks) Find(ctx context.Context, id int64, by db.User) (outbox.Webhook, error) {
	hook, err := h.webhooks.Webhook(ctx, id)
	if err == nil && !hook.IsOf(by) {
		err = db.ErrNotFound
	}
	return hook, err
}

// Add stores a new webhook of the person, or of the team, and returns it with its secret,
// which is shown once.
func (h *Hooks) Add(
	r *http.Request, by db.User, address string, events []outbox.Event, team bool,
) (hook outbox.Webhook, secret string, err error) {
	hook = outbox.Webhook{UserID: by.ID, Address: address, Origin: h.network.Origin(r), Events: events, Standard: true, CreatedAt: db.Now()}
	if team {
		hook.UserID = 0
	}
	secret = outbox.NewWebhookSecret()
	return hook, secret, h.webhooks.Add(r.Context(), &hook, h.vault.Seal(hook.UserID, secret), by.ID)
}

// Change stores another address and another choice of events.
func (h *Hooks) Change(r *http.Request, by db.User, hook outbox.Webhook) error {
	hook.Origin = h.network.Origin(r)
	return h.webhooks.Change(r.Context(), hook, by.ID)
}

// Renew gives the webhook a new secret and returns it, to be shown once.
func (h *Hooks) Renew(ctx context.Context, by db.User, hook outbox.Webhook) (secret string, err error) {
	secret = outbox.NewWebhookSecret()
	return secret, h.webhooks.Renew(ctx, hook.ID, h.vault.Seal(hook.UserID, secret), by.ID, db.Now())
}

// Standardise gives a webhook of the person from before the standard format that format, and
// turns it on. It returns the new secret, which is shown once.
func (h *Hooks) Standardise(ctx context.Context, by db.User, id int64) (secret string, err error) {
	secret = outbox.NewWebhookSecret()
	return secret, h.webhooks.Standardise(ctx, id, h.vault.Seal(by.ID, secret), by.ID)
}

// Test queues a test and returns its ID. The person has to wait if wait is not 0: then
// nothing is queued.
func (h *Hooks) Test(ctx context.Context, by db.User, id int64) (delivery int64, wait time.Duration, err error) {
	if wait, err = h.pace(ctx, by); err != nil || wait > 0 {
		return 0, wait, err
	}
	delivery, err = h.webhooks.AddTest(ctx, id, by.ID, db.Now())
	return delivery, 0, err
}

// SendAgain queues the delivery again. The person has to wait if wait is not 0.
func (h *Hooks) SendAgain(ctx context.Context, by db.User, id, delivery int64) (wait time.Duration, err error) {
	if wait, err = h.pace(ctx, by); err != nil || wait > 0 {
		return wait, err
	}
	return 0, h.webhooks.SendAgain(ctx, id, delivery, by.ID, db.Now())
}

// HookRests says why nothing may be sent to a webhook, if that is what the error says.
// Otherwise it returns an empty string.
func HookRests(err error) string {
	switch {
	case errors.Is(err, outbox.ErrHeld):
		return hookHeld
	case errors.Is(err, outbox.ErrEarlier):
		return hookEarlier
	}
	return ""
}

// These limit how often a person may have something sent, because the address may be that
// of anybody.
const (
	hookBurst = 10
	hookEvery = 6 * time.Second
)

func (h *Hooks) pace(ctx context.Context, by db.User) (wait time.Duration, err error) {
	_, wait, err = h.attempts.Take(ctx, throttle.Rate{Name: fmt.Sprintf("webhook tests of %d", by.ID), Burst: hookBurst, Every: hookEvery})
	return wait, err
}
