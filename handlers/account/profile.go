package account

import (
	"errors"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
)

// SaveName changes the person's name.
func (h *Account) SaveName(w http.ResponseWriter, r *http.Request) error {
	name := accountview.NewName("", "")
	if !site.ReadForm(r, &name) {
		page := accountview.SettingsPage{Name: name.Value, Errors: input.ErrorsOf(&name)}
		return h.drawSettings(w, r, http.StatusUnprocessableEntity, page)
	}
	err := h.accounts.SetUserName(r.Context(), site.Me(r).ID, name.Value)
	return h.done(w, r, err, site.Saved, "profile")
}

// SavePlaying says whether videos that the person opens play at once.
func (h *Account) SavePlaying(w http.ResponseWriter, r *http.Request) error {
	err := h.accounts.SetStill(r.Context(), site.Me(r).ID, r.PostFormValue("playing") != "on")
	return h.done(w, r, err, site.Saved, "playing")
}

// SavePassword changes the password and ends all other sessions, in case somebody else
// knew the old one, and tokens and webhooks, unless the person wants to keep them. This
// session gets a new token.
func (h *Account) SavePassword(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	programs := accountview.NewProgramsToo()
	chosen := site.ReadForm(r, programs)
	refuse := func(status int, field, sentence string) error {
		page := accountview.SettingsPage{Name: v.User.Name, Errors: input.Errors{field: sentence}, Too: programs}
		return h.drawSettings(w, r, status, page)
	}
	sentence, status, err := h.reauth.CheckPassword(w, r, v)
	if err != nil {
		return err
	}
	if sentence != "" {
		if status == http.StatusUnprocessableEntity {
			h.journal.Warn(r, "a password was not changed: the present one was wrong", "user", v.User.ID)
		}
		return refuse(status, "current", sentence)
	}
	password := r.PostFormValue("password")
	if sentence := site.PasswordSentence(password, v.User); sentence != "" {
		return refuse(http.StatusUnprocessableEntity, "password", sentence)
	}
	if !chosen {
		return refuse(http.StatusUnprocessableEntity, programs.Name, programs.Error)
	}
	hash, err := h.hashing.Hash(r.Context(), site.KnownApplicant(v.User.Email), password)
	if sentence, busy := site.Busy(w, err); busy {
		return refuse(http.StatusTooManyRequests, "password", sentence)
	}
	if err != nil {
		return err
	}
	token := secrets.NewToken()
	ended, err := h.sessions.ChangePassword(r.Context(), v.User.ID, v.User.Password, hash, v.Session.ID, secrets.HashToken(token),
		accountview.EndsPrograms(programs), db.Now())
	if errors.Is(err, db.ErrConflict) {
		return refuse(http.StatusUnprocessableEntity, "current", accountview.PasswordChanged)
	}
	if errors.Is(err, db.ErrNotFound) {
		return h.entry.LeadIn(w, r) // this session was ended meanwhile
	}
	if err != nil {
		return err
	}
	h.journal.Info(r, "a password was changed", "user", v.User.ID, "tokens ended", ended.Tokens, "webhooks ended", ended.Webhooks)
	err = h.cookies.SetToken(w, r, token)
	return h.done(w, r, err, passwordChangedWith(ended), "password")
}

// EndSession signs out another of the user's browsers.
func (h *Account) EndSession(w http.ResponseWriter, r *http.Request, id int64) error {
	err := h.sessions.EndSession(r.Context(), site.Me(r).ID, id)
	return h.done(w, r, err, browserOut, "sessions")
}

// EndOtherSessions signs out all of the user's other browsers.
func (h *Account) EndOtherSessions(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	err := h.sessions.EndOtherSessions(r.Context(), v.User.ID, v.Session.ID)
	return h.done(w, r, err, browsersOut, "sessions")
}

// themeSeconds is the lifetime of the cookie that stores the theme.
const themeSeconds = 365 * 24 * 60 * 60

// SaveTheme stores the theme in a cookie of this browser, which scripts can change,
// too.
func (h *Account) SaveTheme(w http.ResponseWriter, r *http.Request) error {
	cookie := http.Cookie{
		Name: site.ThemeCookie, Value: r.PostFormValue("theme"), Path: "/", MaxAge: themeSeconds,
		SameSite: http.SameSiteLaxMode, Secure: h.cookies.ForHost(),
	}
	switch cookie.Value {
	case "light", "dark":
	case "":
		cookie.MaxAge = -1
	default:
		page := accountview.SettingsPage{Name: site.Me(r).Name, Errors: input.Errors{"theme": accountview.ThemeUnknown}}
		return h.drawSettings(w, r, http.StatusUnprocessableEntity, page)
	}
	http.SetCookie(w, &cookie)
	return h.back(w, r, themeSaved, "look")
}

// SaveMail stores which notices the user wants by mail. Unknown names are ignored.
func (h *Account) SaveMail(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	wanted := map[outbox.Notice]bool{}
	for _, n := range r.PostForm["mail"] {
		wanted[outbox.Notice(n)] = true
	}
	err := h.mail.SetNotices(r.Context(), site.Me(r).ID, wanted)
	return h.done(w, r, err, site.Saved, "notices")
}

// MailReady lets the user be told by mail how their videos ended, and answers with the
// notices that they wanted before, separated by spaces. The stage of Create asks for it in
// place, where the browser shows no notifications.
func (h *Account) MailReady(w http.ResponseWriter, r *http.Request) error {
	if !h.canMail {
		return web.NotFound()
	}
	wanted, err := h.mail.WantedNotices(r.Context(), site.Me(r).ID)
	if err != nil {
		return err
	}
	var before []string
	for _, n := range outbox.Notices() {
		if wanted[n] {
			before = append(before, string(n))
		}
	}
	wanted[outbox.NoticeReady], wanted[outbox.NoticeFailed] = true, true
	if err := h.mail.SetNotices(r.Context(), site.Me(r).ID, wanted); err != nil {
		return err
	}
	return web.Send(w, http.StatusOK, []byte(strings.Join(before, " ")))
}

// fillMail fills in which notices the user gets by mail, if mail is configured.
func (h *Account) fillMail(_ http.ResponseWriter, r *http.Request, page *accountview.SettingsPage) (err error) {
	if h.canMail {
		page.Mail, err = h.mail.WantedNotices(r.Context(), site.Me(r).ID)
	}
	return err
}
