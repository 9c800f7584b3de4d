package team

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/outbox"
	"dailies/db/signin"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
)

// keepResetLink keeps the link for the next page of the user.
func (t *Team) keepResetLink(w http.ResponseWriter, r *http.Request, id int64, token string) error {
	return t.cookies.SetFlash(w, r, "reset link", fmt.Sprintf("%d %s/reset/%s", id, t.network.Origin(r), token))
}

// takeResetLink fills in the link that was just made for the user, if there is one.
func (t *Team) takeResetLink(w http.ResponseWriter, r *http.Request, id int64, page *teamview.MemberPage) error {
	left, err := t.cookies.TakeFlash(w, r, "reset link")
	if of, link, _ := strings.Cut(left, " "); of == strconv.FormatInt(id, 10) {
		page.ResetLink, page.Mailed = link, t.sealer.Sent
	}
	return err
}

// ShowMember shows the user's page.
func (t *Team) ShowMember(w http.ResponseWriter, r *http.Request, id int64) error {
	page := teamview.MemberPage{}
	if err := t.takeResetLink(w, r, id, &page); err != nil {
		return err
	}
	return t.drawMember(w, r, http.StatusOK, id, page)
}

// drawMember fills in the rest of the page and renders it.
func (t *Team) drawMember(w http.ResponseWriter, r *http.Request, status int, id int64, page teamview.MemberPage) error {
	now := db.Now()
	var errs [4]error
	page.Member, errs[0] = t.members.Member(r.Context(), id, now)
	page.Had, errs[1] = t.store.Belongings(r.Context(), id, now)
	page.Limits, errs[2] = t.limits.OfTeam(r.Context())
	errs[3] = t.fillSigning(r, id, now, &page)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	if page.Role == nil {
		page.Role = teamview.NewRole(page.Member.Role)
	}
	return t.pages.Draw(w, r, status, page.Member.Name, teamview.ShowMember(page))
}

// fillSigning fills in how the user signs in.
func (t *Team) fillSigning(r *http.Request, id int64, now time.Time, page *teamview.MemberPage) error {
	rules, err := t.signOn.Rules(r.Context())
	page.PasswordsOff = rules.PasswordsOff
	errs := [5]error{err}
	page.SecondSteps, errs[1] = t.steps.Of(r.Context(), id)
	page.Connected, errs[2] = t.signOn.Identities(r.Context(), id)
	page.Guessed, errs[3] = t.steps.Guessed(r.Context(), id, now.Add(-guessedFor))
	page.SetUp, errs[4] = t.setUpByPassword(r, id, page.SecondSteps)
	return errors.Join(errs[:]...)
}

// SetRole changes the user's role.
func (t *Team) SetRole(w http.ResponseWriter, r *http.Request, id int64) error {
	field := teamview.NewRole("")
	if !site.ReadForm(r, field) {
		return t.drawMember(w, r, http.StatusUnprocessableEntity, id, teamview.MemberPage{Role: field})
	}
	role := db.Role(field.Value)
	before, err := t.members.Member(r.Context(), id, db.Now())
	if err != nil {
		return err
	}
	err = t.members.SetRole(r.Context(), id, role, db.Now())
	switch {
	case errors.Is(err, team.ErrLastAdmin) && r.PostFormValue("next") != "":
		return t.pages.BackTo(w, r, "/members", teamview.OnlyAdmin)
	case errors.Is(err, team.ErrLastAdmin):
		field.Error = teamview.OnlyAdmin
		return t.drawMember(w, r, http.StatusConflict, id, teamview.MemberPage{Role: field})
	case errors.Is(err, db.ErrConflict):
		return t.backToMember(w, r, id, deactivatedYet)
	case err != nil:
		return err
	}
	t.log.Info("a role was changed", "user", id, "role", string(role), "by", site.Me(r).ID)
	if id == site.Me(r).ID && role != db.Admin {
		return t.pages.SeeOther(w, r, "/", noAdminAnyMore)
	}
	said := teamview.RoleChanged(before.Name, role)
	undo := url.Values{"role": {string(before.Role)}}
	return site.Answer(w, r, t.pages, teamview.MemberPath(id), site.Change{Said: said, Path: r.URL.Path, Undo: undo})
}

// MakeResetLink makes a link with which the user sets a new password. Only the next view
// of their page shows it.
func (t *Team) MakeResetLink(w http.ResponseWriter, r *http.Request, id int64) error {
	rules, err := t.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	if rules.PasswordsOff {
		return t.backToMember(w, r, id, passwordOff)
	}
	reset, token := signin.NewReset(id, db.Now())
	var mails []outbox.Mail
	if t.sealer.Sent {
		mail := t.sealer.SealedMail(outbox.MailReset, id, token)
		mail.Details.By = site.Me(r).Name
		mails = append(mails, mail)
	}
	err = t.members.AddResetFor(r.Context(), reset, mails...)
	if errors.Is(err, db.ErrConflict) {
		return t.backToMember(w, r, id, deactivatedYet)
	}
	if err != nil {
		return err
	}
	t.log.Info("a link for a new password was made", "user", id, "by", site.Me(r).ID)
	if err := t.keepResetLink(w, r, id, token); err != nil {
		return err
	}
	if len(mails) > 0 {
		return t.pages.SeeOther(w, r, teamview.MemberPath(id)+"#signing-in", linkMailed)
	}
	return web.SeeOther(w, r, teamview.MemberPath(id)+"#signing-in")
}

