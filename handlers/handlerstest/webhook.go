package handlerstest

import (
	"testing"

	"dailies/db"
	"dailies/db/outbox"
)

// AddEarlierHook adds a webhook of the person with the format from before the standard one,
// as an upgrade leaves it, and returns its ID.
func AddEarlierHook(t *testing.T, h *Server, userID int64) int64 {
	t.Helper()
	hook := outbox.Webhook{UserID: userID, Address: "https://earlier.example.com/hook", Origin: h.URL, Events: []outbox.Event{outbox.VideoReady}, CreatedAt: db.Now()}
	must(t, h.Store.Webhooks.Add(t.Context(), &hook, h.Config.Vault.Seal(userID, outbox.NewWebhookSecret()), userID))
	must(t, h.Store.Webhooks.Sweep(t.Context(), db.Now()))
	return hook.ID
}
