// Package program serves the pages on which people connect programs of their own: tokens
// and webhooks.
package program

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/db/program"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// Program is the room of tokens and webhooks.
type Program struct {
	cookies  *web.Cookies
	guard    *site.Guard
	hooks    *site.Hooks
	log      *slog.Logger
	network  *site.Network
	pages    *site.Pages
	programs *people.Programs
	reauth   *site.Reauth
	webhooks *people.Webhooks
}

// New returns the room.
func New(s *site.Site) *Program {
	return &Program{
		cookies: s.Cookies, guard: s.Guard, hooks: s.Hooks, log: s.Log, network: s.Network, pages: s.Pages,
		programs: s.Store.Programs, reauth: s.Reauth, webhooks: s.Store.Webhooks,
	}
}

// Routes returns the room's rows.
func (p *Program) Routes() []site.Route {
	signedIn, maker, admin, byID := p.guard.SignedIn, p.guard.Maker, p.guard.Admin, site.ByID
	return []site.Route{
		site.On("GET /settings/programs", signedIn, p.ShowTokens, site.ForViewers),
		site.On("POST /settings/programs", signedIn, p.reauth.Require("Make a token?", "Make token", p.AddToken), site.ForViewers).
			Sends("", "name=Importer&may=make&days=90&cap=100"),
		site.On("POST /settings/programs/{id}/end", signedIn, byID(p.EndToken), site.ForViewers).At("{token}").Gets(404, "99999"),
		site.On("POST /settings/programs/{id}/continue", maker, byID(p.ContinueToken), site.ForMakers).At("{token}").Gets(404, "99999"),
		site.On("GET /team/programs", admin, p.ShowTeamTokens, site.ForAdmins),
		site.On("GET /settings/webhooks", signedIn, site.RedirectTo("/settings#webhook-section"), site.ForViewers).Gets(303, ""),
		site.On("POST /settings/webhooks", maker, p.AddWebhook, site.ForMakers).
			Sends("", "webhook=https://hooks.example.com/z&types=video.ready"),
		site.On("GET /settings/webhooks/new", maker, p.NewWebhook, site.ForMakers),
		site.On("GET /settings/webhooks/{id}", signedIn, byID(p.ShowWebhook), site.ForViewers).At("1").Gets(404, "99999").
			OwnerGets(200, "{hook}"),
		site.On("POST /settings/webhooks/{id}", maker, byID(p.SaveWebhook), site.ForMakers).
			Sends("1", "webhook=https://hooks.example.com/z&types=video.failed").OwnerGets(422, "{hook}"),
		site.On("POST /settings/webhooks/{id}/secret", maker, byID(p.RenewSecret), site.ForMakers).At("1").OwnerGets(303, "{hook}"),
		site.On("POST /settings/webhooks/{id}/test", maker, byID(p.TestWebhook), site.ForMakers).At("1").Gets(404, "99999"),
		site.On("POST /settings/webhooks/{id}/on", maker, byID(p.TurnOn), site.ForMakers).At("1").OwnerGets(303, "{hook}"),
		site.On("POST /settings/webhooks/{id}/delete", signedIn, byID(p.DeleteWebhook), site.ForViewers).At("1").Gets(404, "99999"),
		site.On("POST /settings/webhooks/{id}/deliveries/{delivery}/again", maker, byID(p.SendAgain), site.ForMakers).At("1/1").
			Gets(404, "{hook}/99999"),
		site.On("GET /team/webhooks", admin, p.ShowTeamWebhooks, site.ForAdmins),
		// These paths are from when a person had one webhook.
		site.On("POST /settings/webhook", maker, p.withEarlier(p.SaveWebhook), site.ForMakers).
			Sends("", "webhook=https://hooks.example.com/y").Gets(404, ""),
		site.On("POST /settings/webhook/secret", maker, p.withEarlier(p.RenewSecret), site.ForMakers).Gets(404, ""),
		site.On("POST /settings/webhook/test", maker, p.withEarlier(p.TestWebhook), site.ForMakers).Gets(404, ""),
		site.On("POST /settings/webhook/delete", signedIn, p.withEarlier(p.DeleteWebhook), site.ForViewers).Gets(404, ""),
		site.On("POST /settings/webhook/standard", maker, p.Standardise, site.ForMakers),
	}
}

