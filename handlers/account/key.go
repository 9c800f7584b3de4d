package account

import (
	"errors"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
)

// SaveKey stores the user's API key, encrypted. It asks the service first and does not
// store a key that is refused.
func (h *Account) SaveKey(w http.ResponseWriter, r *http.Request) error {
	if allowed, err := h.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !allowed {
		return h.back(w, r, accountview.OwnKeyForbidden, "key")
	}
	key := site.CleanKey(r.PostFormValue("key"))
	refuse := func(status int, sentence string) error {
		page := accountview.SettingsPage{Name: site.Me(r).Name, Errors: input.Errors{"key": sentence}}
		return h.drawSettings(w, r, status, page)
	}
	if sentence := site.KeySentence(key); sentence != "" {
		return refuse(http.StatusUnprocessableEntity, sentence)
	}
	if _, wait, err := h.attempts.Take(r.Context(), site.ServiceCalls(site.Me(r).ID)); err != nil {
		return err
	} else if wait > 0 {
		return refuse(http.StatusTooManyRequests, site.TooMany(w, wait))
	}
	service := h.keyring.Service()
	found := h.keyring.Test(r.Context(), service, key)
	if found == site.KeyRefused {
		return refuse(http.StatusUnprocessableEntity, site.KeyUnusable)
	}
	if err := h.keyring.Put(r.Context(), site.Me(r).ID, service, key, found == site.KeyAccepted); err != nil {
		return err
	}
	h.wake() // tasks that waited for a key can be sent now
	return h.back(w, r, found.SavedSentence(), "key")
}

// TestKey asks the service whether it accepts the key.
func (h *Account) TestKey(w http.ResponseWriter, r *http.Request) error {
	kept, key, err := h.keyring.OpenOwn(r)
	if errors.Is(err, db.ErrNotFound) {
		return h.back(w, r, noKeyToTest, "key")
	}
	if err != nil {
		return err
	}
	if _, wait, err := h.attempts.Take(r.Context(), site.ServiceCalls(site.Me(r).ID)); err != nil {
		return err
	} else if wait > 0 {
		return h.back(w, r, keyTestsOver, "key")
	}
	found := h.keyring.Test(r.Context(), kept.ServiceID, key)
	if found.IsConclusive() {
		err := h.keys.SetKeyChecked(r.Context(), kept.UserID, kept.Sealed, db.Now(), found == site.KeyAccepted)
		if err != nil && !errors.Is(err, db.ErrConflict) { // ErrConflict: the key was replaced meanwhile, so the result is of no use
			return err
		}
	}
	return h.back(w, r, found.TestSentence(), "key")
}

// DeleteKey deletes the user's API key.
func (h *Account) DeleteKey(w http.ResponseWriter, r *http.Request) error {
	if err := h.keys.DeleteKey(r.Context(), site.Me(r).ID); err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return h.back(w, r, keyDeleted, "key")
}

// AddSandboxKey creates another key for the viewer's sandbox account, or a new account with
// its first key, and makes it the key in use.
func (h *Account) AddSandboxKey(w http.ResponseWriter, r *http.Request) error {
	console, used := h.registry.Console(), h.keyring.Service()
	if console == nil {
		return web.NotFound()
	}
	if allowed, err := h.keys.OwnKeysAllowed(r.Context()); err != nil {
		return err
	} else if !allowed {
		return h.back(w, r, accountview.OwnKeyForbidden, "key")
	}
	u := site.Me(r)
	_, old, err := h.keyring.OpenOwn(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	key, err := console.AddKey(r.Context(), old, u.Name)
	if err != nil {
		key, err = console.NewKey(r.Context(), u.Name, site.SandboxCredits)
	}
	if err != nil {
		return err
	}
	if err := h.keyring.Put(r.Context(), u.ID, used, key, true); err != nil {
		return err
	}
	h.wake()
	return h.back(w, r, practiceKey, "key")
}

// AddSandboxCredits adds credits to the viewer's sandbox account.
func (h *Account) AddSandboxCredits(w http.ResponseWriter, r *http.Request) error {
	console := h.registry.Console()
	if console == nil {
		return web.NotFound()
	}
	_, key, err := h.keyring.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err == nil {
		err = console.TopUp(r.Context(), key, site.SandboxCredits)
	}
	if err != nil {
		h.log.Info("no credits added", "err", err)
		return h.back(w, r, practiceNoKey, "key")
	}
	return h.back(w, r, practiceMore, "key")
}
