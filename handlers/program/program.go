// Package program serves the pages on which people connect programs of their own: tokens
// and webhooks.
package program

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// Handlers holds the handlers of people's own programs.
type Handlers struct {
	Hooks       *Webhooks
	HookActions *HookActions
	EarlierHook *EarlierWebhook
	OwnPrograms *OwnPrograms
}

// New returns the handlers.
func New(s *site.Site) *Handlers {
	stored := &webhookPart{cookies: s.Cookies, webhooks: s.Store.Webhooks}
	h := &Handlers{
		Hooks:       &Webhooks{cookies: s.Cookies, hooks: s.Hooks, pages: s.Pages, stored: stored},
		OwnPrograms: &OwnPrograms{cookies: s.Cookies, log: s.Log, network: s.Network, pages: s.Pages, programs: s.Store.Programs},
	}
	h.HookActions = &HookActions{h.Hooks}
	h.EarlierHook = &EarlierWebhook{h.HookActions}
	return h
}

// SettingsPart fills in the viewer's webhooks on the page of the settings.
func (h *Handlers) SettingsPart() *webhookPart { return h.Hooks.stored }

// OwnPrograms makes and ends the tokens with which a person's own programs use the API.
type OwnPrograms struct {
	cookies  *web.Cookies
	log      *slog.Logger
	network  *site.Network
	pages    *site.Pages
	programs *people.Programs
}

// maxTokens limits how many tokens a page lists.
const maxTokens = 500

// Show shows the viewer's tokens, the form for a new one and, once, a new token.
func (h *OwnPrograms) Show(w http.ResponseWriter, r *http.Request) error {
	secret, err := h.cookies.TakeFlash(w, r, "program")
	if err != nil {
		return err
	}
	return h.draw(w, r, http.StatusOK, accountview.ProgramsPage{NewSecret: secret, Form: accountview.NewProgramForm(site.Me(r).Makes())})
}

// ShowAll shows the tokens of the whole team.
func (h *OwnPrograms) ShowAll(w http.ResponseWriter, r *http.Request) error {
	return h.draw(w, r, http.StatusOK, accountview.ProgramsPage{OfTeam: true})
}

func (h *OwnPrograms) draw(w http.ResponseWriter, r *http.Request, status int, page accountview.ProgramsPage) (err error) {
	of := site.Me(r).ID
	page.Origin = h.network.Origin(r)
	if page.OfTeam {
		of = 0
	}
	if page.Tokens, err = h.programs.Of(r.Context(), of, db.Now(), maxTokens); err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Programs", func(f part.Frame) templ.Component { return accountview.ShowPrograms(f, page) })
}

// Add makes a token, which the next page shows once.
func (h *OwnPrograms) Add(w http.ResponseWriter, r *http.Request) error {
	me := site.Me(r)
	form := accountview.NewProgramForm(me.Makes())
	valid := site.ReadForm(r, &form.Name, &form.May, &form.Cap, &form.Days)
	days, daysValid := form.ReadDays()
	if !valid || !daysValid {
		return h.draw(w, r, http.StatusUnprocessableEntity, accountview.ProgramsPage{Form: form})
	}
	secret := program.NewSecret()
	hash, _ := program.Parse(secret)
	now := db.Now()
	t := program.Token{
		UserID: me.ID, Name: form.Name.Value, Start: program.Start(secret), Hash: hash,
		May: program.Permission(form.May.Value), Cap: form.Cap.Amount, CreatedAt: now, EndsAt: now.AddDate(0, 0, days),
	}
	err := h.programs.Add(r.Context(), &t)
	if errors.Is(err, db.ErrFull) {
		form.Name.Error = tokensAreFull
		return h.draw(w, r, http.StatusUnprocessableEntity, accountview.ProgramsPage{Form: form})
	}
	if err != nil {
		return err
	}
	h.log.Info("a token was made", "user", me.ID, "token", t.ID, "may", string(t.May), "ends", t.EndsAt)
	if err := h.cookies.SetFlash(w, r, "program", secret); err != nil {
		return err
	}
	return web.SeeOther(w, r, programsPath)
}

const (
	programsPath     = "/settings/programs"
	teamProgramsPath = "/team/programs"
)

// End ends a token of the viewer or, from the page of the team, anybody's.
func (h *OwnPrograms) End(w http.ResponseWriter, r *http.Request, id int64) error {
	of, path := site.Me(r).ID, programsPath
	if site.Me(r).IsAdmin() && r.FormValue("team") != "" {
		of, path = 0, teamProgramsPath
	}
	err := h.programs.End(r.Context(), id, of, db.Now())
	if err == nil {
		h.log.Info("a token was ended", "token", id, "by", site.Me(r).ID)
	}
	return h.pages.Done(w, r, err, path, tokenEnded)
}

// Continue lets a token make videos again after one that cost more than quoted.
func (h *OwnPrograms) Continue(w http.ResponseWriter, r *http.Request, id int64) error {
	err := h.programs.Continue(r.Context(), id, site.Me(r).ID, db.Now())
	return h.pages.Done(w, r, err, programsPath, tokenContinues)
}
