package handlers

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// shownDeliveries is how many deliveries the settings show.
const shownDeliveries = 8

// saveWebhook keeps where the person's program wants to be told. The first time
// it makes the signing secret, which the next page shows.
func (a *App) saveWebhook(w http.ResponseWriter, r *http.Request) error {
	address := strings.TrimSpace(site.PlainText(r.PostFormValue("webhook")))
	if err := validate.Var(address, "required,max=2048,http_url"); err != nil {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Webhook: accountview.WebhookPart{Address: address}, Errors: part.Errors{
			"webhook": "This is not a web address. It starts with https://",
		}}
		return a.settingsPage(w, r, http.StatusUnprocessableEntity, page)
	}
	hook, err := a.Store.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return a.putSecret(w, r, db.Webhook{UserID: site.Me(r).ID, Address: address, CreatedAt: db.Now()})
	}
	if err != nil {
		return err
	}
	hook.Address, hook.Origin = address, a.Origin(r)
	if err := a.Store.PutWebhook(r.Context(), hook); err != nil {
		return err
	}
	return a.backToWebhook(w, r, "The webhook's address is saved.")
}

// renewWebhookSecret makes another signing secret.
func (a *App) renewWebhookSecret(w http.ResponseWriter, r *http.Request) error {
	hook, err := a.Store.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return a.backToWebhook(w, r, noWebhook)
	}
	if err != nil {
		return err
	}
	return a.putSecret(w, r, hook)
}

const noWebhook = "There is no webhook yet. Please save an address first."

// putSecret keeps the webhook with a new secret, and leaves that for the next
// page: after it nobody sees it again.
func (a *App) putSecret(w http.ResponseWriter, r *http.Request, hook db.Webhook) error {
	secret := db.NewWebhookSecret()
	hook.Sealed, hook.Origin = a.Vault.Seal(hook.UserID, secret), a.Origin(r)
	if err := a.Store.PutWebhook(r.Context(), hook); err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "webhook", secret); err != nil {
		return err
	}
	return a.backToWebhook(w, r, "The webhook is saved. Please copy its signing secret now.")
}

// testWebhook sends a notice that tells of nothing, and says how it went.
func (a *App) testWebhook(w http.ResponseWriter, r *http.Request) error {
	_, err := a.Store.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return a.backToWebhook(w, r, noWebhook)
	}
	if err != nil {
		return err
	}
	id, err := a.Store.AddTestDelivery(r.Context(), site.Me(r).ID, db.Now())
	if err != nil {
		return err
	}
	said, err := a.testOutcome(r.Context(), site.Me(r).ID, id)
	if err != nil {
		return err
	}
	return a.backToWebhook(w, r, said)
}

// testWait is how long the answer waits for that of the person's program.
const testWait = 3 * time.Second

func (a *App) testOutcome(ctx context.Context, userID, id int64) (string, error) {
	for until := time.Now().Add(testWait); time.Now().Before(until); {
		all, err := a.Store.Deliveries(ctx, userID, shownDeliveries)
		if err != nil {
			return "", err
		}
		for _, d := range all {
			switch {
			case d.ID == id && d.Outcome == db.Delivered:
				return "The test arrived.", nil
			case d.ID == id && d.Outcome == db.GaveUp:
				return "The test did not arrive. " + d.Problem, nil
			}
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(outcomeLook):
		}
	}
	return "The test is on its way. Reload this page to see whether it arrived.", nil
}

func (a *App) deleteWebhook(w http.ResponseWriter, r *http.Request) error {
	if err := a.Store.DeleteWebhook(r.Context(), site.Me(r).ID); err != nil {
		return err
	}
	return a.backToWebhook(w, r, "The webhook is deleted.")
}

// backToWebhook ends a change: the settings again, with a sentence in the part
// about the webhook.
func (a *App) backToWebhook(w http.ResponseWriter, r *http.Request, sentence string) error {
	if err := a.Cookies.Leave(w, r, "webhook said", sentence); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/settings#webhook-section")
}

// fillWebhook fills in what the page shows of the webhook.
func (a *App) fillWebhook(w http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	var err error
	if page.Webhook.Said, err = a.Cookies.Take(w, r, "webhook said"); err != nil {
		return err
	}
	hook, err := a.Store.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	page.Webhook.Saved = true
	if page.Errors["webhook"] == "" {
		page.Webhook.Address = hook.Address
	}
	if page.Webhook.NewSecret, err = a.Cookies.Take(w, r, "webhook"); err != nil {
		return err
	}
	page.Webhook.Deliveries, err = a.Store.Deliveries(r.Context(), hook.UserID, shownDeliveries)
	return err
}
