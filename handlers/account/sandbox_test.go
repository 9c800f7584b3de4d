package account_test

import (
	"testing"

	"dailies/handlers/handlerstest"
)

func TestSettingsShowTheSandboxsKeysAndLedger(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	p.Get("/settings").Is(200).Shows("Practice keys", "never", "Practice credits used", "Added", "1,000 credits")
	p.Post("/settings/sandbox/key", nil).Is(303)
	k, err := h.Store.Keys.Key(t.Context(), 1)
	must(t, err)
	p.Get("/settings").Is(200).Shows("…" + k.LastFour)
}
