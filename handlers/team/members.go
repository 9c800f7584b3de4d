package team

import (
	"net/http"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/db/team"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web/openid"
)

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
	page := teamview.MembersPage{Query: SearchWords(r, "q"), Mail: m.links.letters.Sent}
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
