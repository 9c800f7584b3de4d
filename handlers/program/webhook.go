package program

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
)

// shownDeliveries limits how many deliveries a page shows.
const shownDeliveries = 20

// NewWebhook shows the form for a new webhook.
func (p *Program) NewWebhook(w http.ResponseWriter, r *http.Request) error {
	form := accountview.NewWebhookForm(r.FormValue("team") != "" && site.Me(r).IsAdmin())
	return p.drawNewWebhook(w, r, http.StatusOK, form)
}

func (p *Program) drawNewWebhook(w http.ResponseWriter, r *http.Request, status int, form *accountview.WebhookForm) error {
	return p.pages.Draw(w, r, status, "New webhook", accountview.ShowNewWebhook(form))
}

// AddWebhook stores a new webhook. Its page shows the signing secret once.
func (p *Program) AddWebhook(w http.ResponseWriter, r *http.Request) error {
	form := accountview.NewWebhookForm(r.PostFormValue("team") != "" && site.Me(r).IsAdmin())
	if !readWebhook(r, form) {
		return p.drawNewWebhook(w, r, http.StatusUnprocessableEntity, form)
	}
	hook, secret, err := p.hooks.Add(r, site.Me(r), form.Address.Value, form.Events, form.Team)
	if errors.Is(err, db.ErrFull) {
		form.Address.Error = webhooksAreFull
		return p.drawNewWebhook(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	return p.showSecret(w, r, secret, accountview.WebhookPath(hook.ID))
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
	form.Error = site.Broken(form.Events, input.Rules{input.Valid("min=1", noEvents)})
	return valid && form.Error == ""
}

// showSecret leads to the page with the path, which shows the secret once.
func (p *Program) showSecret(w http.ResponseWriter, r *http.Request, secret, path string) error {
	err := p.cookies.SetFlash(w, r, "webhook", secret)
	return p.done(w, r, err, signingSecret, path)
}

// done leads to the page with the path, after a change that has ended with err. The page
// shows the sentence.
func (p *Program) done(w http.ResponseWriter, r *http.Request, err error, sentence, path string) error {
	if err == nil {
		err = p.cookies.SetFlash(w, r, "webhook said", sentence)
	}
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, path)
}

// ShowWebhook shows the webhook with its latest deliveries.
func (p *Program) ShowWebhook(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := p.hooks.Find(r.Context(), id, site.Me(r))
	if err != nil {
		return err
	}
	return p.drawWebhook(w, r, http.StatusOK, hook, accountview.WebhookFormOf(hook))
}

func (p *Program) drawWebhook(
	w http.ResponseWriter, r *http.Request, status int, hook outbox.Webhook, form *accountview.WebhookForm,
) error {
	said, err1 := p.cookies.TakeFlash(w, r, "webhook said")
	secret, err2 := p.cookies.TakeFlash(w, r, "webhook")
	deliveries, err3 := p.webhooks.Deliveries(r.Context(), hook.ID, shownDeliveries)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	return p.pages.Draw(w, r, status, "Webhook", accountview.ShowWebhook(hook, form, said, secret, deliveries))
}

// ShowTeamWebhooks lists the webhooks of the team.
func (p *Program) ShowTeamWebhooks(w http.ResponseWriter, r *http.Request) error {
	hooks, err := p.webhooks.Of(r.Context(), 0)
	if err != nil {
		return err
	}
	said, err := p.cookies.TakeFlash(w, r, "webhook said")
	if err != nil {
		return err
	}
	return p.pages.Draw(w, r, http.StatusOK, "Webhooks of the team", accountview.ShowTeamsWebhooks(hooks, said))
}

// SaveWebhook stores another address and another choice of events.
func (p *Program) SaveWebhook(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := p.hooks.Find(r.Context(), id, site.Me(r))
	if err != nil {
		return err
	}
	form := accountview.WebhookFormOf(hook)
	if !readWebhook(r, form) {
		return p.drawWebhook(w, r, http.StatusUnprocessableEntity, hook, form)
	}
	tests := slices.Contains(hook.Events, outbox.TestSent)
	hook.Address, hook.Events = form.Address.Value, form.Events
	if tests { // pages do not offer them
		hook.Events = append(hook.Events, outbox.TestSent)
	}
	err = p.hooks.Change(r, site.Me(r), hook)
	return p.done(w, r, err, site.Saved, accountview.WebhookPath(id))
}

// DeleteWebhook deletes the webhook.
func (p *Program) DeleteWebhook(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := p.hooks.Find(r.Context(), id, site.Me(r))
	if err == nil {
		err = p.webhooks.Delete(r.Context(), id, site.Me(r).ID)
	}
	return p.done(w, r, err, deleted, accountview.WebhooksPath(hook))
}

// RenewSecret replaces the signing secret.
func (p *Program) RenewSecret(w http.ResponseWriter, r *http.Request, id int64) error {
	hook, err := p.hooks.Find(r.Context(), id, site.Me(r))
	if err != nil {
		return err
	}
	secret, err := p.hooks.Renew(r.Context(), site.Me(r), hook)
	if sentence := site.HookRests(err); sentence != "" {
		return p.done(w, r, nil, sentence, accountview.WebhookPath(id))
	}
	if err != nil {
		return err
	}
	return p.showSecret(w, r, secret, accountview.WebhookPath(id))
}

// Standardise gives the viewer's webhook from before the standard format that format, and
// turns it on.
func (p *Program) Standardise(w http.ResponseWriter, r *http.Request) error {
	id, err := p.webhooks.Earlier(r.Context(), site.Me(r).ID)
	if err != nil {
		return err
	}
	none := accountview.WebhooksPath(outbox.Webhook{UserID: site.Me(r).ID})
	if id == 0 {
		return p.done(w, r, nil, allStandard, none)
	}
	secret, err := p.hooks.Standardise(r.Context(), site.Me(r), id)
	if errors.Is(err, db.ErrConflict) { // pressed twice
		return p.done(w, r, nil, allStandard, none)
	}
	if err != nil {
		return err
	}
	return p.showSecret(w, r, secret, accountview.WebhookPath(id))
}

// TurnOn turns a webhook on again that is off or paused.
func (p *Program) TurnOn(w http.ResponseWriter, r *http.Request, id int64) error {
	err := p.webhooks.TurnOn(r.Context(), id, site.Me(r).ID, db.Now())
	if sentence := site.HookRests(err); sentence != "" {
		return p.done(w, r, nil, sentence, accountview.WebhookPath(id))
	}
	return p.done(w, r, err, webhookOn, accountview.WebhookPath(id))
}

// TestWebhook sends a test and says whether it arrived.
func (p *Program) TestWebhook(w http.ResponseWriter, r *http.Request, id int64) error {
	path := accountview.WebhookPath(id)
	delivery, wait, err := p.hooks.Test(r.Context(), site.Me(r), id)
	sentence := site.HookRests(err)
	switch {
	case sentence != "":
		return p.done(w, r, nil, sentence, path)
	case wait > 0:
		return p.done(w, r, err, webhookTestsOver, path)
	case errors.Is(err, db.ErrFull):
		return p.done(w, r, nil, webhookTestsSent, path)
	case err != nil:
		return err
	}
	said, err := p.outcome(r.Context(), id, delivery)
	return p.done(w, r, err, said, path)
}

// SendAgain sends a delivery again.
func (p *Program) SendAgain(w http.ResponseWriter, r *http.Request, id int64) error {
	path := accountview.WebhookPath(id)
	wait, err := p.hooks.SendAgain(r.Context(), site.Me(r), id, site.ParseID(r.PathValue("delivery")))
	sentence := site.HookRests(err)
	switch {
	case sentence != "":
		return p.done(w, r, nil, sentence, path)
	case wait > 0:
		return p.done(w, r, err, webhookTestsOver, path)
	case errors.Is(err, db.ErrConflict):
		return p.done(w, r, nil, beingSent, path)
	}
	return p.done(w, r, err, sendingAgain, path)
}

// testWait is how long a test waits for the response of the user's program, and
// testInterval how often it checks for it.
const (
	testWait     = 3 * time.Second
	testInterval = 250 * time.Millisecond
)

// outcome waits for the outcome of a test, and says what it is.
func (p *Program) outcome(ctx context.Context, id, delivery int64) (string, error) {
	for until := time.Now().Add(testWait); time.Now().Before(until); {
		d, err := p.webhooks.Delivery(ctx, id, delivery)
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
		case <-time.After(testInterval):
		}
	}
	return webhookTesting, nil
}

// withEarlier returns a handler that calls do with the ID of the viewer's webhook from before
// the standard format. Without one, there is nothing at the address.
func (p *Program) withEarlier(do func(http.ResponseWriter, *http.Request, int64) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := p.webhooks.Earlier(r.Context(), site.Me(r).ID)
		if err != nil {
			return err
		}
		if id == 0 {
			return web.NotFound()
		}
		return do(w, r, id)
	}
}

// FillSettings fills in the viewer's webhooks on the page of the settings and, once, a new secret.
func (p *Program) FillSettings(w http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	var errs [3]error
	page.Webhooks.Hooks, errs[0] = p.webhooks.Of(r.Context(), site.Me(r).ID)
	page.Webhooks.Said, errs[1] = p.cookies.TakeFlash(w, r, "webhook said")
	page.Webhooks.NewSecret, errs[2] = p.cookies.TakeFlash(w, r, "webhook")
	return errors.Join(errs[:]...)
}
