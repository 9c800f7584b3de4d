package part

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/db/schedule"
	"dailies/db/spending"
	"dailies/web/videoapi"
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
	Approval     review.Approval // what guests decided about it
	Stacked      int             // how many finished takes of the video there are, for lists of videos; 0 or 1 for none
	Expandable   bool            // its takes are one tile of the list, which shows them when it is asked
	Group        *gallery.Group  // what is known about its batch; nil if it is not part of one
	Comparable   []int64         // IDs of the finished videos of its batch, including its own, for comparison
	Mine         bool            // the viewer made it
	LookOnly     bool            // the viewer may not make or change anything
	MayDrawCover bool            // the viewer's browser may draw its cover
	Deletable    bool            // the viewer may move it to the bin
	Selected     bool            // it is selected
	// FollowID is the service's ID that the maker of an unconfirmed task has entered,
	// and FollowError why it was refused.
	FollowID, FollowError string
	Placeholder           Placeholder // what is shown while there is no video, unless it is made from a picture
	Mails                 bool        // mails can be sent
	MadeInPractice        bool        // it was made in practice mode, and the team uses a real service
	Sandbox               bool        // the service is the sandbox, whose credits are added in Settings
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

// OtherCredits tells what was spent in credits that are not added to those that count now. It is
// empty if nothing was.
func OtherCredits(a spending.OtherCredits) string {
	sum := a.Total()
	spent := Number(sum.Spent())
	switch {
	case sum.Tasks == 0:
		return ""
	case a.Practice && sum.Videos == 1:
		return fmt.Sprintf("Practice mode: %s for 1 video, not real credits.", spent)
	case a.Practice:
		return fmt.Sprintf("Practice mode: %s for %s videos, not real credits.", spent, Number(sum.Videos))
	case sum.Videos == 1:
		return fmt.Sprintf("Real credits: %s for 1 video, apart from practice mode.", spent)
	}
	return fmt.Sprintf("Real credits: %s for %s videos, apart from practice mode.", spent, Number(sum.Videos))
}

// A Placeholder is a picture that is shown dimmed where a video will be.
type Placeholder struct {
	Source string // its URL; empty for none
	Whose  string // what it shows, for the viewer
}

// LastVideo returns the placeholder that shows the thumbnail, with that ID, of the viewer's last
// video, or nothing if the ID is 0.
func LastVideo(thumb int64) Placeholder {
	if thumb == 0 {
		return Placeholder{}
	}
	return Placeholder{MediaPath(db.Media{ID: thumb}), "Your last video"}
}

// placeholder returns what is shown behind the progress of the card's video: the picture from
// which it is made or, without one, the card's own placeholder.
func (c Card) placeholder() Placeholder {
	if picture := c.Picture(); picture != "" {
		return Placeholder{picture, pictureOf(videoapi.Scene(c.Task.Scene))}
	}
	return c.Placeholder
}

// Picture returns the path of the thumbnail of the first picture from which the video is
// made, or "" if there is none.
func (c Card) Picture() string {
	for _, address := range c.Task.Pictures {
		if WebAddress(address) {
			return ThumbSource(address)
		}
	}
	return ""
}

// pictureOf names the first picture of a video of the scene.
func pictureOf(s videoapi.Scene) string {
	if s == videoapi.ReferenceToVideo {
		return "Your reference"
	}
	return "Your picture"
}

// quotation returns the prompt in quotation marks, for a video that has no picture yet.
func quotation(prompt string) string {
	const longest = 240
	return fmt.Sprintf("“%s”", naming.Isolated(Clip(prompt, longest)))
}

// WrongCodes returns the sentence about an audit entry that says that many wrong codes
// were given for an account.
func WrongCodes(e audit.Entry) string {
	if e.Actor.Address == "" {
		return "Eight wrong codes were tried with the right password."
	}
	return fmt.Sprintf("Eight wrong codes were tried with the right password, the last from network address %s.", e.Actor.Address)
}