// maxTokens limits how many tokens a page lists.
const maxTokens = 500

// ShowTokens shows the viewer's tokens, the form for a new one and, once, a new token.
func (p *Program) ShowTokens(w http.ResponseWriter, r *http.Request) error {
	secret, err := p.cookies.TakeFlash(w, r, "program")
	if err != nil {
		return err
	}
	return p.drawTokens(w, r, http.StatusOK, accountview.ProgramsPage{
		NewSecret: secret, Form: accountview.NewProgramForm(site.Me(r).Makes()),
	})
}

// ShowTeamTokens shows the tokens of the whole team.
func (p *Program) ShowTeamTokens(w http.ResponseWriter, r *http.Request) error {
	return p.drawTokens(w, r, http.StatusOK, accountview.ProgramsPage{OfTeam: true})
}

func (p *Program) drawTokens(w http.ResponseWriter, r *http.Request, status int, page accountview.ProgramsPage) (err error) {
	of := site.Me(r).ID
	page.Origin = p.network.Origin(r)
	if page.OfTeam {
		of = 0
	}
	if page.Tokens, err = p.programs.Of(r.Context(), of, db.Now(), maxTokens); err != nil {
		return err
	}
	return p.pages.Draw(w, r, status, "Programs", accountview.ShowPrograms(page))
}

// AddToken makes a token, which the next page shows once.
func (p *Program) AddToken(w http.ResponseWriter, r *http.Request) error {
	me := site.Me(r)
	form := accountview.NewProgramForm(me.Makes())
	if !site.ReadForm(r, &form.Name, &form.May, &form.Cap, &form.Days) {
		return p.drawTokens(w, r, http.StatusUnprocessableEntity, accountview.ProgramsPage{Form: form})
	}
	secret := program.NewSecret()
	hash, _ := program.Parse(secret)
	now := db.Now()
	days, _ := strconv.Atoi(form.Days.Value) // is a number by its rule
	t := program.Token{
		UserID: me.ID, Name: form.Name.Value, Start: program.Start(secret), Hash: hash,
		May: program.Permission(form.May.Value), Cap: form.Cap.Amount, CreatedAt: now, EndsAt: now.AddDate(0, 0, days),
	}
	err := p.programs.Add(r.Context(), &t)
	if errors.Is(err, db.ErrFull) {
		form.Name.Error = tokensAreFull
		return p.drawTokens(w, r, http.StatusUnprocessableEntity, accountview.ProgramsPage{Form: form})
	}
	if err != nil {
		return err
	}
	p.log.Info("a token was made", "user", me.ID, "token", t.ID, "may", string(t.May), "ends", t.EndsAt)
	if err := p.cookies.SetFlash(w, r, "program", secret); err != nil {
		return err
	}
	return web.SeeOther(w, r, programsPath)
}

const (
	programsPath     = "/settings/programs"
	teamProgramsPath = "/team/programs"
)

// EndToken ends a token of the viewer or, from the page of the team, anybody's.
func (p *Program) EndToken(w http.ResponseWriter, r *http.Request, id int64) error {
	of, path := site.Me(r).ID, programsPath
	if site.Me(r).IsAdmin() && r.FormValue("team") != "" {
		of, path = 0, teamProgramsPath
	}
	err := p.programs.End(r.Context(), id, of, db.Now())
	if err == nil {
		p.log.Info("a token was ended", "token", id, "by", site.Me(r).ID)
	}
	return p.pages.Done(w, r, err, path, tokenEnded)
}

// ContinueToken lets a token make videos again after one that cost more than quoted.
func (p *Program) ContinueToken(w http.ResponseWriter, r *http.Request, id int64) error {
	err := p.programs.Continue(r.Context(), id, site.Me(r).ID, db.Now())
	return p.pages.Done(w, r, err, programsPath, tokenContinues)
}
