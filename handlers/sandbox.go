package handlers

import (
	"context"
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// addSandboxKey makes another key for the viewer's sandbox account, or a first
// one, and uses it from now on.
func (a *App) addSandboxKey(w http.ResponseWriter, r *http.Request) error {
	if a.Sandbox == nil {
		return web.NotFound()
	}
	u := site.Me(r)
	_, old, err := a.Keys.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	key, err := a.Sandbox.AddKey(r.Context(), old, u.Name)
	if err != nil {
		key, err = a.Sandbox.NewKey(r.Context(), u.Name, firstCredits)
	}
	if err != nil {
		return err
	}
	if err := a.Keys.Put(r.Context(), u.ID, key, true); err != nil {
		return err
	}
	a.Wake()
	return a.backToSettings(w, r, "You have a new sandbox key, and it is used from now on.", "key")
}

// addSandboxCredits fills up the viewer's sandbox account.
func (a *App) addSandboxCredits(w http.ResponseWriter, r *http.Request) error {
	if a.Sandbox == nil {
		return web.NotFound()
	}
	_, key, err := a.Keys.Open(r)
	if err == nil {
		err = a.Sandbox.TopUp(r.Context(), key, firstCredits)
	}
	if err != nil {
		a.Log.Info("no credits added", "err", err)
		return a.backToSettings(w, r, "The sandbox does not know your key. Make a sandbox key first.", "key")
	}
	return a.backToSettings(w, r, "1,000 sandbox credits were added.", "key")
}

// sandboxAccount is what the sandbox's own console shows of the key's account.
func (a *App) sandboxAccount(ctx context.Context, key string) *accountview.SandboxAccount {
	balance, err := a.Sandbox.Balance(ctx, key)
	if err != nil {
		return &accountview.SandboxAccount{}
	}
	account := &accountview.SandboxAccount{Balance: balance, Known: true}
	var errs [2]error
	account.Keys, errs[0] = a.Sandbox.Keys(ctx, key)
	account.Ledger, errs[1] = a.Sandbox.Ledger(ctx, key)
	if err := errors.Join(errs[:]...); err != nil {
		a.Log.Warn("the sandbox's account is not shown whole", "err", err)
	}
	return account
}
