package team

import "fmt"

// A Page is the title of a section of Team. Messages and documents name sections by these
// titles, so that nobody is led to a page that has another name.
type Page string

// The sections of Team.
const (
	PeoplePage   Page = "People"
	SpendingPage Page = "Spending"
	ServicePage  Page = "Video service"
	SecurityPage Page = "Security"
	BrandPage    Page = "Brand and messages"
)

// Pages returns the sections of Team, in the order of their list.
func Pages() []Page { return []Page{PeoplePage, SpendingPage, ServicePage, SecurityPage, BrandPage} }

// Where says how to get to the section, for sentences that stand on no page.
func (p Page) Where() string { return fmt.Sprintf("Team → %s", p) }
