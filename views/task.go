package views

import "dailies/db"

// A TaskPage is everything about one task.
type TaskPage struct {
	Card    Card
	Answers []db.Answer // the service's own words, folded away; the maker's only
}
