package account

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/site"
	accountview "dailies/views/account"
)

// keyPart fills in which key the viewer's videos are made with.
type keyPart struct {
	keyring *site.Keys
	keys    *people.Keys
	log     *slog.Logger
	desk    *service.Desk
}

// Fill fills in the user's keys and, with the sandbox, the account behind the key in
// use.
func (k *keyPart) Fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	keys := &page.Keys
	allowed, err := k.keys.OwnKeysAllowed(r.Context())
	if err != nil {
		return err
	}
	keys.Forbidden, keys.Admin = !allowed, site.Me(r).IsAdmin()
	own, _, err := k.keyring.OpenOwn(r)
	switch {
	case err == nil:
		keys.Own = &own
		if keys.Running, err = k.keys.RunningWithOwnKey(r.Context(), own.UserID); err != nil {
			return err
		}
	case !errors.Is(err, db.ErrNotFound):
		return err
	case own.Sealed != nil && allowed:
		keys.Said = accountview.OwnKeyUnreadable
	}
	used, text, err := k.keyring.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if used.TeamKeyID != 0 {
		if err := k.fillTeamKey(r, keys, used, err == nil); err != nil {
			return err
		}
	}
	if keys.Earlier, err = k.keys.EarlierServices(r.Context(), site.Me(r).ID); err != nil {
		return err
	}
	if !k.desk.IsPractice() {
		keys.Service = k.desk.Current().Host()
	}
	if console := k.desk.Console(); console != nil {
		page.Sandbox = k.sandboxAccount(r.Context(), console, text)
	}
	return nil
}

// fillTeamKey fills in the team's key that the viewer uses, if it can be decrypted.
func (k *keyPart) fillTeamKey(r *http.Request, keys *accountview.KeyPart, used secrets.Key, opens bool) error {
	if !opens {
		keys.Said = accountview.TeamKeyUnreadable
		return nil
	}
	of, err := k.keys.TeamKey(r.Context(), used.TeamKeyID)
	if errors.Is(err, db.ErrNotFound) {
		return nil // it was deleted meanwhile
	}
	keys.Team, keys.TeamName = &used, of.Name
	return err
}

// sandboxAccount returns the key's sandbox account, with its balance, keys and ledger.
func (k *keyPart) sandboxAccount(ctx context.Context, console service.Console, key string) *accountview.SandboxAccount {
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
		k.log.Warn("the sandbox's account is not shown whole", "err", err)
	}
	return account
}

// linkPart fills in the links that the viewer has made.
type linkPart struct {
	links  *video.Links
	shares *site.Shares
}

// maxLinks limits how many links Settings lists.
const maxLinks = 500

// Fill fills in the share links that the user has made or, for admins,
// everybody's.
func (l *linkPart) Fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	by := site.Me(r).ID
	if site.Me(r).IsAdmin() {
		by = 0
	}
	shares, err := l.links.Shares(r.Context(), by, db.Now(), maxLinks)
	page.Links = l.shares.ShareLinks(r, shares)
	return err
}

// storagePart fills in how much space files take.
type storagePart struct {
	pictures *video.Pictures
	space    func(context.Context) (schedule.Space, error) // nil if it is not limited
}

// Fill fills in how much space the user's pictures take and, for admins, the
// space of the whole program.
func (s *storagePart) Fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
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

// signingPart fills in how the viewer signs in.
type signingPart struct {
	steps *people.SecondSteps
	ways  *ways
}

// Fill fills in how the person signs in.
func (s *signingPart) Fill(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) error {
	rules, err := s.ways.rules(r)
	if err != nil {
		return err
	}
	in := &page.Signing
	in.HasPassword, in.PasswordsOff = site.Me(r).Password != "", rules.PasswordsOff
	if s.ways.provider != nil {
		in.Provider = nameOf(s.ways.provider, rules)
	}
	var errs [4]error
	in.SecondSteps, errs[0] = s.steps.Of(r.Context(), site.Me(r).ID)
	in.Passkeys, errs[1] = s.steps.Passkeys(r.Context(), site.Me(r).ID)
	in.Guessed, errs[2] = s.steps.Guessed(r.Context(), site.Me(r).ID, db.Now().Add(-guessedFor))
	in.Identities, errs[3] = s.ways.signOn.Identities(r.Context(), site.Me(r).ID)
	return errors.Join(errs[:]...)
}