// EndSessions signs out all of the user's browsers, except for the viewer's own
// session, and ends the user's tokens and webhooks.
func (t *Team) EndSessions(w http.ResponseWriter, r *http.Request, id int64) error {
	u, err := t.accounts.User(r.Context(), id)
	if err != nil {
		return err
	}
	v, _ := site.ViewerOf(r)
	keep, sentence := int64(0), browsersOut(u.Name)
	if id == v.User.ID {
		keep, sentence = v.Session.ID, ownBrowsersOut
	}
	ended, err := t.sessions.SignOutEverywhere(r.Context(), id, keep, db.Now())
	if err != nil {
		return err
	}
	t.log.Info("the access of a person was ended", "user", id, "by", v.User.ID,
		"sessions", ended.Sessions, "tokens ended", ended.Tokens, "webhooks ended", ended.Webhooks)
	return t.backToMember(w, r, id, withPrograms(sentence, ended))
}

// Activate reactivates a deactivated account.
func (t *Team) Activate(w http.ResponseWriter, r *http.Request, id int64) error {
	err := t.members.Activate(r.Context(), id, db.Now())
	switch {
	case errors.Is(err, team.ErrTooLate):
		return t.drawMember(w, r, http.StatusConflict, id, teamview.MemberPage{})
	case errors.Is(err, db.ErrConflict):
		return t.backToMember(w, r, id, activeAlready)
	case err != nil:
		return err
	}
	t.log.Info("an account was activated", "user", id, "by", site.Me(r).ID)
	return t.backToMember(w, r, id, broughtBack)
}

// backToMember redirects to the user's page, which shows the sentence.
func (t *Team) backToMember(w http.ResponseWriter, r *http.Request, id int64, sentence string) error {
	return t.pages.SeeOther(w, r, teamview.MemberPath(id), sentence)
}

// DropSecondStep removes the second step, passkeys and connected accounts of a user who
// has lost them.
func (t *Team) DropSecondStep(w http.ResponseWriter, r *http.Request, id int64) error {
	v, _ := site.ViewerOf(r) // an admin's own present session stays
	err := t.steps.DropSecondStep(r.Context(), id, v.Session.ID)
	if errors.Is(err, db.ErrConflict) {
		return t.backToMember(w, r, id, noSecondStep)
	}
	if err != nil {
		return err
	}
	t.log.Info("a second step was taken away", "user", id, "by", site.Me(r).ID)
	return t.backToMember(w, r, id, secondStepRemoved)
}

// guessedFor is how long a person's page tells of many wrong codes.
const guessedFor = 30 * 24 * time.Hour

