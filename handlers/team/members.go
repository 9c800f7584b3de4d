package team

import (
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// Members lists the team.
type Members struct{ site *site.Site }

// Show lists the team's members, the open invitations and the settings for all.
func (m *Members) Show(w http.ResponseWriter, r *http.Request) error {
	page := teamview.MembersPage{Query: searchWords(r, "q"), Mail: m.site.Mail}
	var err error
	if page.NewLinks, err = newLinks(m.site, w, r); err != nil {
		return err
	}
	return m.page(w, r, http.StatusOK, page)
}

// page fills in the rest of the page and renders it.
func (m *Members) page(w http.ResponseWriter, r *http.Request, status int, page teamview.MembersPage) error {
	members, err := m.site.Store.Members.All(r.Context(), db.Now())
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
	if page.Invites, err = m.site.Store.Invites.All(r.Context()); err != nil {
		return err
	}
	if page.Limits, err = m.site.Store.Limits.OfTeam(r.Context()); err != nil {
		return err
	}
	if err := m.fillZone(r, &page); err != nil {
		return err
	}
	return m.site.Draw(w, r, status, "Members", func(f part.Frame) templ.Component { return teamview.ShowMembers(f, page) })
}
