package team

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
	"dailies/web/openid"
)

// Member shows a user's page to admins, and changes the account.
type Member struct {
	links   *resetLinks
	log     *slog.Logger
	members *people.Members
	page    *memberPage
}

// MemberSignIn changes how a user can sign in.
type MemberSignIn struct {
	accounts *people.Accounts
	steps    *people.SecondSteps
	log      *slog.Logger
	page     *memberPage
	sessions *people.Sessions
}

// MemberReset makes links with which a user sets a new password.
type MemberReset struct {
	letters *site.Letters
	links   *resetLinks
	log     *slog.Logger
	members *people.Members
	page    *memberPage
}

// memberPage is a user's page.
type memberPage struct {
	limits  *people.Limits
	members *people.Members
	pages   *site.Pages
	signing *signing
	store   *store.Store
}

// signing tells how a user signs in.
type signing struct {
	audit  *people.Audit
	steps  *people.SecondSteps
	signOn *people.SignOn
}

// resetLinks shows a link for a new password to the browser in which it was made, once.
type resetLinks struct {
	cookies *web.Cookies
	letters *site.Letters
	network *site.Network
}

// leave keeps the link for the next page of the user.
func (l *resetLinks) leave(w http.ResponseWriter, r *http.Request, id int64, token string) error {
	return l.cookies.SetFlash(w, r, "reset link", fmt.Sprintf("%d %s/reset/%s", id, l.network.Origin(r), token))
}

// take fills in the link that was just made for the user, if there is one.
func (l *resetLinks) take(w http.ResponseWriter, r *http.Request, id int64, page *teamview.MemberPage) error {
	left, err := l.cookies.TakeFlash(w, r, "reset link")
	if of, link, _ := strings.Cut(left, " "); of == strconv.FormatInt(id, 10) {
		page.ResetLink, page.Mailed = link, l.letters.Sent
	}
	return err
}

// Show shows the user's page.
func (m *Member) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	page := teamview.MemberPage{}
	if err := m.links.take(w, r, id, &page); err != nil {
		return err
	}
	return m.page.draw(w, r, http.StatusOK, id, page)
}

// draw fills in the rest of the page and renders it.
func (p *memberPage) draw(w http.ResponseWriter, r *http.Request, status int, id int64, page teamview.MemberPage) error {
	now := db.Now()
	var errs [4]error
	page.Member, errs[0] = p.members.Member(r.Context(), id, now)
	page.Had, errs[1] = p.store.Belongings(r.Context(), id, now)
	page.Limits, errs[2] = p.limits.OfTeam(r.Context())
	errs[3] = p.signing.fill(r, id, now, &page)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if page.Role == nil {
		page.Role = teamview.NewRole(page.Member.Role)
	}
	return p.pages.Draw(w, r, status, page.Member.Name, func(f part.Frame) templ.Component { return teamview.ShowMember(f, page) })
}

// fill fills in how the user signs in.
func (s *signing) fill(r *http.Request, id int64, now time.Time, page *teamview.MemberPage) error {
	rules, err := s.signOn.Rules(r.Context())
	page.PasswordsOff = rules.PasswordsOff
	errs := [5]error{err}
	page.SecondSteps, errs[1] = s.steps.Of(r.Context(), id)
	page.Connected, errs[2] = s.signOn.Identities(r.Context(), id)
	page.Guessed, errs[3] = s.steps.Guessed(r.Context(), id, now.Add(-guessedFor))
	page.SetUp, errs[4] = s.setUpByPassword(r, id, page.SecondSteps)
	return errors.Join(errs[:]...)
}

