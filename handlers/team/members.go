package team

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web"
)

// Members shows the team, and invites people to it.
type Members struct{ site *site.Site }

// Show lists the team and the open join links.
func (m *Members) Show(w http.ResponseWriter, r *http.Request) error {
	link, err := m.site.Cookies.Take(w, r, "invite")
	if err != nil {
		return err
	}
	return m.page(w, r, http.StatusOK, teamview.MembersPage{NewLink: link})
}

// page fills in what the page shows besides the outcome that it is given.
func (m *Members) page(w http.ResponseWriter, r *http.Request, status int, page teamview.MembersPage) error {
	var err error
	if page.Users, err = m.site.Store.Users(r.Context()); err != nil {
		return err
	}
	page.Twins = db.DuplicateEmails(page.Users)
	if page.Invites, err = m.site.Store.Invites(r.Context()); err != nil {
		return err
	}
	if err := m.fillZone(r, &page); err != nil {
		return err
	}
	return m.site.Draw(w, r, status, "Members", func(f part.Frame) templ.Component { return teamview.ShowMembers(f, page) })
}

// AddInvite makes a join link. The next page shows it whole, this once, because
// only its hash is kept.
func (m *Members) AddInvite(w http.ResponseWriter, r *http.Request) error {
	token, now := db.NewToken(), db.Now()
	invite := db.Invite{Token: db.HashToken(token), CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: now.Add(db.InviteLife)}
	err := m.site.Store.AddInvite(r.Context(), &invite)
	if errors.Is(err, db.ErrConflict) {
		problem := "There are too many open links already. Take back those that nobody needs any more, or wait until they expire."
		return m.page(w, r, http.StatusUnprocessableEntity, teamview.MembersPage{Problem: problem})
	}
	if err != nil {
		return err
	}
	m.site.Log.Info("a join link was made", "invite", invite.ID, "by", invite.CreatedBy)
	if err := m.site.Cookies.Leave(w, r, "invite", m.site.Origin(r)+"/join/"+token); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/members")
}

// RevokeInvite makes a join link unusable.
func (m *Members) RevokeInvite(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	if err := m.site.Store.RevokeInvite(r.Context(), id); err != nil {
		return err
	}
	m.site.Log.Info("a join link was taken back", "invite", id, "by", site.Me(r).ID)
	return m.site.SeeOther(w, r, "/members", "The link cannot be used any more.")
}
