package part

import (
	"cmp"
	"fmt"
	"strconv"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/web/videoapi"
)

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
	case t.Attempts > 0 && t.Blame == db.BlameKey:
		return "The service refuses your key, so we can’t follow this video. Check the key."
	case t.Attempts > 0 && t.Blame == db.BlameTask:
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

// Outlook says in a few words how a running task stands: when it has its turn, or how long
// it usually takes once it has begun.
func (c Card) Outlook() string {
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
	return t.State.Running() && t.State != db.Processing && t.Attempts == 0 && c.Ahead == 0 && !c.blocked() && !c.AwaitsPrice && !c.Elsewhere
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