// Approval says, in a few words, what guests decided about a video and who. It is empty if
// nobody was asked.
func Approval(s review.Approval) string {
	said := s.Of(s.Answer())
	switch s.Answer() {
	case review.Changes:
		if len(said) == 1 {
			return fmt.Sprintf("%s wants changes", said[0].Author().Called())
		}
		return fmt.Sprintf("%s and %s more want changes", said[0].Author().Called(), Number(len(said)-1))
	case review.Approved:
		if s.Guests() > 1 {
			return fmt.Sprintf("Approved by %s of %s", Number(len(said)), Number(s.Guests()))
		}
		return fmt.Sprintf("Approved by %s", said[0].Author().Called())
	case review.Waiting:
		switch len(s.Silent) {
		case 0:
			return "Waiting"
		case 1:
			return fmt.Sprintf("Waiting for %s", s.Silent[0].Author().Called())
		}
		return fmt.Sprintf("Waiting for %s guests", Number(len(s.Silent)))
	}
	return ""
}

// approvalClass returns the class of the label.
func approvalClass(s review.Approval) string {
	switch s.Answer() {
	case review.Changes:
		return "run"
	case review.Approved:
		return "good"
	}
	return ""
}

// approvalIcon returns the symbol of the label.
func approvalIcon(s review.Approval) templ.Component {
	switch s.Answer() {
	case review.Changes:
		return Turn()
	case review.Approved:
		return Tick()
	}
	return Hourglass()
}

// answerName names what a guest decided.
func answerName(a review.Answer) string {
	if a == review.Approved {
		return "Approved"
	}
	return "Changes wanted"
}

// answerClass returns the class of the label with that name.
func answerClass(a review.Answer) string {
	if a == review.Approved {
		return "good"
	}
	return "run"
}

// StateName returns the state in a word or two.
func StateName(s db.State) string { return cmp.Or(stateNames[s], string(s)) }

var stateNames = map[db.State]string{
	db.Queued:        "Queued",
	db.Sending:       "Sending",
	db.Pending:       "Queued",
	db.Processing:    "In progress",
	db.Success:       "Ready",
	db.Failed:        "Failed",
	db.Canceled:      "Cancelled by the service",
	db.Rejected:      "Not started",
	db.Unconfirmed:   "Not sure it started",
	gallery.AnyState: "Everything",
}

// StateTone returns the CSS class of the state's pill.
func StateTone(s db.State) string {
	switch {
	case s.Running():
		return "pill run"
	case s == db.Success:
		return "pill good"
	case s == db.Unconfirmed:
		return "pill run"
	}
	return "pill bad"
}

// Doing says what is happening with a running task.
func (c Card) Doing() string {
	t := c.Task
	switch {
	case c.Elsewhere:
		return "The team has switched video services, so it isn’t sent. Nothing’s been charged."
	case c.blocked():
		return c.blockedBy()
	case c.AwaitsPrice:
		return "Waiting for the price of another video. It starts by itself."
	case t.Attempts > 0 && t.ErrorKind == db.KeyError:
		return "The service refuses your key, so we can’t follow this video. Check the key."
	case t.Attempts > 0 && t.ErrorKind == db.TaskError:
		return format.Sentences(t.Message, "We’ll keep asking.")
	case t.Attempts > 0 && t.State == db.Queued:
		return "The service isn’t answering. We’ll send this when it does; nothing’s been charged."
	case t.Attempts > 0:
		return "The service isn’t answering. We’ll keep asking."
	case c.Ahead > 0:
		return c.inLine()
	case c.Slow():
		return "Still being made. You won’t pay twice."
	case t.State == db.Pending:
		return "The service has it."
	case t.State != db.Processing:
		return ""
	}
	if t.State == db.Processing && t.Status == string(videoapi.Success) {
		return "The service says a filter stopped it. We’re asking once more."
	}
	if odd := t.Status; odd != "" && odd != string(videoapi.Processing) {
		return fmt.Sprintf("Unknown state “%s”. We’ll keep asking.", odd)
	}
	return "You can close this page."
}

