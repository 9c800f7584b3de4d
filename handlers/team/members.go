package team

import (
	"log/slog"
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
)

// Members lists the team.
type Members struct {
	links    *newLinks
	page     *membersPage
	settings *people.Settings
	log      *slog.Logger
}

// membersPage is the page that lists the team.
type membersPage struct {
	invites  *people.Invites
	limits   *people.Limits
	members  *people.Members
	pages    *site.Pages
	settings *people.Settings
}

// Show lists the team's members, the open invitations and the settings for all.
func (m *Members) Show(w http.ResponseWriter, r *http.Request) error {
	page := teamview.MembersPage{Query: searchWords(r, "q"), Mail: m.links.letters.Sent}
	var err error
	if page.NewLinks, err = m.links.take(w, r); err != nil {
		return err
	}
	return m.page.draw(w, r, http.StatusOK, page)
}

// draw fills in the rest of the page and renders it.
func (m *membersPage) draw(w http.ResponseWriter, r *http.Request, status int, page teamview.MembersPage) error {
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
	if err := m.fillZone(r, &page); err != nil {
		return err
	}
	return m.pages.Draw(w, r, status, "Members", func(f part.Frame) templ.Component { return teamview.ShowMembers(f, page) })
}
