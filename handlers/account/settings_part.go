package account

import (
	"context"
	"errors"
	"net/http"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/handlers/site"
	accountview "dailies/views/account"
)

// fillKey fills in the user's keys and, with the sandbox, the account behind the key in
// use.
func (s *Settings) fillKey(r *http.Request, page *accountview.SettingsPage) error {
	keys := &page.Keys
	allowed, err := s.keys.OwnKeysAllowed(r.Context())
	if err != nil {
		return err
	}
	keys.Forbidden, keys.Admin = !allowed, site.Me(r).IsAdmin()
	own, _, err := s.keyring.OpenOwn(r)
	switch {
	case err == nil:
		keys.Own = &own
		if keys.Running, err = s.keys.RunningWithOwnKey(r.Context(), own.UserID); err != nil {
			return err
		}
	case !errors.Is(err, db.ErrNotFound):
		return err
	case own.Sealed != nil && allowed:
		keys.Said = "Your saved key can no longer be opened, because this Dailies was restored from a backup or has a new secret. Please paste your key once more."
	}
	used, text, err := s.keyring.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if used.TeamKeyID != 0 {
		if err := s.fillTeamKey(r, keys, used, err == nil); err != nil {
			return err
		}
	}
	if s.sandbox != nil {
		page.Sandbox = s.sandboxAccount(r.Context(), text)
	}
	return nil
}

// fillTeamKey fills in the team's key that the viewer uses, if it can be decrypted.
func (s *Settings) fillTeamKey(r *http.Request, keys *accountview.KeyPart, used secrets.Key, opens bool) error {
	if !opens {
		keys.Said = "The team's key can no longer be opened, because this Dailies was restored from a backup or has a new secret. An admin has to paste it once more."
		return nil
	}
	k, err := s.keys.TeamKey(r.Context(), used.TeamKeyID)
	if errors.Is(err, db.ErrNotFound) {
		return nil // it was deleted meanwhile
	}
	keys.Team, keys.TeamName = &used, k.Name
	return err
}

// sandboxAccount returns the key's sandbox account, with its balance, keys and ledger.
func (s *Settings) sandboxAccount(ctx context.Context, key string) *accountview.SandboxAccount {
	if key == "" {
		return &accountview.SandboxAccount{}
	}
	balance, err := s.sandbox.Balance(ctx, key)
	if err != nil {
		return &accountview.SandboxAccount{}
	}
	account := &accountview.SandboxAccount{Balance: balance, Known: true}
	var errs [2]error
	account.Keys, errs[0] = s.sandbox.Keys(ctx, key)
	account.Ledger, errs[1] = s.sandbox.Ledger(ctx, key)
	if err := errors.Join(errs[:]...); err != nil {
		s.log.Warn("the sandbox's account is not shown whole", "err", err)
	}
	return account
}

// maxLinks limits how many links Settings lists.
const maxLinks = 500

// fillLinks fills in the share links that the user has made or, for admins,
// everybody's.
func (s *Settings) fillLinks(r *http.Request, page *accountview.SettingsPage) error {
	by := site.Me(r).ID
	if site.Me(r).IsAdmin() {
		by = 0
	}
	shares, err := s.links.Shares(r.Context(), by, db.Now(), maxLinks)
	page.Links = s.shares.ShareLinks(r, shares)
	return err
}

// fillWebhook fills in the webhook, its latest deliveries and, once, its new secret.
func (s *Settings) fillWebhook(w http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	var err error
	if page.Webhook.Said, err = s.cookies.TakeFlash(w, r, "webhook said"); err != nil {
		return err
	}
	hook, err := s.webhooks.Webhook(r.Context(), site.Me(r).ID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	page.Webhook.Saved = true
	if page.Errors["webhook"] == "" {
		page.Webhook.Address = hook.Address
	}
	if page.Webhook.NewSecret, err = s.cookies.TakeFlash(w, r, "webhook"); err != nil {
		return err
	}
	page.Webhook.Deliveries, err = s.webhooks.Deliveries(r.Context(), hook.UserID, shownDeliveries)
	return err
}

// fillStorage fills in how much space the user's pictures take and, for admins, the
// space of the whole program.
func (s *Settings) fillStorage(r *http.Request, page *accountview.SettingsPage) error {
	me, st := site.Me(r), &page.Storage
	var err error
	st.MaxUploads = ordering.UsualQuota.Bytes
	if st.Pictures, st.Uploads, err = s.pictures.PictureUse(r.Context(), me.ID); err != nil || !me.IsAdmin() || s.space == nil {
		return err
	}
	space, err := s.space(r.Context())
	st.Space = &space
	return err
}

// fillSigning fills in how the person signs in.
func (s *Settings) fillSigning(r *http.Request, page *accountview.SettingsPage) error {
	rules, err := s.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	in := &page.Signing
	in.HasPassword, in.PasswordsOff = site.Me(r).Password != "", rules.PasswordsOff
	if s.provider != nil {
		in.Provider = nameOf(s.provider, rules)
	}
	if in.Factors, err = s.factors.Of(r.Context(), site.Me(r).ID); err != nil {
		return err
	}
	if in.Passkeys, err = s.factors.Passkeys(r.Context(), site.Me(r).ID); err != nil {
		return err
	}
	if in.Guessed, err = s.factors.Guessed(r.Context(), site.Me(r).ID, db.Now().Add(-guessedFor)); err != nil {
		return err
	}
	in.Identities, err = s.signOn.Identities(r.Context(), site.Me(r).ID)
	return err
}