// setUpByPassword returns the latest audit entry about a second step of the user that
// was set up by somebody who had given only the password, which may have been a thief.
// It returns the zero Entry if there is none.
func (t *Team) setUpByPassword(r *http.Request, id int64, f signin.SecondSteps) (last audit.Entry, err error) {
	if !f.Any() {
		return last, nil
	}
	for _, action := range []audit.Action{audit.CodesOn, audit.PasskeyAdded, audit.SecondStepDropped} {
		entries, err := t.audit.Entries(r.Context(), audit.Search{UserID: id, Action: action, Limit: 100})
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

// ShowLeaving lists what the user owns, and asks who gets it.
func (t *Team) ShowLeaving(w http.ResponseWriter, r *http.Request, id int64) error {
	return t.drawLeaving(w, r, http.StatusOK, id, chosen(r)) // keeps the choices made before a search for a colleague
}

// drawLeaving fills in the rest of the page and renders it.
func (t *Team) drawLeaving(w http.ResponseWriter, r *http.Request, status int, id int64, page teamview.LeavePage) error {
	users, err := t.accounts.Users(r.Context())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(users, func(u db.User) bool { return u.ID == id })
	if at < 0 {
		return db.ErrNotFound
	}
	leaver := users[at]
	if !leaver.IsActive() {
		return t.backToMember(w, r, id, personDeactivated(leaver.Name))
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
	if page.Had, err = t.store.Belongings(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return t.pages.Draw(w, r, status, fmt.Sprintf("Deactivate %s", naming.Isolated(page.User.Name)), teamview.ShowLeave(page))
}

// chosen reads the form.
func chosen(r *http.Request) teamview.LeavePage {
	page := teamview.NewLeavePage()
	page.EndLinks = r.FormValue("links") == "off"
	site.ReadInputs(r.Form, &page.HandTo, &page.Private)
	return page
}

// Deactivate deactivates the account, and hands over what the user owns.
func (t *Team) Deactivate(w http.ResponseWriter, r *http.Request, id int64) error {
	page := chosen(r)
	if page.Private.Error != "" {
		return t.drawLeaving(w, r, http.StatusUnprocessableEntity, id, page)
	}
	var err error
	var had team.Belongings
	heir := page.Heir()
	if page.HandTo.Value != "" && heir == 0 {
		err = team.ErrNoHeir
	} else {
		had, err = t.store.Leave(r.Context(), team.Leaving{
			UserID: id, HandTo: heir, Bin: page.Private.Value == teamview.IntoBin, EndLinks: page.EndLinks, At: db.Now(),
			Reseal: func(sealed []byte) ([]byte, error) {
				token, err := t.vault.OpenToken(id, sealed)
				return t.vault.SealToken(heir, token), err
			},
		})
	}
	switch {
	case errors.Is(err, team.ErrNoHeir), errors.Is(err, team.ErrUnfinished):
		page.Refuse(err)
		return t.drawLeaving(w, r, http.StatusUnprocessableEntity, id, page)
	case errors.Is(err, team.ErrLastAdmin):
		page.Refuse(err)
		return t.drawLeaving(w, r, http.StatusConflict, id, page)
	case errors.Is(err, db.ErrConflict):
		return t.backToMember(w, r, id, deactivatedAlready)
	case err != nil:
		return err
	}
	t.log.Info("an account was deactivated", "user", id, "by", site.Me(r).ID, "tokens ended", had.Tokens, "webhooks ended", had.Webhooks)
	if id == site.Me(r).ID {
		return t.pages.SeeOther(w, r, "/login", site.Closed)
	}
	return t.backToMember(w, r, id, deactivated)
}

// ShowMembers lists the team's members and the open invitations.
func (t *Team) ShowMembers(w http.ResponseWriter, r *http.Request) error {
	page := teamview.MembersPage{Query: site.SearchWords(r, "q"), Mail: t.sealer.Sent}
	var err error
	if page.NewLinks, err = t.takeInviteLinks(w, r); err != nil {
		return err
	}
	return t.drawMembers(w, r, page)
}

// ShowTeam shows the list of the team's sections, with a fact about each and, where there
// is room, the people.
func (t *Team) ShowTeam(w http.ResponseWriter, r *http.Request) error {
	facts, err := t.facts(r)
	if err != nil {
		return err
	}
	return t.drawMembers(w, r, teamview.MembersPage{Facts: facts, Mail: t.sealer.Sent})
}

// facts returns a fact about each section of Team, without the one about people, which their
// page knows.
func (t *Team) facts(r *http.Request) (facts part.TeamFacts, err error) {
	budget, err := t.limits.Budget(r.Context(), site.Me(r).ID, db.Now())
	if err != nil {
		return facts, err
	}
	rules, err := t.signOn.Rules(r.Context())
	if err != nil {
		return facts, err
	}
	brand, err := t.settings.Brand(r.Context())
	if err != nil {
		return facts, err
	}
	said, err := t.settings.Announcement(r.Context())
	return part.TeamFacts{
		Spending: teamview.SpendingFact(budget), Service: teamview.ServiceFact(t.registry.Current()),
		Security: teamview.SecurityFact(rules, t.provider != nil), Brand: teamview.BrandFact(brand, said, db.Now()),
	}, err
}

// drawMembers fills in the rest of the page and renders it.
func (t *Team) drawMembers(w http.ResponseWriter, r *http.Request, page teamview.MembersPage) error {
	members, err := t.members.All(r.Context(), db.Now())
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
	page.Duplicates = db.DuplicateEmails(users)
	found := team.Find(members, page.Query)
	page.Found, page.Pages = len(found), max(1, (len(found)+team.MembersShown-1)/team.MembersShown)
	number, _ := strconv.Atoi(r.FormValue("page")) // an invalid number means the first page
	page.Page = min(max(1, number), page.Pages)
	found = found[(page.Page-1)*team.MembersShown:]
	page.Members = found[:min(len(found), team.MembersShown)]
	if page.Invites, err = t.invites.All(r.Context()); err != nil {
		return err
	}
	if page.Limits, err = t.limits.OfTeam(r.Context()); err != nil {
		return err
	}
	form := teamview.NewInviteForm(page.Limits.Default, page.Mail)
	page.Invite = &form
	if page.Facts != (part.TeamFacts{}) {
		page.Facts.People = page.PeopleHere(db.Now())
	}
	return t.pages.Draw(w, r, http.StatusOK, "People", teamview.ShowMembers(page))
}
