package part

import (
	"fmt"
	"strconv"
	"time"

	"dailies/db/naming"
	"dailies/db/schedule"
	"dailies/web/videoapi"
)

// blocked reports whether the task waits for a create call that blocks its key, or is
// itself being sent by that call.
func (c Card) blocked() bool { return c.Call.TaskID != 0 && c.Task.State.Running() }

// blockedUntil returns when the key that the call blocks is free at the latest.
func blockedUntil(call schedule.Call) time.Time {
	if call.Stopped() {
		return call.FreesAt
	}
	return call.SentAt.Add(videoapi.LongestCreate)
}

// untilMinute formats the time of day to the minute, in UTC, and never as an earlier time.
func untilMinute(t time.Time) string {
	return t.UTC().Add(time.Minute - time.Nanosecond).Format("15:04 UTC")
}

// blockedBy says what the task waits for, and until when.
func (c Card) blockedBy() string {
	at, own := untilMinute(blockedUntil(c.Call)), c.Call.TaskID == c.Task.ID
	switch over := !blockedUntil(c.Call).After(c.Now); {
	case over && own:
		return "A server stopped while sending this. We’ll ask you what to do in a moment."
	case over:
		return "A server stopped while sending. We’ll send your video in a moment."
	case c.Call.Stopped() && own:
		return fmt.Sprintf("A server stopped while sending this. We’ll wait for its answer until %s, then ask you.", at)
	case c.Call.Stopped():
		return fmt.Sprintf("A server stopped while sending. To be safe, your video waits until %s.", at)
	case own:
		return fmt.Sprintf("The service hasn’t answered yet. We’ll wait until %s.", at)
	}
	return fmt.Sprintf("The service hasn’t answered the video before yours. Yours waits until %s at most.", at)
}

// freeingWarning says what it means to free the key that the call blocks.
func freeingWarning(call schedule.Call) string {
	if call.Stopped() {
		return "Free it, and the next video starts now. The interrupted one may have been charged; we’ll ask its maker."
	}
	return "Free it, and the next video starts now. We’ll still wait for the other’s answer; it may have been charged."
}

// KeyOfCall names the key that the call blocks.
func KeyOfCall(call schedule.Call) string {
	switch {
	case call.KeyName != "":
		return fmt.Sprintf("%s, …%s", naming.Isolated(call.KeyName), call.KeyEnd)
	case call.KeyEnd != "":
		return fmt.Sprintf("%s’s own key, …%s", naming.Isolated(call.Payer), call.KeyEnd)
	}
	return fmt.Sprintf("%s’s earlier own key", naming.Isolated(call.Payer))
}

// BlockedReason says why the key is blocked, and until when.
func BlockedReason(call schedule.Call) string {
	at := untilMinute(blockedUntil(call))
	if call.Stopped() {
		return fmt.Sprintf(
			"A server stopped while sending a video of %s. To be safe, others with this key wait until %s.",
			naming.Isolated(call.Maker), at,
		)
	}
	return fmt.Sprintf(
		"The service hasn’t answered a video of %s. Others with this key wait until %s at most.",
		naming.Isolated(call.Maker), at,
	)
}

func callNumber(call schedule.Call) string { return strconv.FormatInt(call.TaskID, 10) }
