package team

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/team"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web"
)

// ShowInvite shows the form for invitations with e-mail addresses, a role or a limit.
func (t *Team) ShowInvite(w http.ResponseWriter, r *http.Request) error {
	form, err := t.inviteForm(r)
	if err != nil {
		return err
	}
	return t.drawInvite(w, r, http.StatusOK, form)
}

// inviteForm returns an empty form.
func (t *Team) inviteForm(r *http.Request) (teamview.InviteForm, error) {
	limits, err := t.limits.OfTeam(r.Context())
	return teamview.NewInviteForm(limits.Default, t.sealer.Sent), err
}

func (t *Team) drawInvite(w http.ResponseWriter, r *http.Request, status int, form teamview.InviteForm) error {
	return t.pages.Draw(w, r, status, "Invite people", teamview.ShowInvite(form))
}

// AddInvites makes a join link for each e-mail address in the form, or one that anybody can
// use. Only the next page can show the links, because only their hashes are stored.
func (t *Team) AddInvites(w http.ResponseWriter, r *http.Request) error {
	form, addresses, valid, err := t.readInvite(r)
	if err != nil {
		return err
	}
	if !valid {
		return t.drawInvite(w, r, http.StatusUnprocessableEntity, form)
	}
	seed, now := secrets.NewToken(), db.Now()
	var invites []*signin.Invite
	mails := map[string]outbox.Mail{}
	for n, address := range addresses {
		if t.sealer.Sent && address != "" {
			mails[address] = t.sealer.Invitation(site.Me(r), address, secrets.DeriveToken(seed, n))
		}
		invites = append(invites, &signin.Invite{
			Token: secrets.HashToken(secrets.DeriveToken(seed, n)), Role: db.Role(form.Role.Value), Email: address,
			Allowance: string(form.Limit().Allowance), Credits: form.Limit().Credits,
			CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: now.Add(signin.InviteLife),
		})
	}
	err = t.invites.AddInvites(r.Context(), invites, mails)
	if errors.Is(err, db.ErrConflict) {
		form.Error = teamview.TooManyOpen
		return t.drawInvite(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	for _, one := range invites {
		t.log.Info("a join link was made", "invite", one.ID, "by", one.CreatedBy)
	}
	if err := t.keepInviteLinks(w, r, seed, len(invites)); err != nil {
		return err
	}
	if len(mails) > 0 {
		return t.pages.SeeOther(w, r, "/members", invitationsSent(len(mails)))
	}
	return web.SeeOther(w, r, "/members")
}

// anyone is what the button for a link that anybody can use sends.
const anyone = "anyone"

// readInvite reads the form, and reports whether it is valid. An empty address stands for a link
// that anybody can use.
func (t *Team) readInvite(r *http.Request) (form teamview.InviteForm, addresses []string, valid bool, err error) {
	if form, err = t.inviteForm(r); err != nil {
		return form, nil, false, err
	}
	valid = site.ReadForm(r, &form.Role)
	valid = readLimit(r, &form.LimitFields) && valid
	pasted := strings.TrimSpace(r.PostFormValue("addresses") + "\n" + r.PostFormValue("email"))
	form.Addresses.Value = site.PlainText(site.Clip(pasted, team.MaxPasted))
	if r.PostFormValue("for") != anyone {
		addresses = team.Addresses(form.Addresses.Value)
	}
	if len(pasted) > team.MaxPasted || len(addresses) > signin.MaxInvites {
		form.Addresses.Error = form.TooMany()
	} else if form.Problems, err = t.addressProblems(r, addresses); len(form.Problems) > 0 {
		form.Addresses.Error = teamview.PutRight
	}
	if len(addresses) == 0 {
		addresses = []string{""}
	}
	return form, addresses, valid && form.Addresses.Error == "", err
}

// addressProblems returns a message for each address that cannot be invited.
func (t *Team) addressProblems(r *http.Request, addresses []string) (problems []string, err error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	users, err := t.accounts.Users(r.Context())
	if err != nil {
		return nil, err
	}
	here := map[string]db.User{}
	for _, u := range users {
		here[db.EmailKey(u.Email)] = u
	}
	for _, address := range addresses {
		u, taken := here[db.EmailKey(address)]
		switch short := site.Clip(address, 100); {
		case !site.IsEmail(address):
			problems = append(problems, teamview.NoAddress(short))
		case taken:
			problems = append(problems, site.TakenAddress(short, u, db.Now()))
		}
	}
	return problems, nil
}

// keepInviteLinks keeps the links that were made from the seed for the next page.
func (t *Team) keepInviteLinks(w http.ResponseWriter, r *http.Request, seed string, count int) error {
	return t.cookies.SetFlash(w, r, "invite", seed+" "+strconv.Itoa(count))
}

// takeInviteLinks returns the links that this browser has just made. It returns them only
// once.
func (t *Team) takeInviteLinks(w http.ResponseWriter, r *http.Request) (links []teamview.NewLink, err error) {
	left, err := t.cookies.TakeFlash(w, r, "invite")
	seed, number, _ := strings.Cut(left, " ")
	count, _ := strconv.Atoi(number) // an invalid number counts as 0
	if err != nil || count < 1 || count > signin.MaxInvites {
		return nil, err
	}
	for n := range count {
		token := secrets.DeriveToken(seed, n)
		invite, err := t.invites.Invite(r.Context(), secrets.HashToken(token))
		if errors.Is(err, db.ErrNotFound) { // revoked already
			continue
		}
		if err != nil {
			return nil, err
		}
		links = append(links, teamview.NewLink{Invite: invite, Address: t.network.Origin(r) + "/join/" + token})
	}
	return links, nil
}

// RenewInvite turns an invitation's link off and makes a new one, which the next page shows, because
// nobody can see the earlier one again.
func (t *Team) RenewInvite(w http.ResponseWriter, r *http.Request, id int64) error {
	seed, now := secrets.NewToken(), db.Now()
	token := secrets.DeriveToken(seed, 0)
	var write func(address string) outbox.Mail
	if t.sealer.Sent {
		write = func(address string) outbox.Mail { return t.sealer.Invitation(site.Me(r), address, token) }
	}
	renewed, err := t.invites.RenewInvite(r.Context(), id, signin.Invite{
		Token: secrets.HashToken(token), CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: now.Add(signin.InviteLife),
	}, write)
	if errors.Is(err, db.ErrNotFound) { // somebody has used it, or another admin has turned it off
		return t.pages.SeeOther(w, r, "/members", linkOver)
	}
	if err != nil {
		return err
	}
	t.log.Info("a join link was replaced", "invite", id, "with", renewed.ID, "by", renewed.CreatedBy)
	if err := t.keepInviteLinks(w, r, seed, 1); err != nil {
		return err
	}
	if write != nil && renewed.Email != "" {
		return t.pages.SeeOther(w, r, "/members", invitationsSent(1))
	}
	return web.SeeOther(w, r, "/members")
}

// RevokeInvite makes a join link unusable.
func (t *Team) RevokeInvite(w http.ResponseWriter, r *http.Request, id int64) error {
	err := t.invites.RevokeInvite(r.Context(), id)
	if errors.Is(err, db.ErrNotFound) { // another admin has revoked the link, or somebody has used it
		return t.pages.SeeOther(w, r, "/members", linkOver)
	}
	if err != nil {
		return err
	}
	t.log.Info("a join link was taken back", "invite", id, "by", site.Me(r).ID)
	return t.pages.SeeOther(w, r, "/members", linkOff)
}
