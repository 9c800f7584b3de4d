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

// BlockedUntil returns when the key that the call blocks is free at the latest.
func BlockedUntil(call schedule.Call) time.Time {
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
	at, own := untilMinute(BlockedUntil(c.Call)), c.Call.TaskID == c.Task.ID
	switch over := !BlockedUntil(c.Call).After(c.Now); {
	case over && own:
		return "A server stopped while sending this video. You are asked what to do in a moment."
	case over:
		return "A server stopped while sending. Your video is sent in a moment."
	case c.Call.Stopped() && own:
		return fmt.Sprintf("A server stopped while sending this video. Its answer may still come until %s; then you are asked what to do. Nothing is sent twice.", at)
	case c.Call.Stopped():
		return fmt.Sprintf("A server stopped while sending. Your video waits until %s to be safe.", at)
	case own:
		return fmt.Sprintf("The service has not answered yet. Its answer is awaited until %s.", at)
	}
	return fmt.Sprintf("The service has not answered the video before yours. Your video waits for that answer, until %s at the latest.", at)
}

// FreeingWarning says what it means to free the key that the call blocks.
func FreeingWarning(call schedule.Call) string {
	if call.Stopped() {
		return "If you free the key now, the next video is sent at once. The interrupted one may have been paid for, and its maker is asked what to do."
	}
	return "If you free the key now, the next video is sent at once, beside the one that the service has not answered. That one may have been paid for; its answer is still awaited."
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

// WhyBlocked says why the key is blocked, and until when.
func WhyBlocked(call schedule.Call) string {
	at := untilMinute(BlockedUntil(call))
	if call.Stopped() {
		return fmt.Sprintf("A server stopped while sending a video of %s. Other videos with this key wait until %s to be safe.", naming.Isolated(call.Maker), at)
	}
	return fmt.Sprintf("The service has not answered a video of %s. Other videos with this key wait for that answer, until %s at the latest.", naming.Isolated(call.Maker), at)
}

func callNumber(call schedule.Call) string { return strconv.FormatInt(call.TaskID, 10) }
