// Package account serves people’s own settings, with their keys and limits.
package account

import (
	"context"
	"log/slog"
	"net/http"

	"dailies/db/schedule"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// Account is the room of what belongs to one person: their name, password, keys and limit.
type Account struct {
	accounts       *people.Accounts
	creditRequests site.CreditRequests
	canMail        bool
	cookies        *web.Cookies
	registry       *service.Registry
	entry          *site.Entry
	guard          *site.Guard
	hashing        *site.Hashing
	journal        *site.Journal
	keyring        *site.Keys
	keys           *people.Keys
	limits         *people.Limits
	links          *video.Links
	log            *slog.Logger
	mail           *people.Mail
	pages          *site.Pages
	parts          []Part
	pictures       *video.Pictures
	programs       *people.Programs
	reauth         *site.Reauth
	sessions       *people.Sessions
	settings       *people.Settings
	shares         *site.Shares
	space          func(context.Context) (schedule.Space, error) // nil if it is not limited
	attempts       *site.Attempts
	wake           func()
}

// A Part fills in a part of the page with the settings.
type Part func(http.ResponseWriter, *http.Request, *accountview.SettingsPage) error

// New returns the room. The parts fill in what the settings show of other rooms.
func New(s *site.Site, parts ...Part) *Account {
	h := &Account{
		accounts: s.Store.Accounts, creditRequests: site.NewCreditRequests(s.Store.Limits, s.Log), canMail: s.Mail, cookies: s.Cookies,
		registry: s.Registry,
		entry:    s.Entry, guard: s.Guard, hashing: s.Hashing, journal: s.Journal, keyring: s.Keys, keys: s.Store.Keys,
		limits: s.Store.Limits, links: s.Store.Links, log: s.Log, mail: s.Store.Mail, pages: s.Pages, pictures: s.Store.Pictures,
		programs: s.Store.Programs, reauth: s.Reauth, sessions: s.Store.Sessions, settings: s.Store.Settings, shares: s.Shares,
		space: s.Space, attempts: s.Attempts, wake: s.Wake,
	}
	h.parts = append([]Part{h.fillKeys, h.fillLinks, h.fillStorage, h.fillLimit, h.fillMail}, parts...)
	return h
}

// Routes returns the room's rows.
func (h *Account) Routes() []site.Route {
	signedIn, maker := h.guard.SignedIn, h.guard.Maker
	return []site.Route{
		site.On("GET /limit", signedIn, h.ShowLimit, site.ForViewers),
		site.On("POST /limit", maker, h.SaveLimit, site.ForMakers).Sends("", "self=40").Gets(303, ""),
		site.On("POST /limit/ask", maker, h.RequestCredits, site.ForMakers).Sends("", "ask_credits=30&ask_sentence=For+the+fair."),
		site.On("POST /limit/seen", signedIn, h.SeeAnswer, site.ForViewers),
		site.On("POST /announcement/close", signedIn, h.CloseAnnouncement, site.ForViewers).Sends("", "mark=00").Gets(303, ""),
		site.On("GET /keys", signedIn, h.ShowKeyboard, site.ForViewers),

		site.On("GET /settings", signedIn, h.ShowSettings, site.ForViewers),
		site.On("POST /settings", signedIn, h.SaveName, site.ForViewers).Sends("", "name=Kim+Roe"),
		site.On("POST /settings/password", signedIn, h.SavePassword, site.ForViewers).
			Sends("", "current=a+long+enough+one&password=yet+another+long+one"),
		site.On("POST /settings/mail", signedIn, h.SaveMail, site.ForViewers),
		site.On("POST /settings/mail/ready", signedIn, h.MailReady, site.ForViewers).Gets(404, ""), // no mail server
		site.On("POST /settings/playing", signedIn, h.SavePlaying, site.ForViewers),
		site.On("POST /settings/theme", signedIn, h.SaveTheme, site.ForViewers).Sends("", "theme=dark").Gets(303, ""),
		site.On("POST /settings/key", maker, h.SaveKey, site.ForMakers).Sends("", "key={own}"),
		site.On("POST /settings/key/test", maker, h.TestKey, site.ForMakers),
		site.On("POST /settings/key/delete", maker, h.DeleteKey, site.ForMakers),
		site.On("POST /settings/sandbox/key", maker, h.AddSandboxKey, site.ForMakers),
		site.On("POST /settings/sandbox/credits", maker, h.AddSandboxCredits, site.ForMakers),
		site.On("POST /settings/sessions/{id}/end", signedIn, site.ByID(h.EndSession), site.ForViewers).At("{session}").Gets(404, "99999"),
		site.On("POST /settings/sessions/end-others", signedIn, h.EndOtherSessions, site.ForViewers),
	}
}
