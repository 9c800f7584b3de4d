package part

import (
	"fmt"
	"math"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/db/schedule"
)

// A Card holds a task and what its components show with it.
type Card struct {
	Task      db.Task
	ModelName string
	Name      string         // what Title returns, if it is known already
	Usual     schedule.Usual // how long similar tasks take; Count is 0 without history
	Ahead     int            // how many tasks with the same key come first, if this one has not begun
	Wait      time.Duration  // how long it takes until its turn, at the pace of the key; 0 if that is not known
	WaitUntil time.Time      // when Wait is out of date, although nothing has changed
	Call      schedule.Call  // the create call that blocks its key, if it waits for that; the zero Call if none does
	MayFree   bool           // the viewer may free that key
	// AwaitsPrice says that it is not sent before the price of another video is known, because
	// of a limit.
	AwaitsPrice bool
	// CallLateAt is when the next create call begins to block its key, if this task waits
	// to be sent and that call is not answered before; zero if none is being made.
	CallLateAt   time.Time
	Final        *Final          // making it on the full model, if this is a finished draft
	Cast         []CastFace      // who of the cast is in it, where that is shown
	Standing     review.Standing // what guests decided about it
	Stacked      int             // how many finished takes of the video there are, for lists of videos; 0 or 1 for none
	Fanned       bool            // its takes are one tile of the list, which shows them when it is asked
	Group        *gallery.Group  // what is known about its batch; nil if it is not part of one
	Together     []int64         // IDs of the finished videos of its batch, including its own, for comparison
	Mine         bool            // the viewer made it
	LookOnly     bool            // the viewer may not make or change anything
	MayDrawCover bool            // the viewer's browser may draw its cover
	Deletable    bool            // the viewer may move it to the bin
	Selected     bool            // it is selected
	// FollowID is the service's ID that the maker of an unconfirmed task has entered,
	// and FollowError why it was refused.
	FollowID, FollowError string
	Ghost                 Ghost // what is shown while there is no video, unless it is made from a picture
	Mails                 bool  // mails can be sent
	Apart                 bool  // it was made in practice mode, and the team uses a real service
	Sandbox               bool  // the service is the sandbox, whose credits are added in Settings
	// Elsewhere says that it waits to be sent to a service that the team does not use any
	// more.
	Elsewhere    bool
	AllElsewhere int // how many videos of its maker wait in this way, if it does
	Now          time.Time
}

// Live reports whether the card will change by itself: the task is running, or its
// files are still being copied.
func (c Card) Live() bool { return c.Task.State.Running() || c.Task.Keeping == db.Saving }

// Until returns the first time after its Now at which the card looks different although
// nothing in the database has changed, or the zero time. Clocks and rings, which a script
// keeps running, do not count.
func Until(c Card) (first time.Time) {
	if !c.Task.State.Running() || c.Elsewhere {
		return first
	}
	turns := []time.Time{c.CallLateAt, c.WaitUntil}
	if c.blocked() {
		turns = append(turns, blockedUntil(c.Call))
	} else if c.Ahead == 0 {
		turns = append(turns, c.Usual.SlowAt(c.Task))
	}
	return Earliest(c.Now, turns...)
}

// Slow reports whether the task takes much longer than similar ones. A task that waits
// for others is not slow.
func (c Card) Slow() bool {
	return c.Ahead == 0 && !c.blocked() && !c.Elsewhere && c.Usual.Slow(c.Task, c.Now)
}

// Title returns the title or the prompt, shortened to one line, for headings and
// labels.
func (c Card) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return Title(c.Task.Heading())
}

// Title shortens a prompt to one line of at most 80 characters, if possible at the end
// of a word, as it may stand within a sentence: see naming.Isolated.
func Title(prompt string) string {
	const longest = 80
	words := naming.Clean(prompt)
	if words == "" {
		return "A video without words"
	}
	if len(words) <= longest {
		return naming.Isolate(words)
	}
	letters := []rune(words)
	if len(letters) <= longest {
		return naming.Isolate(words)
	}
	short := string(letters[:longest])
	// The cut is at the end of a word if there is one: not every script has spaces.
	if space := strings.LastIndexByte(short, ' '); space > len(short)/2 && letters[longest] != ' ' {
		short = short[:space]
	}
	// It is cleaned again, because the cut may separate a joiner from what it joins.
	return naming.Isolate(naming.Clean(strings.TrimRight(short, " ,.;:-–—")) + "…")
}

