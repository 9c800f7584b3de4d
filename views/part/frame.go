// Package part holds the components from which pages are built: the layout and its
// Frame, icons, form controls, the card of a video, prices, notices, and the formats of
// numbers, sizes, dates and durations. Components do no I/O; the present time and
// decisions are passed to them.
//
// The pages are in the packages beside this one, such as create, library and account,
// one templ file per page. They import part but not each other; a component that two of
// them need belongs here. Because the handlers' packages have the same names, handlers
// import the views as createview, libraryview and so on.
package part

import (
	"context"
	"io"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/team"
)

// A Frame holds what every page needs, whatever it shows. It is in the context in which the page is
// drawn, so that only those components deal with it that show something of it.
type Frame struct {
	Title        string
	Path         string            // the request's path, to mark the current section
	Viewer       *db.User          // nil if nobody is signed in
	Flash        string            // one sentence about what just happened, shown once
	Undo         *Undo             // offers to undo what Flash reports; nil if it cannot be undone
	Notice       string            // a problem that an admin has to solve, shown on every page
	HeldHooks    int               // number of webhooks that came with a backup and wait for the viewer, an admin
	EarlierHook  int64             // ID of a webhook of the viewer that is off because of its format; 0 for none
	News         int               // number of notes and answers of guests that the viewer has not seen
	Running      int               // number of the viewer's running tasks
	Answer       bool              // the page is the answer to a form, and contains what was typed
	Back         bool              // what was typed before signing in again has been restored
	Sent         string            // the form that was just submitted successfully: its page, a space, its token
	Theme        string            // "light" or "dark"; empty follows the system
	Announcement team.Announcement // what an admin shows to everybody; zero if there is nothing, or the viewer has closed it
	Sandbox      bool              // the service is the sandbox
	Admins       []string          // names of some admins, whom members of a team in practice mode can ask
	Balance      *Balance          // what the viewer may still spend; nil if they spend nothing

	CreditRequests []spending.CreditRequest // open requests to spend more, for admins
	Answered       *spending.CreditRequest  // the answer to a request of the viewer's; nil if there is none
	Warning        string                   // says that most of a limit is spent; shown once
	Now            time.Time
}

type frameKey struct{}

// Framed returns the page with its frame: while it is drawn, FrameOf returns f.
func Framed(f Frame, page templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return page.Render(context.WithValue(ctx, frameKey{}, &f), w)
	})
}

// FrameOf returns the frame of the page that is being drawn. It is nil where a fragment is drawn
// without its page, whose components must not need it.
func FrameOf(ctx context.Context) *Frame {
	f, _ := ctx.Value(frameKey{}).(*Frame)
	return f
}

// Makes reports whether the viewer may make and change things.
func (f *Frame) Makes() bool { return f.Viewer == nil || f.Viewer.Makes() }
