// Package team serves the pages on which admins manage the team: its members and its
// settings.
package team

import (
	"log/slog"
	"time"

	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/web"
	"dailies/web/openid"
	"dailies/web/videoapi"
)

// Team is the room of the team's members and settings.
type Team struct {
	accounts *people.Accounts
	audit    *people.Audit
	calls    *video.Calls
	cast     *video.Cast
	invites  *people.Invites
	keys     *people.Keys
	limits   *people.Limits
	mail     *people.Mail
	members  *people.Members
	services *people.Services
	sessions *people.Sessions
	settings *people.Settings
	signOn   *people.SignOn
	steps    *people.SecondSteps
	store    *store.Store // reads and hands over what somebody has who leaves
	usage    *video.Usage
	webhooks *people.Webhooks

	catalog  *videoapi.Catalog
	cookies  *web.Cookies
	desk     *service.Desk
	guard    *site.Guard
	uploads  *site.UploadLimits
	keyring  *site.Keys
	sealer   *site.MailSealer
	log      *slog.Logger
	mailFrom string // the mail server and the sender's address
	network  *site.Network
	now      func() time.Time
	pages    *site.Pages
	provider *openid.Provider // nil if none is configured
	reauth   *site.Reauth
	tries    *site.Tries
	vault    *secrets.Vault
	wake     func() // tells the watcher that it may send again
}

// New returns the room.
func New(s *site.Site, provider *openid.Provider) *Team {
	return &Team{
		accounts: s.Store.Accounts, audit: s.Store.Audit, calls: s.Store.Calls, cast: s.Store.Cast, invites: s.Store.Invites,
		keys: s.Store.Keys, limits: s.Store.Limits, mail: s.Store.Mail, members: s.Store.Members, services: s.Store.Services,
		sessions: s.Store.Sessions, settings: s.Store.Settings, signOn: s.Store.SignOn, steps: s.Store.SecondSteps, store: s.Store,
		usage: s.Store.Usage, webhooks: s.Store.Webhooks,
		catalog: s.Catalog, cookies: s.Cookies, desk: s.Desk, guard: s.Guard, uploads: s.UploadLimits, keyring: s.Keys,
		sealer: s.MailSealer,
		log:    s.Log, mailFrom: s.MailFrom, network: s.Network, now: s.Store.Now, pages: s.Pages, provider: provider,
		reauth: s.Reauth, tries: s.Tries, vault: s.Vault, wake: s.Wake,
	}
}

// Routes returns the room's rows.
func (t *Team) Routes() []site.Route {
	admin, openly, byID := t.guard.Admin, t.guard.AdminOpenly, site.ByID
	return []site.Route{
		site.On("GET /team", admin, t.ShowTeam),
		site.On("GET /members", admin, t.ShowMembers),
		site.On("GET /members/{id}", admin, byID(t.ShowMember)),
		site.On("POST /members/{id}/role", admin, byID(t.SetRole)),
		site.On("POST /members/{id}/second/remove", admin, t.reauth.Require("Remove the second step?", "Remove", byID(t.DropSecondStep))),
		site.On("POST /members/{id}/reset", admin, t.reauth.Require("Make a link for a new password?", "Make link", byID(t.MakeResetLink))),
		site.On("POST /members/{id}/sessions/end", admin, byID(t.EndSessions)),
		site.On("GET /members/{id}/leave", admin, byID(t.ShowLeaving)),
		site.On("POST /members/{id}/deactivate", admin, byID(t.Deactivate)),
		site.On("POST /members/{id}/activate", admin, byID(t.Activate)),
		site.On("GET /members/invite", admin, t.ShowInvite),
		site.On("POST /members/invites", admin, t.AddInvites),
		site.On("POST /members/invites/{id}/renew", admin, byID(t.RenewInvite)),
		site.On("POST /members/invites/{id}/revoke", admin, byID(t.RevokeInvite)),

		site.On("GET /team/spending", admin, t.ShowSpending),
		site.On("GET /team/limits", admin, site.RedirectTo(spendingPath)),
		site.On("POST /team/limits", admin, t.SaveLimits),
		site.On("POST /members/{id}/limit", admin, byID(t.SavePersonLimit)),
		site.On("POST /asks/{id}/answer", admin, byID(t.AnswerRequest)),
		site.On("POST /members/zone", admin, t.SaveZone),
		site.On("POST /team/provider", admin, t.SaveProvider),
		site.On("GET /team/service", openly, t.ShowService),
		site.On("POST /team/service", openly, t.unlessTested(t.reauth.Require("Change the video service?", "Continue", t.SaveService))),

		site.On("GET /team/keys", admin, t.ShowKeys),
		site.On("POST /team/keys", admin, t.AddKey),
		site.On("POST /team/keys/standard", admin, t.SetStandardKey),
		site.On("POST /team/keys/assign", admin, t.AssignKey),
		site.On("POST /team/keys/free", admin, t.FreeKey),
		site.On("POST /team/keys/rule", admin, t.SaveKeyRule),
		site.On("GET /team/keys/{id}", admin, t.ShowKey),
		site.On("POST /team/keys/{id}/key", admin, t.ReplaceKey),
		site.On("POST /team/keys/{id}/name", admin, t.RenameKey),
		site.On("POST /team/keys/{id}/test", admin, t.TestKey),
		site.On("POST /team/keys/{id}/delete", admin, t.DeleteKey),

		site.On("GET /team/security", admin, t.ShowSecurity),
		site.On("GET /team/sign-on", admin, site.RedirectTo(securityPath)),
		site.On("POST /team/sign-on", admin, t.reauth.Require("Change how people sign in?", "Save", t.SaveSignOn)),
		site.On("GET /audit", admin, t.ShowAudit),
		site.On("GET /audit.csv", admin, t.ExportAudit),
		site.On("POST /audit/keep", admin, t.SaveAuditDays),

		site.On("GET /team/brand", admin, t.ShowBrand),
		site.On("POST /team/brand", admin, web.UpTo(maxBrand, t.SaveBrand)),
		site.On("GET /team/logo", admin, t.ShowLogo),
		site.On("POST /team/consent", admin, t.SaveConsent),
		site.On("POST /team/labels", admin, t.SaveLabels),
		site.On("GET /team/announcement", admin, site.RedirectTo(brandPage)),
		site.On("POST /team/announcement", admin, t.Announce),
		site.On("POST /team/announcement/remove", admin, t.RemoveAnnouncement),
		site.On("GET /team/mail", admin, site.RedirectTo(brandPage+"#mail")),
		site.On("POST /team/mail/test", admin, t.TestMail),
	}
}
