package handlerstest

import (
	"testing"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/team"
)

// Connect makes the team use the service at the address, with a new key as its standard one.
// The sandbox answers for it, as for every service.
func (h *Server) Connect(t testing.TB, address string) db.Service {
	t.Helper()
	key, err := h.Sandbox.NewKey(t.Context(), "account at "+address, 1000)
	must(t, err)
	vault := h.Config.Vault
	k := &team.Key{Name: "Video service", Key: secrets.Key{
		LastFour: secrets.LastFour(key), Fingerprint: vault.Fingerprint(key), CreatedAt: db.Now(), CheckedAt: db.Now(), Accepted: true,
	}}
	seal := func(o secrets.KeyOwner) []byte { return vault.SealFor(o, key) }
	must(t, h.Store.Services.Connect(t.Context(), h.Desk.Current().ID, address, k, seal))
	must(t, h.Desk.Refresh(t.Context()))
	return h.Desk.Current()
}
