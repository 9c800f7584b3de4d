package part

import (
	"slices"

	"dailies/db/team"
)

// A Section is a section of Team or Settings.
type Section struct {
	Path, Title string
	Symbol      string   // SVG path of its icon
	Fact        string   // one fact about it, which the list shows on phones
	Count       int      // how many things wait there
	Below       []string // paths of its further pages
}

// A SectionGroup holds some of the sections, under a heading if it has a title.
type SectionGroup struct {
	Title    string
	Sections []Section
}

// Has reports whether the section has the page with the path.
func (r Section) Has(path string) bool { return below(path, append(r.Below, r.Path)) }

// TeamPath is the path of the list of the team's sections.
const TeamPath = "/team"

// TeamFacts holds one fact about each section of Team.
type TeamFacts struct{ People, Spending, Service, Security, Brand string }

// teamSections returns the sections of Team.
func teamSections(f *Frame, facts TeamFacts) []Section {
	return []Section{
		{
			Path: "/members", Title: string(team.PeoplePage), Fact: facts.People,
			Symbol: "M9 11.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 19.500c.8-3.500 3.300-5 6.500-5s5.700 1.500 6.500 5M15.500 4.800a3.500 3.500 0 0 1 0 6.400M17.500 14.800c2 .6 3.400 2.200 4 4.700",
		},
		{
			Path: "/team/spending", Title: string(team.SpendingPage), Fact: facts.Spending, Count: len(f.CreditRequests),
			Below:  []string{"/team/limits", "/team/keys", "/asks", "/members/zone", "/usage"},
			Symbol: "M9 6h11M9 12h11M9 18h11M4.500 6h.1M4.500 12h.1M4.500 18h.1",
		},
		{
			Path: "/team/service", Title: string(team.ServicePage), Fact: facts.Service,
			Symbol: "M4 6.500h11v11H4zM15 10.500l5-3v9l-5-3",
		},
		{
			Path: "/team/security", Title: string(team.SecurityPage), Fact: facts.Security, Below: []string{"/team/sign-on", "/audit"},
			Symbol: "M12 3.500 5 6v5.500c0 4.500 3 7.500 7 9 4-1.500 7-4.500 7-9V6z",
		},
		{
			Path: "/team/brand", Title: string(team.BrandPage), Fact: facts.Brand,
			Below:  []string{"/team/announcement", "/team/labels", "/team/mail"},
			Symbol: "M5 19l1-4L16.500 4.500l3 3L9 18zM14.500 6.500l3 3",
		},
	}
}

// TeamLink returns what leads from Settings to Team.
func TeamLink() Section {
	return Section{Path: TeamPath, Title: "Team", Fact: "People, spending, security", Symbol: teamSections(&Frame{}, TeamFacts{})[0].Symbol}
}

// sectionAt returns the section that has the page with the path: the first one, if none does
// or the paths of two do, of which the other is a longer one.
func sectionAt(sections []Section, path string) Section {
	for _, r := range slices.Backward(sections) {
		if r.Has(path) {
			return r
		}
	}
	return sections[0]
}
