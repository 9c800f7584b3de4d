package api

import (
	"errors"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/program"
	"dailies/handlers/site"
	"dailies/views/input"
	"dailies/views/record"
)

// A webhook is how programs see one. The secret is there only when it is new.
type webhook struct {
	ID     int64            `json:"id"`
	URL    string           `json:"url"`
	Types  []outbox.Event   `json:"types"`
	State  outbox.HookState `json:"state"`
	Secret string           `json:"secret,omitempty"`
	Team   bool             `json:"team,omitempty"`
	Format string           `json:"format,omitempty"` // "earlier" if it is not that of Standard Webhooks
}

func webhookOf(h outbox.Webhook, secret string) webhook {
	w := webhook{ID: h.ID, URL: h.Address, Types: h.Events, State: h.State, Secret: secret, Team: h.IsTeams()}
	if !h.Standard {
		w.Format = "earlier"
	}
	if h.Held && h.State == outbox.On {
		w.State = outbox.Paused
	}
	return w
}

// ListWebhooks lists the webhooks. What follows the host of an address may be a secret, which only
// tokens that may change things get.
func (a *API) ListWebhooks(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	found, err := a.webhooks.Of(r.Context(), c.User.ID)
	if err != nil {
		return err
	}
	if c.User.IsAdmin() {
		teams, err := a.webhooks.Of(r.Context(), 0)
		if err != nil {
			return err
		}
		found = append(found, teams...)
	}
	all := []webhook{}
	for _, hook := range found {
		if !c.May.Includes(program.Change) {
			hook.Address = hook.Host()
		}
		all = append(all, webhookOf(hook, ""))
	}
	return sendJSON(w, http.StatusOK, map[string]any{"webhooks": all})
}

// AddWebhook adds a webhook.
func (a *API) AddWebhook(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	var asked struct {
		URL   string         `json:"url"`
		Types []outbox.Event `json:"types"`
		Team  bool           `json:"team"`
	}
	if _, err := readBody(w, r, &asked); err != nil {
		return err
	}
	address, sentence := site.ReadWebhookAddress(asked.URL)
	if sentence != "" {
		return wrong("url", sentence)
	}
	if err := check("types", asked.Types, input.Valid("min=1,unique,dive,event", oddTypes)); err != nil {
		return err
	}
	if asked.Team && !c.User.IsAdmin() {
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Field: "team", Detail: adminsOnly}
	}
	hook, secret, err := a.hooks.Add(r, c.User, address, asked.Types, asked.Team)
	if errors.Is(err, db.ErrFull) {
		return wrong("url", tooManyWebhooks)
	}
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusCreated, webhookOf(hook, secret))
}

// findWebhook returns the webhook that the request names, if the person may change it.
func (a *API) findWebhook(r *http.Request) (outbox.Webhook, error) {
	return a.hooks.Find(r.Context(), site.ParseID(r.PathValue("id")), caller(r).User)
}

// DeleteWebhook deletes the webhook.
func (a *API) DeleteWebhook(w http.ResponseWriter, r *http.Request) error {
	hook, err := a.findWebhook(r)
	if err == nil {
		err = a.webhooks.Delete(r.Context(), hook.ID, caller(r).User.ID)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// RenewSecret gives the webhook a new secret.
func (a *API) RenewSecret(w http.ResponseWriter, r *http.Request) error {
	hook, err := a.findWebhook(r)
	if err != nil {
		return err
	}
	secret, err := a.hooks.Renew(r.Context(), caller(r).User, hook)
	if sentence := site.HookRests(err); sentence != "" {
		return wrong("id", sentence)
	}
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, webhookOf(hook, secret))
}

// A delivery is how programs see one.
type delivery struct {
	ID        int64        `json:"id"`
	Message   string       `json:"message_id"` // the header webhook-id
	Type      outbox.Event `json:"type"`
	State     string       `json:"state"`  // waiting, delivered or failed
	Status    *int         `json:"status"` // of the last response
	Problem   *string      `json:"problem"`
	Tries     int          `json:"tries"`
	CreatedAt string       `json:"created_at"`
	TriedAt   *string      `json:"tried_at"`
	NextAt    *string      `json:"next_at"`
}

func deliveryOf(d outbox.Delivery) delivery {
	v := delivery{
		ID: d.ID, Message: d.Name, Type: d.Event, State: "waiting", Tries: d.Tries,
		CreatedAt: record.Time(d.CreatedAt), TriedAt: record.TimeOr(d.TriedAt), NextAt: record.TimeOr(d.NextAt),
	}
	switch d.Outcome {
	case outbox.Delivered:
		v.State = "delivered"
	case outbox.GaveUp:
		v.State = "failed"
	}
	if d.HTTP != 0 {
		v.Status = &d.HTTP
	}
	if d.Problem != "" {
		v.Problem = &d.Problem
	}
	return v
}

// mostDeliveries limits the list of deliveries.
const mostDeliveries = 100

// ListDeliveries lists the latest deliveries, the newest first.
func (a *API) ListDeliveries(w http.ResponseWriter, r *http.Request) error {
	hook, err := a.findWebhook(r)
	if err != nil {
		return err
	}
	found, err := a.webhooks.Deliveries(r.Context(), hook.ID, mostDeliveries)
	if err != nil {
		return err
	}
	all := []delivery{}
	for _, d := range found {
		all = append(all, deliveryOf(d))
	}
	return sendJSON(w, http.StatusOK, map[string]any{"deliveries": all})
}

// TestWebhook sends a test.
func (a *API) TestWebhook(w http.ResponseWriter, r *http.Request) error {
	hook, err := a.findWebhook(r)
	if err != nil {
		return err
	}
	id, wait, err := a.hooks.Test(r.Context(), caller(r).User, hook.ID)
	return a.queued(w, r, hook, id, wait, err)
}

// SendAgain sends a delivery again.
func (a *API) SendAgain(w http.ResponseWriter, r *http.Request) error {
	hook, err := a.findWebhook(r)
	if err != nil {
		return err
	}
	id := site.ParseID(r.PathValue("delivery"))
	if _, err := a.webhooks.Delivery(r.Context(), hook.ID, id); err != nil {
		return err
	}
	wait, err := a.hooks.SendAgain(r.Context(), caller(r).User, hook.ID, id)
	return a.queued(w, r, hook, id, wait, err)
}

// queued answers with a delivery that is on its way, unless there were too many.
func (a *API) queued(w http.ResponseWriter, r *http.Request, hook outbox.Webhook, id int64, wait time.Duration, err error) error {
	if sentence := site.HookRests(err); sentence != "" {
		return wrong("id", sentence)
	}
	if errors.Is(err, db.ErrFull) {
		wait, err = time.Second, nil // several tests are waiting
	}
	if err == nil && wait > 0 {
		return &Problem{Status: http.StatusTooManyRequests, Code: TooMany, Detail: tooManyRequests, Wait: max(1, seconds(wait))}
	}
	if err != nil {
		return err
	}
	d, err := a.webhooks.Delivery(r.Context(), hook.ID, id)
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusAccepted, deliveryOf(d))
}
