package handlers_test

import "testing"

func TestSettingsShowTheSandboxsKeysAndLedger(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	p.get("/settings").is(200).shows("Keys of this account", "never", "Newest lines of the ledger", "Added", "1,000 credits")
	p.post("/settings/sandbox/key", nil).is(303)
	k, err := h.store.Key(t.Context(), 1)
	must(t, err)
	p.get("/settings").is(200).shows("…" + k.LastFour)
}
