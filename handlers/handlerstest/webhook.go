package handlerstest

import (
	"net/url"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/outbox"
)

// AddEarlierHook adds a webhook of the person with the format from before the standard one,
// as an upgrade leaves it, and returns its ID.
func AddEarlierHook(t *testing.T, h *Server, userID int64) int64 {
	t.Helper()
	hook := outbox.Webhook{
		UserID: userID, Address: "https://earlier.example.com/hook", Origin: h.URL, Events: []outbox.Event{outbox.VideoReady},
		CreatedAt: db.Now(),
	}
	must(t, h.Store.Webhooks.Add(t.Context(), &hook, h.Config.Vault.Seal(userID, outbox.NewWebhookSecret()), userID))
	must(t, h.Store.Webhooks.Sweep(t.Context(), db.Now()))
	return hook.ID
}

// AddedWebhook adds a webhook and returns the path of its page.
func AddedWebhook(p *Browser, address string, more ...string) string {
	form := url.Values{"webhook": {address}, "types": {"video.ready", "video.failed"}}
	for i := 0; i < len(more); i += 2 {
		form[more[i]] = strings.Fields(more[i+1])
	}
	return p.Post("/settings/webhooks", form).Is(303).Header.Get("Location")
}
