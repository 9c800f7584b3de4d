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
	registry *service.Registry
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
	attempts *site.Attempts
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
		catalog: s.Catalog, cookies: s.Cookies, registry: s.Registry, guard: s.Guard, uploads: s.UploadLimits, keyring: s.Keys,
		sealer: s.MailSealer,
		log:    s.Log, mailFrom: s.MailFrom, network: s.Network, now: s.Store.Now, pages: s.Pages, provider: provider,
		reauth: s.Reauth, attempts: s.Attempts, vault: s.Vault, wake: s.Wake,
	}
}

// Routes returns the room's rows.
func (t *Team) Routes() []site.Route {
	admin, adminOr403, byID := t.guard.Admin, t.guard.AdminOr403, site.ByID
	return []site.Route{
		site.On("GET /team", admin, t.ShowTeam, site.ForAdmins),
		site.On("GET /members", admin, t.ShowMembers, site.ForAdmins),
		site.On("GET /members/{id}", admin, byID(t.ShowMember), site.ForAdmins).At("2").Gets(200, "2", "4").Gets(404, "99999", "x"),
		site.On("POST /members/{id}/role", admin, byID(t.SetRole), site.ForAdmins).Sends("2", "role=viewer").
			Gets(422, "2", "1?role=member").Gets(404, "99999"), // the role in the URL is ignored
		site.On("POST /members/{id}/second/remove", admin,
			t.reauth.Require("Remove the second step?", "Remove", byID(t.DropSecondStep)), site.ForAdmins).
			At("3").Gets(404, "99999"),
		site.On("POST /members/{id}/reset", admin,
			t.reauth.Require("Make a link for a new password?", "Make link", byID(t.MakeResetLink)), site.ForAdmins).
			At("2").Gets(404, "99999").Gets(303, "4"),
		site.On("POST /members/{id}/sessions/end", admin, byID(t.EndSessions), site.ForAdmins).At("2").Gets(404, "99999"),
		site.On("GET /members/{id}/leave", admin, byID(t.ShowLeaving), site.ForAdmins).At("2").Gets(200, "2").Gets(404, "99999"),
		site.On("POST /members/{id}/deactivate", admin, byID(t.Deactivate), site.ForAdmins).Sends("2", "hand_to=1&private=hand").
			Gets(409, "1").Gets(404, "99999"),
		site.On("POST /members/{id}/activate", admin, byID(t.Activate), site.ForAdmins).At("4").Gets(303, "2").Gets(404, "99999"),
		site.On("GET /members/invite", admin, t.ShowInvite, site.ForAdmins),
		site.On("POST /members/invites", admin, t.AddInvites, site.ForAdmins).Sends("", "role=member").
			Sends("", "role=member&addresses=a@example.org,b@example.org").Gets(303, ""),
		site.On("POST /members/invites/{id}/renew", admin, byID(t.RenewInvite), site.ForAdmins).At("4").Gets(303, "99999"),
		site.On("POST /members/invites/{id}/revoke", admin, byID(t.RevokeInvite), site.ForAdmins).At("4").Gets(303, "99999"),

		site.On("GET /team/spending", admin, t.ShowSpending, site.ForAdmins),
		site.On("GET /team/limits", admin, site.RedirectTo(spendingPath), site.ForAdmins).Gets(303, ""),
		site.On("POST /team/limits", admin, t.SaveLimits, site.ForAdmins).Sends("", "default=400&team=9000&unpriced=ask").Gets(303, ""),
		site.On("POST /members/{id}/limit", admin, byID(t.SavePersonLimit), site.ForAdmins).Sends("2", "limit=own&credits=90").
			Gets(422, "1").Gets(404, "99999"),
		site.On("POST /asks/{id}/answer", admin, byID(t.AnswerRequest), site.ForAdmins).Sends("1", "answer=once&credits=30").
			Gets(422, "99999"),
		site.On("POST /members/zone", admin, t.SaveZone, site.ForAdmins).Sends("", "zone=Asia/Tokyo"),
		site.On("POST /team/provider", admin, t.SaveProvider, site.ForAdmins).Sends("", "provider=relay-2").Gets(303, ""),
		site.On("GET /team/service", adminOr403, t.ShowService, site.ForAdminsOpenly),
		site.On("POST /team/service", adminOr403,
			t.unlessTested(t.reauth.Require("Change the video service?", "Continue", t.SaveService)), site.ForAdminsOpenly).
			Sends("", "do=test&address=sandbox.invalid&key={own}"),

		site.On("GET /team/keys", admin, t.ShowKeys, site.ForAdmins).Gets(200, "?q=a"),
		site.On("POST /team/keys", admin, t.AddKey, site.ForAdmins).Sends("", "name=Events&key={own}"),
		site.On("POST /team/keys/standard", admin, t.SetStandardKey, site.ForAdmins).Sends("", "key={key}").Gets(404, ""),
		site.On("POST /team/keys/assign", admin, t.AssignKey, site.ForAdmins).Sends("", "person=2&key={key}").Gets(404, ""),
		site.On("POST /team/keys/free", admin, t.FreeKey, site.ForAdmins).Sends("", "task={running}").Gets(404, ""),
		site.On("POST /team/keys/rule", admin, t.SaveKeyRule, site.ForAdmins).Sends("", "own=forbidden"),
		site.On("GET /team/keys/{id}", admin, t.ShowKey, site.ForAdmins).At("{key}").Gets(200, "{key}").Gets(404, "x", "99999"),
		site.On("POST /team/keys/{id}/key", admin, t.ReplaceKey, site.ForAdmins).Sends("{key}", "key={own}").Gets(404, "99999"),
		site.On("POST /team/keys/{id}/name", admin, t.RenameKey, site.ForAdmins).Sends("{key}", "name=Fairs").Gets(422, "{key}"),
		site.On("POST /team/keys/{id}/test", admin, t.TestKey, site.ForAdmins).At("{key}").Gets(303, "{key}"),
		site.On("POST /team/keys/{id}/delete", admin, t.DeleteKey, site.ForAdmins).Sends("{key}", "sure=on").Gets(404, "99999"),

		site.On("GET /team/security", admin, t.ShowSecurity, site.ForAdmins),
		site.On("GET /team/sign-on", admin, site.RedirectTo(securityPath), site.ForAdmins).Gets(303, ""),
		site.On("POST /team/sign-on", admin, t.reauth.Require("Change how people sign in?", "Save", t.SaveSignOn), site.ForAdmins).
			Sends("", "admit=domain&domains=example.com&otherwise=member&passwords=on&link=on").Gets(422, "?admit=x"),
		site.On("GET /audit", admin, t.ShowAudit, site.ForAdmins).At("?person=1").
			Gets(200, "?person=1&noun=session&from=2026-01-01&until=2026-12-31&before=9", "?person=x&noun=x&from=x&until=x&before=-1"),
		site.On("GET /audit.csv", admin, t.ExportAudit, site.ForAdmins),
		site.On("POST /audit/keep", admin, t.SaveAuditDays, site.ForAdmins).Sends("", "days=90"),

		site.On("GET /team/brand", admin, t.ShowBrand, site.ForAdmins),
		site.On("POST /team/brand", admin, web.UpTo(maxBrand, t.SaveBrand), site.ForAdmins).Sends("", "name=Nordlicht&colour=%230b6157").
			Gets(303, ""),
		site.On("GET /team/logo", admin, t.ShowLogo, site.ForAdmins).Gets(404, ""), // the team has none
		site.On("POST /team/consent", admin, t.SaveConsent, site.ForAdmins).Sends("", "required=on").Gets(303, ""),
		site.On("POST /team/labels", admin, t.SaveLabels, site.ForAdmins).Sends("", "made_with_ai=on&producer=001191440300708461136T1XGW3").
			Gets(303, ""),
		site.On("GET /team/announcement", admin, site.RedirectTo(brandPage), site.ForAdmins).Gets(303, ""),
		site.On("POST /team/announcement", admin, t.Announce, site.ForAdmins).Sends("", "text=All+is+well.&until=2000-01-20+18:00"),
		site.On("POST /team/announcement/remove", admin, t.RemoveAnnouncement, site.ForAdmins),
		site.On("GET /team/mail", admin, site.RedirectTo(brandPage+"#mail"), site.ForAdmins).Gets(303, ""),
		site.On("POST /team/mail/test", admin, t.TestMail, site.ForAdmins).Gets(404, ""), // without -smtp
	}
}
