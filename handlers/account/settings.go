package account

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/openid"
)

// Settings shows a user's settings and changes their name, password, sessions and
// theme.
type Settings struct {
	accounts *people.Accounts
	canMail  bool
	cookies  *web.Cookies
	factors  *people.Factors
	guard    *site.Guard
	hashing  *site.Hashing
	keyring  *site.Keys
	keys     *people.Keys
	links    *video.Links
	log      *slog.Logger
	mail     *people.Mail
	network  *site.Network
	pages    *site.Pages
	pictures *video.Pictures
	sandbox  site.Sandbox
	sessions *people.Sessions
	shares   *site.Shares
	signOn   *people.SignOn
	space    func(context.Context) (schedule.Space, error)
	tries    *site.Tries
	webhooks *people.Webhooks
	provider *openid.Provider // nil if none is configured
}

// Show shows the settings page.
func (s *Settings) Show(w http.ResponseWriter, r *http.Request) error {
	return s.page(w, r, http.StatusOK, accountview.SettingsPage{Name: site.Me(r).Name})
}

// SaveName changes the person's name.
func (s *Settings) SaveName(w http.ResponseWriter, r *http.Request) error {
	name := accountview.NewName("", "")
	if !site.ReadForm(r, &name) {
		return s.page(w, r, http.StatusUnprocessableEntity, accountview.SettingsPage{Name: name.Value, Errors: input.ErrorsOf(&name)})
	}
	if err := s.accounts.SetUserName(r.Context(), site.Me(r).ID, name.Value); err != nil {
		return err
	}
	return s.back(w, r, "Your name is saved.", "profile")
}

// SavePassword changes the password and ends all other sessions, in case somebody else
// knew the old one. This session gets a new token.
func (s *Settings) SavePassword(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	refuse := func(status int, field, sentence string) error {
		page := accountview.SettingsPage{Name: v.User.Name, Errors: input.Errors{field: sentence}}
		return s.page(w, r, status, page)
	}
	guess, wait, err := s.tries.TakeSlowly(r.Context(), sessionLimit(v))
	if err != nil {
		return err
	}
	if wait > 0 {
		return refuse(http.StatusTooManyRequests, "current", site.TooMany(w, wait))
	}
	current, password := r.PostFormValue("current"), r.PostFormValue("password")
	who := site.KnownApplicant(v.User.Email)
	right, _, err := s.hashing.Match(r.Context(), who, v.User.Password, current)
	if sentence, busy := site.Busy(w, err); busy {
		guess.GiveBack()
		return refuse(http.StatusTooManyRequests, "current", sentence)
	}
	if err != nil {
		return err
	}
	if !right {
		s.log.Warn("a password was not changed: the present one was wrong", "user", v.User.ID, "address", s.network.Address(r))
		return refuse(http.StatusUnprocessableEntity, "current", "This is not your present password.")
	}
	guess.GiveBack()
	if sentence := passwordSentence(password, v.User); sentence != "" {
		return refuse(http.StatusUnprocessableEntity, "password", sentence)
	}
	hash, err := s.hashing.Hash(r.Context(), who, password)
	if sentence, busy := site.Busy(w, err); busy {
		return refuse(http.StatusTooManyRequests, "password", sentence)
	}
	if err != nil {
		return err
	}
	token := secrets.NewToken()
	err = s.sessions.ChangePassword(r.Context(), v.User.ID, v.User.Password, hash, v.Session.ID, secrets.HashToken(token))
	if errors.Is(err, db.ErrConflict) {
		return refuse(http.StatusUnprocessableEntity, "current", "Your password was changed at this moment. Please give the new one.")
	}
	if errors.Is(err, db.ErrNotFound) {
		return s.guard.LeadIn(w, r) // this session was ended meanwhile
	}
	if err != nil {
		return err
	}
	s.log.Info("a password was changed", "user", v.User.ID, "address", s.network.Address(r))
	if err := s.cookies.SetToken(w, r, token); err != nil {
		return err
	}
	return s.back(w, r, "Your password is changed, and every other browser is signed out.", "password")
}

// EndSession signs out another of the user's browsers.
func (s *Settings) EndSession(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	if err := s.sessions.EndSession(r.Context(), site.Me(r).ID, id); err != nil {
		return err
	}
	return s.back(w, r, "That browser is signed out.", "sessions")
}

// EndOtherSessions signs out all of the user's other browsers.
func (s *Settings) EndOtherSessions(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	if err := s.sessions.EndOtherSessions(r.Context(), v.User.ID, v.Session.ID); err != nil {
		return err
	}
	return s.back(w, r, "Every other browser is signed out.", "sessions")
}

// themeSeconds is the lifetime of the cookie that stores the theme.
const themeSeconds = 365 * 24 * 60 * 60

// SaveTheme stores the theme in a cookie of this browser, which scripts can change,
// too.
func (s *Settings) SaveTheme(w http.ResponseWriter, r *http.Request) error {
	cookie := http.Cookie{Name: site.ThemeCookie, Value: r.PostFormValue("theme"), Path: "/", MaxAge: themeSeconds, SameSite: http.SameSiteLaxMode, Secure: s.cookies.ForHost()}
	switch cookie.Value {
	case "light", "dark":
	case "":
		cookie.MaxAge = -1
	default:
		page := accountview.SettingsPage{Name: site.Me(r).Name, Errors: input.Errors{"theme": "Please choose one of these."}}
		return s.page(w, r, http.StatusUnprocessableEntity, page)
	}
	http.SetCookie(w, &cookie)
	return s.back(w, r, "The theme is saved in this browser.", "look")
}

// back redirects to the anchor on the settings page, which shows the sentence.
func (s *Settings) back(w http.ResponseWriter, r *http.Request, sentence, anchor string) error {
	if err := s.cookies.SetFlash(w, r, "flash", sentence); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/settings#"+anchor)
}

// page fills in the rest of the settings page and renders it.
func (s *Settings) page(w http.ResponseWriter, r *http.Request, status int, page accountview.SettingsPage) error {
	v, _ := site.ViewerOf(r)
	page.LookOnly = !v.User.Makes()
	if err := s.fillKey(r, &page); err != nil {
		return err
	}
	if err := s.fillWebhook(w, r, &page); err != nil {
		return err
	}
	if err := s.fillLinks(r, &page); err != nil {
		return err
	}
	if err := s.fillStorage(r, &page); err != nil {
		return err
	}
	if err := s.fillMail(r, &page); err != nil {
		return err
	}
	if err := s.fillSigning(r, &page); err != nil {
		return err
	}
	var err error
	if page.Sessions, err = s.sessions.Of(r.Context(), v.User.ID, db.Now()); err != nil {
		return err
	}
	page.Current = v.Session.ID
	return s.pages.Draw(w, r, status, "Settings", func(f part.Frame) templ.Component { return accountview.ShowSettings(f, page) })
}
