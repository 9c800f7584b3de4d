package program

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// Webhooks adds, changes, tests and deletes the webhooks of the viewer and, for admins, of
// the team.
type Webhooks struct {
	cookies *web.Cookies
	hooks   *site.Hooks
	pages   *site.Pages
	stored  *webhookPart
}

// shownDeliveries limits how many deliveries a page shows.
const shownDeliveries = 20

// New shows the form for a new webhook.
func (h *Webhooks) New(w http.ResponseWriter, r *http.Request) error {
	form := accountview.NewWebhookForm(r.FormValue("team") != "" && site.Me(r).IsAdmin())
	return h.drawForm(w, r, http.StatusOK, form)
}

func (h *Webhooks) drawForm(w http.ResponseWriter, r *http.Request, status int, form *accountview.WebhookForm) error {
	return h.pages.Draw(w, r, status, "New webhook", func(f part.Frame) templ.Component { return accountview.ShowNewWebhook(f, form) })
}

// Add stores a new webhook. Its page shows the signing secret once.
func (h *Webhooks) Add(w http.ResponseWriter, r *http.Request) error {
	form := accountview.NewWebhookForm(r.PostFormValue("team") != "" && site.Me(r).IsAdmin())
	if !readWebhook(r, form) {
		return h.drawForm(w, r, http.StatusUnprocessableEntity, form)
	}
	hook, secret, err := h.hooks.Add(r, site.Me(r), form.Address.Value, form.Events, form.Team)
	if errors.Is(err, db.ErrFull) {
		form.Address.Error = webhooksAreFull
		return h.drawForm(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	return h.showSecret(w, r, secret, accountview.WebhookPath(hook.ID))
}

// readWebhook reads the form, and reports whether it is valid. A form without any choice of
// events is about videos.
func readWebhook(r *http.Request, form *accountview.WebhookForm) bool {
	valid := site.ReadForm(r, &form.Address)
	if r.PostForm.Has("chosen") || r.PostForm.Has("types") {
		form.Events = outbox.Chosen(r.PostForm["types"])
	} else {
		form.Events = []outbox.Event{outbox.VideoReady, outbox.VideoFailed, outbox.VideoCanceled, outbox.VideoUnconfirmed}
		if r.PostFormValue("notes") != "" { // of the form for a webhook from before the standard format
			form.Events = append(form.Events, outbox.NoteCreated, outbox.VerdictGiven)
		}
	}
	if len(form.Events) == 0 {
		form.Error = noEvents
	}
	return valid && form.Error == ""
}

// showSecret leads to the page with the path, which shows the secret once.
func (h *Webhooks) showSecret(w http.ResponseWriter, r *http.Request, secret, path string) error {
	err := h.cookies.SetFlash(w, r, "webhook", secret)
	return h.done(w, r, err, signingSecret, path)
}

// done leads to the page with the path, after a change that has ended with err. The page
// shows the sentence.
func (h *Webhooks) done(w http.ResponseWriter, r *http.Request, err error, sentence, path string) error {
	if err == nil {
		err = h.cookies.SetFlash(w, r, "webhook said", sentence)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, path)
}

// Show shows the webhook with its latest deliveries.
func (h *Webhooks) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := h.hooks.Find(r.Context(), id, site.Me(r))
	if err != nil {
		return err
	}
	return h.drawHook(w, r, http.StatusOK, hook, accountview.WebhookFormOf(hook))
}

func (h *Webhooks) drawHook(w http.ResponseWriter, r *http.Request, status int, hook outbox.Webhook, form *accountview.WebhookForm) error {
	page := accountview.WebhookPage{Hook: hook, Form: form}
	var errs [3]error
	page.Said, errs[0] = h.cookies.TakeFlash(w, r, "webhook said")
	page.NewSecret, errs[1] = h.cookies.TakeFlash(w, r, "webhook")
	page.Deliveries, errs[2] = h.stored.webhooks.Deliveries(r.Context(), hook.ID, shownDeliveries)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Webhook", func(f part.Frame) templ.Component { return accountview.ShowWebhook(f, page) })
}

// ShowTeams lists the webhooks of the team.
func (h *Webhooks) ShowTeams(w http.ResponseWriter, r *http.Request) error {
	hooks, err := h.stored.webhooks.Of(r.Context(), 0)
	if err != nil {
		return err
	}
	said, err := h.cookies.TakeFlash(w, r, "webhook said")
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, http.StatusOK, "Webhooks of the team", func(f part.Frame) templ.Component { return accountview.ShowTeamsWebhooks(f, hooks, said) })
}

// Save stores another address and another choice of events.
func (h *Webhooks) Save(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := h.hooks.Find(r.Context(), id, site.Me(r))
	if err != nil {
		return err
	}
	form := accountview.WebhookFormOf(hook)
	if !readWebhook(r, form) {
		return h.drawHook(w, r, http.StatusUnprocessableEntity, hook, form)
	}
	tests := slices.Contains(hook.Events, outbox.TestSent)
	hook.Address, hook.Events = form.Address.Value, form.Events
	if tests { // pages do not offer them
		hook.Events = append(hook.Events, outbox.TestSent)
	}
	err = h.hooks.Change(r, site.Me(r), hook)
	return h.done(w, r, err, site.Saved, accountview.WebhookPath(id))
}

// Delete deletes the webhook.
func (h *Webhooks) Delete(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := h.hooks.Find(r.Context(), id, site.Me(r))
	if err == nil {
		err = h.stored.webhooks.Delete(r.Context(), id, site.Me(r).ID)
	}
	return h.done(w, r, err, deleted, accountview.WebhooksPath(hook))
}

// HookActions handle the buttons on the page of a webhook, beside its form.
type HookActions struct{ *Webhooks }