// Maker returns the name of the user who made the video: "You" for the viewer.
func (c Card) Maker() string {
	if c.Mine {
		return "You"
	}
	return c.Task.UserName
}

// decides reports whether the viewer may decide what happens with the task.
func (c Card) decides() bool { return c.Mine && !c.LookOnly }

// Hides reports whether the viewer may change who sees the video.
func (c Card) Hides() bool { return c.decides() }

// ID returns the ID of a named element of the card. It is unique on the page.
func (c Card) ID(of string) string { return fmt.Sprintf("%s-%d", of, c.Task.ID) }

// Path returns the path of the video's page.
func (c Card) Path() string { return TaskPath(c.Task.ID) }

// again returns the path of the form with everything of this task filled in.
func (c Card) again() string {
	if c.Task.State == db.Success {
		return c.reuse(db.Copied)
	}
	return c.reuse(db.Retried)
}

// EditPath returns the path of the form with everything filled in of a task that
// produced no video. It is empty if the task did, is still running, or cannot be
// reused.
func (c Card) EditPath() string {
	if c.Task.State.Running() || c.Task.State == db.Success || !c.Reusable() {
		return ""
	}
	return c.again()
}

// original returns the service's own URL of the video, if it can be a link.
func (c Card) original() (address string, ok bool) {
	for _, r := range c.Task.Results {
		if r.Kind == db.Video && WebAddress(r.URL) {
			return r.URL, true
		}
	}
	return "", false
}

// Shape returns the CSS class that reserves the video's space before it is loaded.
func (c Card) Shape() string { return RatioClass(c.Task.Options.AspectRatio) }

// RatioClass returns the CSS class for a ratio such as "16:9".
func RatioClass(ratio string) string {
	switch ratio {
	case "16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21":
		return "r-" + strings.ReplaceAll(ratio, ":", "-")
	}
	return "r-auto"
}

// NearestRatioClass returns the CSS class of the ratio nearest to width : height, or
// the class for 16:9 if the size is not known.
func NearestRatioClass(width, height int) string {
	nearest, least := "r-16-9", math.Inf(1)
	for _, r := range [][2]int{{21, 9}, {16, 9}, {4, 3}, {1, 1}, {3, 4}, {9, 16}, {9, 21}} {
		far := math.Abs(math.Log(float64(width) * float64(r[1]) / (float64(height) * float64(r[0]))))
		if width > 0 && height > 0 && far < least {
			nearest, least = fmt.Sprintf("r-%d-%d", r[0], r[1]), far
		}
	}
	return nearest
}

// undecided reports whether the maker of an unconfirmed task still has to decide what
// happens with it.
func (c Card) undecided() bool {
	return c.Task.State == db.Unconfirmed && c.Task.DecidedAt.IsZero()
}

// FileMissing reports whether the task succeeded, but there is and will be no copy of
// its video here: the service named no URL, or has deleted the file.
func (c Card) FileMissing() bool {
	_, here := c.Task.Video()
	return c.Task.State == db.Success && c.Task.Keeping != db.Saving && !here
}

// Announcement returns the task's state in one sentence, for screen readers.
func (c Card) Announcement() string {
	switch _, here := c.Task.Video(); {
	case here && c.Task.State == db.Success:
		return fmt.Sprintf("“%s” is ready.", c.Title())
	case c.FileMissing():
		return fmt.Sprintf("“%s”: file missing.", c.Title())
	case c.Task.Keeping == db.Saving:
		return fmt.Sprintf("“%s” is being saved.", c.Title())
	}
	return fmt.Sprintf("“%s”: %s.", c.Title(), c.waiting())
}

// Notice returns what the browser of somebody who looks elsewhere says about the task once
// it has ended and its file is kept or will never be; empty before.
func (c Card) Notice() string {
	switch _, here := c.Task.Video(); {
	case here && c.Task.State == db.Success:
		return "Your video is ready"
	case c.FileMissing():
		return "File missing"
	case c.Task.State.Running(), c.Task.Keeping == db.Saving:
		return ""
	case c.Task.State == db.Canceled:
		return "A video was cancelled"
	case c.Task.State == db.Unconfirmed:
		return "Did this video start?"
	}
	return "A video failed"
}
