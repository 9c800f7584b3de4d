package account

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// Settings shows the page with the settings of the viewer's own account.
type Settings struct {
	pages    *site.Pages
	sessions *people.Sessions
	programs *people.Programs
	parts    []SettingsPart
}

// A SettingsPart fills in a part of the settings page.
type SettingsPart interface {
	Fill(http.ResponseWriter, *http.Request, *accountview.SettingsPage) error
}

// Show shows the settings page.
func (s *Settings) Show(w http.ResponseWriter, r *http.Request) error {
	return s.draw(w, r, http.StatusOK, accountview.SettingsPage{Name: site.Me(r).Name})
}

// back redirects to the anchor on the settings page, which shows the sentence.
func (s *Settings) back(w http.ResponseWriter, r *http.Request, sentence, anchor string) error {
	return s.pages.SeeOther(w, r, "/settings#"+anchor, sentence)
}

// done is like back, for a change that has ended with err.
func (s *Settings) done(w http.ResponseWriter, r *http.Request, err error, sentence, anchor string) error {
	return s.pages.Done(w, r, err, "/settings#"+anchor, sentence)
}

// draw fills in the rest of the settings page and renders it.
func (s *Settings) draw(w http.ResponseWriter, r *http.Request, status int, page accountview.SettingsPage) (err error) {
	v, _ := site.ViewerOf(r)
	page.LookOnly, page.Current = !v.User.Makes(), v.Session.ID
	for _, p := range s.parts {
		if err := p.Fill(w, r, &page); err != nil {
			return err
		}
	}
	if page.Tokens, page.Hooks, err = s.programs.Connected(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	if page.Too == nil {
		page.Too = accountview.NewProgramsToo()
	}
	if page.Sessions, err = s.sessions.Of(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	return s.pages.Draw(w, r, status, "Settings", func(f part.Frame) templ.Component { return accountview.ShowSettings(f, page) })
}

// Announcement lets people close the announcement that an admin shows on every page.
type Announcement struct{ settings *people.Settings }

// maxMark limits the mark of an announcement, in bytes.
const maxMark = 64

// Close records that the viewer has closed the announcement with the mark.
func (a *Announcement) Close(w http.ResponseWriter, r *http.Request) error {
	mark := site.Clip(site.PlainText(r.PostFormValue("mark")), maxMark)
	if err := a.settings.CloseAnnouncement(r.Context(), site.Me(r).ID, mark); err != nil {
		return err
	}
	return web.SeeOther(w, r, site.CameFrom(r))
}

// Keyboard lists the keyboard shortcuts.
type Keyboard struct{ pages *site.Pages }

// Show lists the shortcuts on a page of its own, for browsers without JavaScript. With
// it, they are fetched and open on top of the current page.
func (k *Keyboard) Show(w http.ResponseWriter, r *http.Request) error {
	return web.Part(w, r, http.StatusOK, part.KeysDialog(), func(w http.ResponseWriter, r *http.Request) error {
		return k.pages.Draw(w, r, http.StatusOK, "Keyboard", func(f part.Frame) templ.Component { return accountview.ShowKeys(f) })
	})
}

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