// RenewSecret replaces the signing secret.
func (h *HookActions) RenewSecret(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := h.hooks.Find(r.Context(), id, site.Me(r))
	if err != nil {
		return err
	}
	secret, err := h.hooks.Renew(r.Context(), site.Me(r), hook)
	if sentence := site.HookRests(err); sentence != "" {
		return h.done(w, r, nil, sentence, accountview.WebhookPath(id))
	}
	if err != nil {
		return err
	}
	return h.showSecret(w, r, secret, accountview.WebhookPath(id))
}

// Standardise gives the viewer's webhook from before the standard format that format, and
// turns it on.
func (h *HookActions) Standardise(w http.ResponseWriter, r *http.Request) error {
	id, err := h.stored.webhooks.Earlier(r.Context(), site.Me(r).ID)
	if err != nil {
		return err
	}
	none := accountview.WebhooksPath(outbox.Webhook{UserID: site.Me(r).ID})
	if id == 0 {
		return h.done(w, r, nil, allStandard, none)
	}
	secret, err := h.hooks.Standardise(r.Context(), site.Me(r), id)
	if errors.Is(err, db.ErrConflict) { // pressed twice
		return h.done(w, r, nil, allStandard, none)
	}
	if err != nil {
		return err
	}
	return h.showSecret(w, r, secret, accountview.WebhookPath(id))
}

// TurnOn turns a webhook on again that is off or paused.
func (h *HookActions) TurnOn(w http.ResponseWriter, r *http.Request, id int64) error {
	err := h.stored.webhooks.TurnOn(r.Context(), id, site.Me(r).ID, db.Now())
	if sentence := site.HookRests(err); sentence != "" {
		return h.done(w, r, nil, sentence, accountview.WebhookPath(id))
	}
	return h.done(w, r, err, webhookOn, accountview.WebhookPath(id))
}

// Test sends a test and says whether it arrived.
func (h *HookActions) Test(w http.ResponseWriter, r *http.Request, id int64) error {
	path := accountview.WebhookPath(id)
	delivery, wait, err := h.hooks.Test(r.Context(), site.Me(r), id)
	sentence := site.HookRests(err)
	switch {
	case sentence != "":
		return h.done(w, r, nil, sentence, path)
	case wait > 0:
		return h.done(w, r, err, webhookTestsOver, path)
	case errors.Is(err, db.ErrFull):
		return h.done(w, r, nil, webhookTestsSent, path)
	case err != nil:
		return err
	}
	said, err := h.outcome(r.Context(), id, delivery)
	return h.done(w, r, err, said, path)
}

// SendAgain sends a delivery again.
func (h *HookActions) SendAgain(w http.ResponseWriter, r *http.Request, id int64) error {
	path := accountview.WebhookPath(id)
	wait, err := h.hooks.SendAgain(r.Context(), site.Me(r), id, site.ParseID(r.PathValue("delivery")))
	sentence := site.HookRests(err)
	switch {
	case sentence != "":
		return h.done(w, r, nil, sentence, path)
	case wait > 0:
		return h.done(w, r, err, webhookTestsOver, path)
	case errors.Is(err, db.ErrConflict):
		return h.done(w, r, nil, beingSent, path)
	}
	return h.done(w, r, err, sendingAgain, path)
}

// testWait is how long a test waits for the response of the user's program, and
// testLook how often it checks for it.
const (
	testWait = 3 * time.Second
	testLook = 250 * time.Millisecond
)

// outcome waits for the outcome of a test, and says what it is.
func (h *HookActions) outcome(ctx context.Context, id, delivery int64) (string, error) {
	for until := time.Now().Add(testWait); time.Now().Before(until); {
		d, err := h.stored.webhooks.Delivery(ctx, id, delivery)
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

// An EarlierWebhook answers the addresses from when a person had one webhook, as long as they
// have one from that time.
type EarlierWebhook struct{ *HookActions }

// earlier returns a handler that calls do with the ID of the viewer's webhook from before the
// standard format. Without one, there is nothing at the address.
func (h *EarlierWebhook) earlier(do func(http.ResponseWriter, *http.Request, int64) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := h.stored.webhooks.Earlier(r.Context(), site.Me(r).ID)
		if err != nil {
			return err
		}
		if id == 0 {
			return web.NotFound()
		}
		return do(w, r, id)
	}
}

// Save changes its address.
func (h *EarlierWebhook) Save(w http.ResponseWriter, r *http.Request) error {
	return h.earlier(h.HookActions.Save)(w, r)
}

// RenewSecret says that it is off.
func (h *EarlierWebhook) RenewSecret(w http.ResponseWriter, r *http.Request) error {
	return h.earlier(h.HookActions.RenewSecret)(w, r)
}

// Test says that it is off.
func (h *EarlierWebhook) Test(w http.ResponseWriter, r *http.Request) error {
	return h.earlier(h.HookActions.Test)(w, r)
}

// Delete deletes it.
func (h *EarlierWebhook) Delete(w http.ResponseWriter, r *http.Request) error {
	return h.earlier(h.HookActions.Delete)(w, r)
}

// webhookPart fills in the viewer's webhooks.
type webhookPart struct {
	cookies  *web.Cookies
	webhooks *people.Webhooks
}

// Fill fills in the webhooks and, once, a new secret.
func (h *webhookPart) Fill(w http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	var errs [3]error
	page.Webhooks.Hooks, errs[0] = h.webhooks.Of(r.Context(), site.Me(r).ID)
	page.Webhooks.Said, errs[1] = h.cookies.TakeFlash(w, r, "webhook said")
	page.Webhooks.NewSecret, errs[2] = h.cookies.TakeFlash(w, r, "webhook")
	return errors.Join(errs[:]...)
}