// SetRole changes the user's role.
func (m *Member) SetRole(w http.ResponseWriter, r *http.Request, id int64) error {
	field := teamview.NewRole("")
	if !site.ReadForm(r, field) {
		return m.page.draw(w, r, http.StatusUnprocessableEntity, id, teamview.MemberPage{Role: field})
	}
	role := db.Role(field.Value)
	before, err := m.members.Member(r.Context(), id, db.Now())
	if err != nil {
		return err
	}
	err = m.members.SetRole(r.Context(), id, role, db.Now())
	switch {
	case errors.Is(err, team.ErrLastAdmin) && r.PostFormValue("next") != "":
		return m.page.pages.BackTo(w, r, "/members", teamview.OnlyAdmin)
	case errors.Is(err, team.ErrLastAdmin):
		field.Error = teamview.OnlyAdmin
		return m.page.draw(w, r, http.StatusConflict, id, teamview.MemberPage{Role: field})
	case errors.Is(err, db.ErrConflict):
		return m.page.back(w, r, id, deactivatedYet)
	case err != nil:
		return err
	}
	m.log.Info("a role was changed", "user", id, "role", string(role), "by", site.Me(r).ID)
	if id == site.Me(r).ID && role != db.Admin {
		return m.page.pages.SeeOther(w, r, "/", noAdminAnyMore)
	}
	said := teamview.RoleChanged(before.Name, role)
	return site.Answer(w, r, m.page.pages, teamview.MemberPath(id), site.Change{Said: said, Path: r.URL.Path, Undo: url.Values{"role": {string(before.Role)}}})
}

// Make makes a link with which the user sets a new password. Only the next view of
// their page shows it.
func (m *MemberReset) Make(w http.ResponseWriter, r *http.Request, id int64) error {
	rules, err := m.page.signing.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	if rules.PasswordsOff {
		return m.page.back(w, r, id, passwordOff)
	}
	reset, token := signin.NewReset(id, db.Now())
	var mails []outbox.Mail
	if m.letters.Sent {
		mail := m.letters.SealedMail(outbox.MailReset, id, token)
		mail.Details.By = site.Me(r).Name
		mails = append(mails, mail)
	}
	err = m.members.AddResetFor(r.Context(), reset, mails...)
	if errors.Is(err, db.ErrConflict) {
		return m.page.back(w, r, id, deactivatedYet)
	}
	if err != nil {
		return err
	}
	m.log.Info("a link for a new password was made", "user", id, "by", site.Me(r).ID)
	if err := m.links.leave(w, r, id, token); err != nil {
		return err
	}
	if len(mails) > 0 {
		return m.page.pages.SeeOther(w, r, teamview.MemberPath(id)+"#signing-in", linkMailed)
	}
	return web.SeeOther(w, r, teamview.MemberPath(id)+"#signing-in")
}

// EndSessions signs out all of the user's browsers, except for the viewer's own
// session, and ends the user's tokens and webhooks.
func (m *MemberSignIn) EndSessions(w http.ResponseWriter, r *http.Request, id int64) error {
	u, err := m.accounts.User(r.Context(), id)
	if err != nil {
		return err
	}
	v, _ := site.ViewerOf(r)
	keep, sentence := int64(0), browsersOut(u.Name)
	if id == v.User.ID {
		keep, sentence = v.Session.ID, ownBrowsersOut
	}
	ended, err := m.sessions.SignOutEverywhere(r.Context(), id, keep, db.Now())
	if err != nil {
		return err
	}
	m.log.Info("the access of a person was ended", "user", id, "by", v.User.ID, "sessions", ended.Sessions, "tokens ended", ended.Tokens, "webhooks ended", ended.Webhooks)
	return m.page.back(w, r, id, withPrograms(sentence, ended))
}

// Activate reactivates a deactivated account.
func (m *Member) Activate(w http.ResponseWriter, r *http.Request, id int64) error {
	err := m.members.Activate(r.Context(), id, db.Now())
	switch {
	case errors.Is(err, team.ErrTooLate):
		return m.page.draw(w, r, http.StatusConflict, id, teamview.MemberPage{})
	case errors.Is(err, db.ErrConflict):
		return m.page.back(w, r, id, activeAlready)
	case err != nil:
		return err
	}
	m.log.Info("an account was activated", "user", id, "by", site.Me(r).ID)
	return m.page.back(w, r, id, broughtBack)
}

// back redirects to the user's page, which shows the sentence.
func (p *memberPage) back(w http.ResponseWriter, r *http.Request, id int64, sentence string) error {
	return p.pages.SeeOther(w, r, teamview.MemberPath(id), sentence)
}

// DropSecondStep removes the second step, passkeys and connected accounts of a user who
// has lost them.
func (m *MemberSignIn) DropSecondStep(w http.ResponseWriter, r *http.Request, id int64) error {
	v, _ := site.ViewerOf(r) // an admin's own present session stays
	err := m.steps.DropSecondStep(r.Context(), id, v.Session.ID)
	if errors.Is(err, db.ErrConflict) {
		return m.page.back(w, r, id, noSecondStep)
	}
	if err != nil {
		return err
	}
	m.log.Info("a second step was taken away", "user", id, "by", site.Me(r).ID)
	return m.page.back(w, r, id, secondStepRemoved)
}

