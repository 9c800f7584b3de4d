package team

import (
	"errors"
	"fmt"
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
	canMail  bool
	cookies  *web.Cookies
	invites  *people.Invites
	letters  *site.Letters
	limits   *people.Limits
	log      *slog.Logger
	pages    *site.Pages
}

// Show shows the form for invitations with e-mail addresses, a role or a limit.
func (i *Invites) Show(w http.ResponseWriter, r *http.Request) error {
	form, err := i.form(r)
	if err != nil {
		return err
	}
	return i.page(w, r, http.StatusOK, form)
}

// form returns an empty form.
func (i *Invites) form(r *http.Request) (teamview.InviteForm, error) {
	limits, err := i.limits.OfTeam(r.Context())
	return teamview.NewInviteForm(limits.Default), err
}

func (i *Invites) page(w http.ResponseWriter, r *http.Request, status int, form teamview.InviteForm) error {
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
		return i.page(w, r, http.StatusUnprocessableEntity, form)
	}
	seed, now := secrets.NewToken(), db.Now()
	var invites []*signin.Invite
	mails := map[string]outbox.Mail{}
	for n, address := range addresses {
		if i.canMail && address != "" {
			mails[address] = i.letters.Invitation(site.Me(r), address, secrets.DeriveToken(seed, n))
		}
		invites = append(invites, &signin.Invite{
			Token: secrets.HashToken(secrets.DeriveToken(seed, n)), Role: db.Role(form.Role.Value), Email: address, Allowance: string(form.Limit().Allowance), Credits: form.Limit().Credits,
			CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: now.Add(signin.InviteLife),
		})
	}
	err = i.invites.AddInvites(r.Context(), invites, mails)
	if errors.Is(err, db.ErrConflict) {
		form.Error = form.TooManyOpen()
		return i.page(w, r, http.StatusUnprocessableEntity, form)
	}
	if err != nil {
		return err
	}
	for _, one := range invites {
		i.log.Info("a join link was made", "invite", one.ID, "by", one.CreatedBy)
	}
	if err := i.cookies.SetFlash(w, r, "invite", seed+" "+strconv.Itoa(len(invites))); err != nil {
		return err
	}
	if len(mails) > 0 {
		return i.pages.SeeOther(w, r, "/members", part.Plural(len(mails), "Sent by mail: %s invitation.", "Sent by mail: %s invitations."))
	}
	return web.SeeOther(w, r, "/members")
}

// read reads the form, and reports whether it is valid. An empty address stands for a link
// that anybody can use.
func (i *Invites) read(r *http.Request) (form teamview.InviteForm, addresses []string, valid bool, err error) {
	if form, err = i.form(r); err != nil {
		return form, nil, false, err
	}
	valid = site.ReadForm(r, &form.Role)
	valid = readLimit(r, &form.LimitFields) && valid
	pasted := strings.TrimSpace(r.PostFormValue("addresses") + "\n" + r.PostFormValue("email"))
	form.Addresses.Value = site.PlainText(site.Clip(pasted, team.MaxPasted))
	addresses = team.Addresses(form.Addresses.Value)
	if len(pasted) > team.MaxPasted || len(addresses) > signin.MaxInvites {
		form.Addresses.Error = form.TooMany()
	} else if form.Problems, err = i.problems(r, addresses); len(form.Problems) > 0 {
		form.Addresses.Error = form.PutRight()
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
			problems = append(problems, fmt.Sprintf("“%s” does not look like an e-mail address, such as kim@example.com.", short))
		case taken:
			problems = append(problems, site.TakenAddress(short, u, db.Now()))
		}
	}
	return problems, nil
}

// newLinks returns the links that this browser has just made. It returns them only
// once.
func newLinks(cookies *web.Cookies, invites *people.Invites, network *site.Network, w http.ResponseWriter, r *http.Request) (links []teamview.NewLink, err error) {
	left, err := cookies.TakeFlash(w, r, "invite")
	seed, number, _ := strings.Cut(left, " ")
	count, _ := strconv.Atoi(number) // an invalid number counts as 0
	if err != nil || count < 1 || count > signin.MaxInvites {
		return nil, err
	}
	for n := range count {
		token := secrets.DeriveToken(seed, n)
		invite, err := invites.Invite(r.Context(), secrets.HashToken(token))
		if errors.Is(err, db.ErrNotFound) { // revoked already
			continue
		}
		if err != nil {
			return nil, err
		}
		links = append(links, teamview.NewLink{Invite: invite, Address: network.Origin(r) + "/join/" + token})
	}
	return links, nil
}

// Revoke makes a join link unusable.
func (i *Invites) Revoke(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	err = i.invites.RevokeInvite(r.Context(), id)
	if errors.Is(err, db.ErrNotFound) { // another admin has revoked the link, or somebody has used it
		return i.pages.SeeOther(w, r, "/members", "This link does not work any more: it was used already, or turned off.")
	}
	if err != nil {
		return err
	}
	i.log.Info("a join link was taken back", "invite", id, "by", site.Me(r).ID)
	return i.pages.SeeOther(w, r, "/members", "The link cannot be used any more.")
}
