// Package part holds the components that pages are built from: the layout and
// its Frame, icons, form controls, the card of a video, prices, notices, and the
// formats of numbers, sizes, dates and durations. Components do no I/O; what
// needs a clock or a decision is given to them.
//
// The pages are in the packages beside this one: create, library and account,
// one templ file per page. They import part and nothing sideways; a component
// that two of them need belongs here. As the handlers' packages have the same
// names, handlers import the views as createview, libraryview and accountview.
package part

import (
	"time"

	"dailies/db"
	"dailies/db/team"
)

// A Frame holds what every page needs, whatever it shows.
type Frame struct {
	Title        string
	Path         string   // of the request, to mark the current section
	Viewer       *db.User // nil where nobody is signed in
	Flash        string   // one sentence about what just happened, shown once
	Undo         *Undo    // takes back what Flash reports; nil where nothing can be taken back
	Notice       string   // a problem that an admin has to solve, shown on every page
	Running      int      // number of the viewer's running tasks
	Answer       bool     // the page answers a form that was sent, and holds what was typed
	Back         bool     // what was typed before signing in again has been restored
	Sent         string   // the form whose submission has just succeeded: its page, a space, its token
	Theme        string   // "light" or "dark"; empty follows the system
	Announcement string   // one line that an admin wants everybody to see; empty without one
	Sandbox      bool     // the service is the sandbox

	Asks     []team.Ask // what people ask for, for admins
	Answered *team.Ask  // what the viewer asked for and was told; nil for nothing
	Warning  string     // that most of a limit is spent; shown once
	Now      time.Time
}

// Makes reports whether the viewer may make and change things.
func (f Frame) Makes() bool { return f.Viewer == nil || f.Viewer.Makes() }
