// Package views draws the pages: one templ file per page, the layout around
// them, and beside each page the values that it takes. Pages do no I/O; what
// needs a clock or a decision is given to them.
package views

import (
	"time"

	"dailies/db"
)

// A Frame is what every page needs, whatever it shows.
type Frame struct {
	Title   string
	Path    string   // of the request, to mark where one is
	Viewer  *db.User // nil where nobody is signed in
	Flash   string   // one sentence about what just happened, shown once
	Undo    *Undo    // takes back what Flash tells; nil where nothing can be
	Notice  string   // something an admin has to see to, shown on every page
	Running int      // the viewer's tasks that are under way
	Answer  bool     // the page answers a form that was sent, and holds what was typed
	Back    bool     // what was typed before the viewer signed in again is filled in
	Sent    string   // the form that has just reached its end: its page, a space, its token
	Sandbox bool     // the service is the sandbox
	Now     time.Time
}
