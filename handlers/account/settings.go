package account

import (
	"context"
	"errors"
	"net/http"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/service"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// ShowSettings shows the settings page.
func (h *Account) ShowSettings(w http.ResponseWriter, r *http.Request) error {
	return h.drawSettings(w, r, http.StatusOK, accountview.SettingsPage{Name: site.Me(r).Name})
}

// back redirects to the anchor on the settings page, which shows the sentence.
func (h *Account) back(w http.ResponseWriter, r *http.Request, sentence, anchor string) error {
	return h.pages.SeeOther(w, r, "/settings#"+anchor, sentence)
}

// done is like back, for a change that has ended with err.
func (h *Account) done(w http.ResponseWriter, r *http.Request, err error, sentence, anchor string) error {
	return h.pages.Done(w, r, err, "/settings#"+anchor, sentence)
}

// drawSettings fills in the rest of the settings page and renders it.
func (h *Account) drawSettings(w http.ResponseWriter, r *http.Request, status int, page accountview.SettingsPage) (err error) {
	v, _ := site.ViewerOf(r)
	page.LookOnly, page.Current = !v.User.Makes(), v.Session.ID
	for _, fill := range h.parts {
		if err := fill(w, r, &page); err != nil {
			return err
		}
	}
	if page.Tokens, page.Hooks, err = h.programs.Connected(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	if page.Too == nil {
		page.Too = accountview.NewProgramsToo()
	}
	if page.Sessions, err = h.sessions.Of(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Settings", accountview.ShowSettings(page))
}

// maxMark limits the mark of an announcement, in bytes.
const maxMark = 64

// CloseAnnouncement records that the viewer has closed the announcement with the mark.
func (h *Account) CloseAnnouncement(w http.ResponseWriter, r *http.Request) error {
	mark := site.Clip(site.PlainText(r.PostFormValue("mark")), maxMark)
	if err := h.settings.CloseAnnouncement(r.Context(), site.Me(r).ID, mark); err != nil {
		return err
	}
	return web.SeeOther(w, r, site.CameFrom(r))
}

// ShowKeyboard lists the keyboard shortcuts on a page of its own, for browsers without
// JavaScript. With it, they are fetched and open on top of the current page.
func (h *Account) ShowKeyboard(w http.ResponseWriter, r *http.Request) error {
	return web.Part(w, r, http.StatusOK, part.KeysDialog(), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.Draw(w, r, http.StatusOK, "Keyboard", accountview.ShowKeys())
	})
}

// fillKeys fills in the user's keys and, with the sandbox, the account behind the key in
// use.
func (h *Account) fillKeys(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	keys := &page.Keys
	allowed, err := h.keys.OwnKeysAllowed(r.Context())
	if err != nil {
		return err
	}
	keys.Forbidden = !allowed
	own, _, err := h.keyring.OpenOwn(r)
	switch {
	case err == nil:
		keys.Own = &own
		if keys.Running, err = h.keys.RunningWithOwnKey(r.Context(), own.UserID); err != nil {
			return err
		}
	case !errors.Is(err, db.ErrNotFound):
		return err
	case own.Sealed != nil && allowed:
		keys.Said = accountview.OwnKeyUnreadable
	}
	used, text, err := h.keyring.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if used.TeamKeyID != 0 {
		if err := h.fillTeamKey(r, keys, used, err == nil); err != nil {
			return err
		}
	}
	if keys.Earlier, err = h.keys.EarlierServices(r.Context(), site.Me(r).ID); err != nil {
		return err
	}
	if !h.registry.IsPractice() {
		keys.Service = h.registry.Current().Host()
	}
	if console := h.registry.Console(); console != nil {
		page.Sandbox = h.sandboxAccount(r.Context(), console, text)
	}
	return nil
}

// fillTeamKey fills in the team's key that the viewer uses, if it can be decrypted.
func (h *Account) fillTeamKey(r *http.Request, keys *accountview.KeyPart, used secrets.Key, opens bool) error {
	if !opens {
		keys.Said = accountview.TeamKeyUnreadable
		return nil
	}
	of, err := h.keys.TeamKey(r.Context(), used.TeamKeyID)
	if errors.Is(err, db.ErrNotFound) {
		return nil // it was deleted meanwhile
	}
	keys.Team, keys.TeamName = &used, of.Name
	return err
}

// sandboxAccount returns the key's sandbox account, with its balance, keys and ledger.
func (h *Account) sandboxAccount(ctx context.Context, console service.Console, key string) *accountview.SandboxAccount {
	if key == "" {
		return &accountview.SandboxAccount{}
	}
	balance, err := console.Balance(ctx, key)
	if err != nil {
		return &accountview.SandboxAccount{}
	}
	account := &accountview.SandboxAccount{Balance: balance, Known: true}
	var errs [2]error
	account.Keys, errs[0] = console.Keys(ctx, key)
	account.Ledger, errs[1] = console.Ledger(ctx, key)
	if err := errors.Join(errs[:]...); err != nil {
		h.log.Warn("the sandbox's account is not shown whole", "err", err)
	}
	return account
}

// maxLinks limits how many links Settings lists.
const maxLinks = 500

// fillLinks fills in the share links that the user has made or, for admins,
// everybody's.
func (h *Account) fillLinks(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	by := site.Me(r).ID
	if site.Me(r).IsAdmin() {
		by = 0
	}
	shares, err := h.links.Shares(r.Context(), by, db.Now(), maxLinks)
	page.Links = h.shares.ShareLinks(r, shares)
	return err
}

// fillStorage fills in how much space the user's pictures take and, for admins, the
// space of the whole program.
func (h *Account) fillStorage(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	me, st := site.Me(r), &page.Storage
	var err error
	st.MaxUploads = ordering.UsualQuota.Bytes
	if st.Pictures, st.Uploads, err = h.pictures.PictureUse(r.Context(), me.ID); err != nil || !me.IsAdmin() || h.space == nil {
		return err
	}
	space, err := h.space(r.Context())
	st.Space = &space
	return err
}
