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
	db.Unconfirmed:   "Please check",
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
	case c.blocked():
		return c.blockedBy()
	case t.Attempts > 0 && t.Blame == db.BlameKey:
		return "The service does not accept your API key any more, so it cannot be asked about this video."
	case t.Attempts > 0 && t.Blame == db.BlameTask:
		return format.Sentences(t.Message, "It is asked again now and then.")
	case t.Attempts > 0 && t.State == db.Queued:
		return "The service does not answer just now. The video is sent as soon as it does; nothing was paid yet."
	case t.Attempts > 0:
		return "The service does not answer just now. It is asked again and again; the video is not lost."
	case c.Ahead > 0:
		return queuedBehind(c.Ahead, c.AheadOf)
	case c.Slow() && Usually(c.Usual) != "":
		return "It is still being made, nothing is lost, and nothing is paid twice."
	case c.Slow():
		return "Taking long. It is still being made, nothing is lost, and nothing is paid twice."
	}
	switch t.State {
	case db.Queued:
		return "It is sent in a moment."
	case db.Sending:
		return "It is being handed to the service."
	case db.Pending:
		return "The service has it and starts soon."
	case db.Processing:
		if odd := t.Status; odd != "" && odd != string(videoapi.Processing) {
			return fmt.Sprintf("The service calls its state “%s”. It is asked again.", odd)
		}
		return "You can close this page: it is followed to its end."
	}
	return ""
}

// queuedBehind says how many tasks come before one that has not begun, and how many
// other users they belong to.
func queuedBehind(ahead, people int) string {
	switch {
	case people > 1 && ahead > people:
		return fmt.Sprintf("%d of your team are ahead of you, and this video is %s in line. It begins by itself.", people, format.Ordinal(ahead+1))
	case people > 1:
		return fmt.Sprintf("%d of your team are ahead of you. It begins by itself.", people)
	case people == 1 && ahead > 1:
		return fmt.Sprintf("One of your team is ahead of you, and this video is %s in line. It begins by itself.", format.Ordinal(ahead+1))
	case people == 1:
		return "One of your team is ahead of you. It begins by itself."
	case ahead == 1:
		return "One other video comes first. It begins by itself."
	}
	return fmt.Sprintf("%d others come first. It begins by itself.", ahead)
}

// waiting names the state of a running task, or says that it is slow.
func (c Card) waiting() string {
	if c.Slow() {
		return "Taking longer than usual"
	}
	return StateName(c.Task.State)
}

// usually says in a sentence how long similar tasks take, empty if too few are known.
func (c Card) usually() string {
	if !c.Usual.Known() {
		return ""
	}
	return usuallySentence.of(c.Usual)
}

// percent returns the progress of a running task, from 1 to 99: what the service says,
// or else an estimate from past tasks. A task that waits for others has not begun.
// Known is false without either source.
func (c Card) percent() (percent int, known bool) {
	if c.Ahead > 0 {
		return 1, true
	}
	share := c.Task.Progress
	if share <= 0 {
		share = c.Usual.Share(c.Task, c.Now)
	}
	return min(99, max(1, int(share*100))), share > 0 || timed(c)
}

// timed reports whether the progress is estimated from the time since the task was sent.
func timed(c Card) bool {
	return c.Ahead == 0 && c.Task.Progress <= 0 && c.Usual.Known() && !c.Task.SentAt.IsZero()
}

// measured reports whether the progress of a running task is known.
func (c Card) measured() bool {
	_, known := c.percent()
	return known
}

// arc returns how much of the ring is drawn, in percent.
func (c Card) arc() int {
	if c.Slow() || !c.measured() {
		return 25
	}
	percent, _ := c.percent()
	return percent
}

// waited returns how many seconds passed before the task was sent.
func waited(c Card) string {
	return strconv.Itoa(int(c.Task.SentAt.Sub(c.Task.CreatedAt).Seconds()))
}