// guessedFor is how long a person's page tells of many wrong codes.
const guessedFor = 30 * 24 * time.Hour

// setUpByPassword returns the latest audit entry about a second step of the user that
// was set up by somebody who had given only the password, which may have been a thief.
// It returns the zero Entry if there is none.
func (s *signing) setUpByPassword(r *http.Request, id int64, f signin.SecondSteps) (last audit.Entry, err error) {
	if !f.Any() {
		return last, nil
	}
	for _, action := range []audit.Action{audit.CodesOn, audit.PasskeyAdded, audit.SecondStepDropped} {
		entries, err := s.audit.Entries(r.Context(), audit.Search{UserID: id, Action: action, Limit: 100})
		if err != nil {
			return last, err
		}
		for _, e := range entries { // newest first
			if e.ID > last.ID && (e.After == audit.PasswordAlone || action == audit.SecondStepDropped) {
				last = e
			}
		}
	}
	if last.Action == audit.SecondStepDropped { // all second steps have been removed since
		last = audit.Entry{}
	}
	return last, nil
}

// Leaving deactivates accounts, and asks first who gets what they own.
type Leaving struct {
	accounts *people.Accounts
	log      *slog.Logger
	page     *memberPage
	store    *store.Store
	vault    *secrets.Vault
}

// Show lists what the user owns, and asks who gets it.
func (l *Leaving) Show(w http.ResponseWriter, r *http.Request, id int64) error {
	return l.draw(w, r, http.StatusOK, id, chosen(r)) // keeps the choices made before a search for a colleague
}