// inLine says how many tasks come before one that has not begun, and how long that takes.
func (c Card) inLine() string {
	if c.Wait == 0 {
		return ComeFirst(c.Ahead)
	}
	return Plural(c.Ahead, "About %[2]s: %[1]s video comes first.", "About %[2]s: %[1]s videos come first.", roughly(c.Wait))
}

// ComeFirst says how many tasks come before one that has not begun, if nobody knows how long
// that takes.
func ComeFirst(ahead int) string {
	return Plural(ahead, "%s video comes first", "%s videos come first")
}

// Turn says in a few words when a task has its turn that waits for others. It is empty if no
// pace of the key is known.
func (c Card) Turn() string {
	if c.Ahead == 0 || c.Wait == 0 || c.blocked() || c.Elsewhere || c.Task.Attempts > 0 {
		return ""
	}
	return fmt.Sprintf("about %s", roughly(c.Wait))
}

// makeNone is the label of the button that ends all of a maker's videos that were not sent
// before the team changed the video service.
func makeNone(n int) string {
	return fmt.Sprintf("Don’t make any of the %s that wait", Number(n))
}

// Forecast says in a few words how a running task stands: when it has its turn, or how long
// it usually takes once it has begun.
func (c Card) Forecast() string {
	if turn := c.Turn(); turn != "" {
		return turn
	}
	if usual := Usually(c.Usual); usual != "" && c.Task.State.Begun() && !c.Slow() {
		return usual
	}
	return c.waiting()
}

// waiting says in a heading how a running task stands.
func (c Card) waiting() string {
	switch {
	case c.Elsewhere:
		return "Waiting"
	case c.Slow():
		return "Taking longer than usual"
	case c.startsSoon():
		return "Starting soon"
	}
	return StateName(c.Task.State)
}

// startsSoon reports whether nothing that is known keeps a task from beginning.
func (c Card) startsSoon() bool {
	t := c.Task
	return t.State.Running() && t.State != db.Processing && t.Attempts == 0 && c.Ahead == 0 && !c.blocked() &&
		!c.AwaitsPrice && !c.Elsewhere
}

// usually says in a sentence how long similar tasks take, or that nobody knows yet.
func (c Card) usually() string {
	switch {
	case c.Elsewhere, c.Ahead > 0:
		return ""
	case c.Usual.Known():
		return usuallySentence.of(c.Usual)
	case c.Task.State == db.Processing && c.Task.Attempts == 0 && !c.Slow():
		return "We’ll know the usual time once a few are made."
	}
	return ""
}

// percent returns the progress of a running task, from 1 to 95: what the service says,
// or else an estimate from past tasks. The ring never closes before the video is there. A
// task that waits for others has not begun. Known is false without either source.
func (c Card) percent() (percent int, known bool) {
	if c.Ahead > 0 {
		return 1, true
	}
	share := c.Task.Progress
	if share <= 0 {
		share = c.Usual.Share(c.Task, c.Now)
	}
	return min(95, max(1, int(share*100))), share > 0 || timed(c)
}

// timed reports whether the progress is estimated from the time since the task was begun.
func timed(c Card) bool {
	return c.Ahead == 0 && c.Task.Progress <= 0 && c.Usual.Known() && !c.Task.StartedAt().IsZero()
}

// measured reports whether the progress of a running task is known.
func (c Card) measured() bool {
	_, known := c.percent()
	return known
}

// arcOf returns how much of the ring is drawn, in percent.
func arcOf(c Card) int {
	if c.Slow() || !c.measured() {
		return 25
	}
	percent, _ := c.percent()
	return percent
}

// waited returns how many seconds passed before the making of the task started.
func waited(c Card) string {
	return strconv.Itoa(int(c.Task.StartedAt().Sub(c.Task.CreatedAt).Seconds()))
}
