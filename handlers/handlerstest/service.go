package handlerstest

import (
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/team"
	"dailies/handlers/service"
)

// Connect makes the team use the service at the address, with a new key as its standard one.
// The sandbox answers for it, as for every service.
func (h *Server) Connect(t testing.TB, address string) db.Service {
	t.Helper()
	k, seal := serviceKey(t, h, "account at "+address)
	must(t, h.Store.Services.Connect(t.Context(), h.Registry.Current().ID, address, k, seal))
	must(t, h.Registry.Refresh(t.Context()))
	return h.Registry.Current()
}

// Practise makes the team use practice mode again.
func (h *Server) Practise(t testing.TB) db.Service {
	t.Helper()
	k, seal := serviceKey(t, h, "practice of the team")
	must(t, h.Store.Services.Practise(t.Context(), h.Registry.Current().ID, service.PracticeBase, k, seal))
	must(t, h.Registry.Refresh(t.Context()))
	return h.Registry.Current()
}

// serviceKey returns a new key for the sandbox with plenty of credits, and what seals it.
func serviceKey(t testing.TB, h *Server, account string) (*team.Key, func(secrets.KeyOwner) []byte) {
	t.Helper()
	key, err := h.Sandbox.NewKey(t.Context(), account, 1e6)
	must(t, err)
	vault, now := h.Config.Vault, db.Now()
	k := &team.Key{Name: "Video service", Key: secrets.Key{
		LastFour: secrets.LastFour(key), Fingerprint: vault.Fingerprint(key), CreatedAt: now, CheckedAt: now, Accepted: true,
	}}
	return k, func(o secrets.KeyOwner) []byte { return vault.SealFor(o, key) }
}
