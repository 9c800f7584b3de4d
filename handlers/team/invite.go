package team

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
)

// Invites makes and revokes links with which people join the team.
type Invites struct {
	accounts *people.Accounts
	invites  *people.Invites
	links    *newLinks
	log      *slog.Logger
	page     *invitePage
}

// invitePage is the page with the form for invitations.
type invitePage struct {
	limits *people.Limits
	mail   bool // invitations of addresses are sent by mail
	pages  *site.Pages
}

// newLinks shows links to the browser in which they were made, once.
type newLinks struct {
	cookies *web.Cookies
	invites *people.Invites
	letters *site.Letters
	network *site.Network
}

// Show shows the form for invitations with e-mail addresses, a role or a limit.
func (i *Invites) Show(w http.ResponseWriter, r *http.Request) error {
	form, err := i.page.form(r)
	if err != nil {
		return err
	}
	return i.page.draw(w, r, http.StatusOK, form)
}

// form returns an empty form.
func (i *invitePage) form(r *http.Request) (teamview.InviteForm, error) {
	limits, err := i.limits.OfTeam(r.Context())
	return teamview.NewInviteForm(limits.Default, i.mail), err
}

func (i *invitePage) draw(w http.ResponseWriter, r *http.Request, status int, form teamview.InviteForm) error {
	return i.pages.Draw(w, r, status, "Invite people", func(f part.Frame) templ.Component { return teamview.ShowInvite(f, form) })
}

// Add makes a join link for each e-mail address in the form, or one that anybody can
// use. Only the next page can show the links, because only their hashes are stored.
func (i *Invites) Add(w http.ResponseWriter, r *http.Request) error {
	form, addresses, valid, err := i.read(r)
	if err != nil {
		return err
	}
	if !valid {
		return i.page.draw(w, r, http.StatusUnprocessableEntity, form)
	}
	seed, now := secrets.NewToken(), db.Now()
	var invites []*signin.Invite
	mails := map[string]outbox.Mail{}
	for n, address := range addresses {
		if i.links.letters.Sent && address != "" {
			mails[address] = i.links.letters.Invitation(site.Me(r), address, secrets.DeriveToken(seed, n))
		}
		invites = append(invites, &signin.Invite{
			Token: secrets.HashToken(secrets.DeriveToken(seed, n)), Role: db.Role(form.Role.Value), Email: address, Allowance: string(form.Limit().Allowance), Credits: form.Limit().Credits,
			CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: now.Add(signin.InviteLife),
		})
	}
	err = i.invites.AddInvites(r.Context(), invites, mails)
	if errors.Is(err, db.ErrConflict) {
		form.Error = teamview.TooManyOpen
		return i.page.draw(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	for _, one := range invites {
		i.log.Info("a join link was made", "invite", one.ID, "by", one.CreatedBy)
	}
	if err := i.links.leave(w, r, seed, len(invites)); err != nil {
		return err
	}
	if len(mails) > 0 {
		return i.page.pages.SeeOther(w, r, "/members", invitationsSent(len(mails)))
	}
	return web.SeeOther(w, r, "/members")
}

// anyone is what the button for a link that anybody can use sends.
const anyone = "anyone"

// read reads the form, and reports whether it is valid. An empty address stands for a link
// that anybody can use.
func (i *Invites) read(r *http.Request) (form teamview.InviteForm, addresses []string, valid bool, err error) {
	if form, err = i.page.form(r); err != nil {
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
	} else if form.Problems, err = i.problems(r, addresses); len(form.Problems) > 0 {
		form.Addresses.Error = teamview.PutRight
	}
	if len(addresses) == 0 {
		addresses = []string{""}
	}
	return form, addresses, valid && form.Addresses.Error == "", err
}

// problems returns a message for each address that cannot be invited.
func (i *Invites) problems(r *http.Request, addresses []string) (problems []string, err error) {
	if len(addresses) == 0 {
		return nil, nil
	}
	users, err := i.accounts.Users(r.Context())
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

// leave keeps the links that were made from the seed for the next page.
func (n *newLinks) leave(w http.ResponseWriter, r *http.Request, seed string, count int) error {
	return n.cookies.SetFlash(w, r, "invite", seed+" "+strconv.Itoa(count))
}

// take returns the links that this browser has just made. It returns them only
// once.
func (l *newLinks) take(w http.ResponseWriter, r *http.Request) (links []teamview.NewLink, err error) {
	left, err := l.cookies.TakeFlash(w, r, "invite")
	seed, number, _ := strings.Cut(left, " ")
	count, _ := strconv.Atoi(number) // an invalid number counts as 0
	if err != nil || count < 1 || count > signin.MaxInvites {
		return nil, err
	}
	for n := range count {
		token := secrets.DeriveToken(seed, n)
		invite, err := l.invites.Invite(r.Context(), secrets.HashToken(token))
		if errors.Is(err, db.ErrNotFound) { // revoked already
			continue
		}
		if err != nil {
			return nil, err
		}
		links = append(links, teamview.NewLink{Invite: invite, Address: l.network.Origin(r) + "/join/" + token})
	}
	return links, nil
}

// Renew turns an invitation's link off and makes a new one, which the next page shows, because
// nobody can see the earlier one again.
func (i *Invites) Renew(w http.ResponseWriter, r *http.Request, id int64) error {
	seed, now := secrets.NewToken(), db.Now()
	token := secrets.DeriveToken(seed, 0)
	var write func(address string) outbox.Mail
	if i.links.letters.Sent {
		write = func(address string) outbox.Mail { return i.links.letters.Invitation(site.Me(r), address, token) }
	}
	renewed, err := i.invites.RenewInvite(r.Context(), id, signin.Invite{
		Token: secrets.HashToken(token), CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: now.Add(signin.InviteLife),
	}, write)
	if errors.Is(err, db.ErrNotFound) { // somebody has used it, or another admin has turned it off
		return i.page.pages.SeeOther(w, r, "/members", linkOver)
	}
	if err != nil {
		return err
	}
	i.log.Info("a join link was replaced", "invite", id, "with", renewed.ID, "by", renewed.CreatedBy)
	if err := i.links.leave(w, r, seed, 1); err != nil {
		return err
	}
	if write != nil && renewed.Email != "" {
		return i.page.pages.SeeOther(w, r, "/members", invitationsSent(1))
	}
	return web.SeeOther(w, r, "/members")
}

// Revoke makes a join link unusable.
func (i *Invites) Revoke(w http.ResponseWriter, r *http.Request, id int64) error {
	err := i.invites.RevokeInvite(r.Context(), id)
	if errors.Is(err, db.ErrNotFound) { // another admin has revoked the link, or somebody has used it
		return i.page.pages.SeeOther(w, r, "/members", linkOver)
	}
	if err != nil {
		return err
	}
	i.log.Info("a join link was taken back", "invite", id, "by", site.Me(r).ID)
	return i.page.pages.SeeOther(w, r, "/members", linkOff)
}
