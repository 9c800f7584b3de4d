package views

import (
	"dailies/db"
	"dailies/web/videoapi"
)

// A Gallery is one page of it, with the filter that chose it.
type Gallery struct {
	Cards  []Card
	Filter db.TaskFilter
	Models []videoapi.Model
	Next   string // address of the older page, empty at the end
	Total  int    // tasks that fit the filter
	Empty  bool   // the team has not made anything yet
}
