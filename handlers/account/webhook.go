package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
	"dailies/web/throttle"
)

// Webhook saves and tests the address of a user's program that is notified about
// videos.
type Webhook struct {
	hooks    *webhookPart
	network  *site.Network
	settings *Settings
	tries    *site.Tries
	vault    *secrets.Vault
}

// shownDeliveries limits how many deliveries the settings show.
const shownDeliveries = 8

// Save stores the webhook's address. The first time, it also creates the signing
// secret, which the next page shows.
func (h *Webhook) Save(w http.ResponseWriter, r *http.Request) error {
	field := accountview.NewWebhookAddress()
	valid := site.ReadForm(r, &field)
	address := field.Value
	if !valid {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Webhook: accountview.WebhookPart{Address: address, Notes: r.PostFormValue("notes") != ""}, Errors: input.ErrorsOf(&field)}
		return h.settings.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	hook, err := h.hooks.webhooks.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return h.putSecret(w, r, outbox.Webhook{UserID: site.Me(r).ID, Address: address, Notes: r.PostFormValue("notes") != "", CreatedAt: db.Now()})
	}
	if err != nil {
		return err
	}
	hook.Address, hook.Origin, hook.Notes = address, h.network.Origin(r), r.PostFormValue("notes") != ""
	err = h.hooks.webhooks.PutWebhook(r.Context(), hook)
	return h.done(w, r, err, site.Saved)
}

// RenewSecret replaces the signing secret.
func (h *Webhook) RenewSecret(w http.ResponseWriter, r *http.Request) error {
	hook, err := h.hooks.webhooks.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return h.back(w, r, noWebhook)
	}
	if err != nil {
		return err
	}
	return h.putSecret(w, r, hook)
}

// putSecret stores the webhook with a new secret, which the next page shows once.
func (h *Webhook) putSecret(w http.ResponseWriter, r *http.Request, hook outbox.Webhook) error {
	secret := outbox.NewWebhookSecret()
	hook.Sealed, hook.Origin = h.vault.Seal(hook.UserID, secret), h.network.Origin(r)
	if err := h.hooks.webhooks.PutWebhook(r.Context(), hook); err != nil {
		return err
	}
	err := h.hooks.cookies.SetFlash(w, r, "webhook", secret)
	return h.done(w, r, err, signingSecret)
}

// Test sends a test notice and says whether it arrived.
func (h *Webhook) Test(w http.ResponseWriter, r *http.Request) error {
	_, err := h.hooks.webhooks.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return h.back(w, r, noWebhook)
	}
	if err != nil {
		return err
	}
	_, wait, err := h.tries.Take(r.Context(), throttle.Rate{Name: fmt.Sprintf("webhook tests of %d", site.Me(r).ID), Burst: testBurst, Every: testEvery})
	if err != nil {
		return err
	}
	if wait > 0 {
		return h.back(w, r, webhookTestsOver)
	}
	id, err := h.hooks.webhooks.AddTestDelivery(r.Context(), site.Me(r).ID, db.Now())
	if errors.Is(err, db.ErrFull) {
		return h.back(w, r, webhookTestsSent)
	}
	if err != nil {
		return err
	}
	said, err := h.testOutcome(r.Context(), site.Me(r).ID, id)
	return h.done(w, r, err, said)
}

// These limit how often a user may send tests, because the address may be that of anybody.
const (
	testBurst = 10
	testEvery = 6 * time.Second
)

// testWait is how long a test waits for the response of the user's program, and
// testLook how often it checks for it.
const (
	testWait = 3 * time.Second
	testLook = 250 * time.Millisecond
)

func (h *Webhook) testOutcome(ctx context.Context, userID, id int64) (string, error) {
	for until := time.Now().Add(testWait); time.Now().Before(until); {
		d, err := h.hooks.webhooks.Delivery(ctx, userID, id)
		switch {
		case err != nil && !errors.Is(err, db.ErrNotFound): // it is not found once the webhook was deleted
			return "", err
		case d.Outcome == outbox.Delivered:
			return webhookArrived, nil
		case d.Outcome == outbox.GaveUp:
			return webhookFailed(d.Problem), nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(testLook):
		}
	}
	return webhookTesting, nil
}

// Delete deletes the webhook.
func (h *Webhook) Delete(w http.ResponseWriter, r *http.Request) error {
	err := h.hooks.webhooks.DeleteWebhook(r.Context(), site.Me(r).ID)
	return h.done(w, r, err, deleted)
}

// back redirects to the webhook's section of the settings, which shows the sentence.
func (h *Webhook) back(w http.ResponseWriter, r *http.Request, sentence string) error {
	return h.done(w, r, nil, sentence)
}

// done is like back, for a change that has ended with err.
func (h *Webhook) done(w http.ResponseWriter, r *http.Request, err error, sentence string) error {
	if err == nil {
		err = h.hooks.cookies.SetFlash(w, r, "webhook said", sentence)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, "/settings#webhook-section")
}