// draw fills in the rest of the page and renders it.
func (l *Leaving) draw(w http.ResponseWriter, r *http.Request, status int, id int64, page teamview.LeavePage) error {
	users, err := l.accounts.Users(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(users, func(u db.User) bool { return u.ID == id })
	if at < 0 {
		return db.ErrNotFound
	}
	leaver := users[at]
	if !leaver.IsActive() {
		return l.page.back(w, r, id, personDeactivated(leaver.Name))
	}
	page.Query, page.OnlyAdmin = site.SearchWords(r, "q"), leaver.IsAdmin()
	var colleagues []db.User
	for _, u := range users {
		if u.ID == id || !u.IsActive() {
			continue
		}
		page.OnlyAdmin = page.OnlyAdmin && !u.IsAdmin()
		if u.Makes() {
			colleagues = append(colleagues, u)
		}
	}
	page.Offer(leaver, colleagues)
	if page.Had, err = l.store.Belongings(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return l.page.pages.Draw(w, r, status, fmt.Sprintf("Deactivate %s", naming.Isolated(page.User.Name)), func(f part.Frame) templ.Component { return teamview.ShowLeave(f, page) })
}

// chosen reads the form.
func chosen(r *http.Request) teamview.LeavePage {
	page := teamview.NewLeavePage()
	page.EndLinks = r.FormValue("links") == "off"
	site.ReadInputs(r.Form, &page.HandTo, &page.Private)
	return page
}

// Deactivate deactivates the account, and hands over what the user owns.
func (l *Leaving) Deactivate(w http.ResponseWriter, r *http.Request, id int64) error {
	page := chosen(r)
	if page.Private.Error != "" {
		return l.draw(w, r, http.StatusUnprocessableEntity, id, page)
	}
	var err error
	var had team.Belongings
	heir := page.Heir()
	if page.HandTo.Value != "" && heir == 0 {
		err = team.ErrNoHeir
	} else {
		had, err = l.store.Leave(r.Context(), team.Leaving{
			UserID: id, HandTo: heir, Bin: page.Private.Value == teamview.IntoBin, EndLinks: page.EndLinks, At: db.Now(),
			Reseal: func(sealed []byte) ([]byte, error) {
				token, err := l.vault.OpenToken(id, sealed)
				return l.vault.SealToken(heir, token), err
			},
		})
	}
	switch {
	case errors.Is(err, team.ErrNoHeir), errors.Is(err, team.ErrUnfinished):
		page.Refuse(err)
		return l.draw(w, r, http.StatusUnprocessableEntity, id, page)
	case errors.Is(err, team.ErrLastAdmin):
		page.Refuse(err)
		return l.draw(w, r, http.StatusConflict, id, page)
	case errors.Is(err, db.ErrConflict):
		return l.page.back(w, r, id, deactivatedAlready)
	case err != nil:
		return err
	}
	l.log.Info("an account was deactivated", "user", id, "by", site.Me(r).ID, "tokens ended", had.Tokens, "webhooks ended", had.Webhooks)
	if id == site.Me(r).ID {
		return l.page.pages.SeeOther(w, r, "/login", site.Closed)
	}
	return l.page.back(w, r, id, deactivated)
}

// Members lists the team.
type Members struct {
	facts *facts
	links *newLinks
	page  *membersPage
}

// membersPage is the page that lists the team.
type membersPage struct {
	invites *people.Invites
	limits  *people.Limits
	members *people.Members
	pages   *site.Pages
}

// facts knows one fact about each section of Team.
type facts struct {
	desk     *service.Desk
	limits   *people.Limits
	provider *openid.Provider // nil if none is configured
	settings *people.Settings
	signOn   *people.SignOn
}

// Show lists the team's members and the open invitations.
func (m *Members) Show(w http.ResponseWriter, r *http.Request) error {
	page := teamview.MembersPage{Query: site.SearchWords(r, "q"), Mail: m.links.letters.Sent}
	var err error
	if page.NewLinks, err = m.links.take(w, r); err != nil {
		return err
	}
	return m.page.draw(w, r, page)
}

// ShowTeam shows the list of the team's sections, with a fact about each and, where there
// is room, the people.
func (m *Members) ShowTeam(w http.ResponseWriter, r *http.Request) error {
	facts, err := m.facts.all(r)
	if err != nil {
		return err
	}
	return m.page.draw(w, r, teamview.MembersPage{Facts: facts, Mail: m.links.letters.Sent})
}

// all returns the facts, without the one about people, which their page knows.
func (f *facts) all(r *http.Request) (facts part.TeamFacts, err error) {
	room, err := f.limits.Room(r.Context(), site.Me(r).ID, db.Now())
	if err != nil {
		return facts, err
	}
	rules, err := f.signOn.Rules(r.Context())
	if err != nil {
		return facts, err
	}
	brand, err := f.settings.Brand(r.Context())
	if err != nil {
		return facts, err
	}
	said, err := f.settings.Announcement(r.Context())
	return part.TeamFacts{
		Spending: teamview.SpendingFact(room), Service: teamview.ServiceFact(f.desk.Current()),
		Security: teamview.SecurityFact(rules, f.provider != nil), Brand: teamview.BrandFact(brand, said, db.Now()),
	}, err
}

// draw fills in the rest of the page and renders it.
func (m *membersPage) draw(w http.ResponseWriter, r *http.Request, page teamview.MembersPage) error {
	members, err := m.members.All(r.Context(), db.Now())
	if err != nil {
		return err
	}
	page.Names = map[int64]string{}
	users := make([]db.User, 0, len(members))
	for _, one := range members {
		users, page.Names[one.ID] = append(users, one.User), one.Name
		if one.IsActive() {
			page.Active++
		}
	}
	page.Twins = db.DuplicateEmails(users)
	found := team.Find(members, page.Query)
	page.Found, page.Pages = len(found), max(1, (len(found)+team.MembersShown-1)/team.MembersShown)
	number, _ := strconv.Atoi(r.FormValue("page")) // an invalid number means the first page
	page.Page = min(max(1, number), page.Pages)
	found = found[(page.Page-1)*team.MembersShown:]
	page.Members = found[:min(len(found), team.MembersShown)]
	if page.Invites, err = m.invites.All(r.Context()); err != nil {
		return err
	}
	if page.Limits, err = m.limits.OfTeam(r.Context()); err != nil {
		return err
	}
	form := teamview.NewInviteForm(page.Limits.Default, page.Mail)
	page.Invite = &form
	if page.Facts != (part.TeamFacts{}) {
		page.Facts.People = page.PeopleHere(db.Now())
	}
	return m.pages.Draw(w, r, http.StatusOK, "People", func(f part.Frame) templ.Component { return teamview.ShowMembers(f, page) })
}
