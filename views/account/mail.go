package account

import (
	"dailies/db/outbox"
	"dailies/views/part"
)

// noticeName describes a kind of notification for the viewer.
func noticeName(n outbox.Notice, f part.Frame) string {
	switch n {
	case outbox.NoticeReady:
		return "A video is ready"
	case outbox.NoticeFailed:
		return "A video failed"
	case outbox.NoticeAnswer:
		return "A guest approves or wants changes"
	case outbox.NoticeNotes:
		return "A note about my videos, or a mention of me"
	case outbox.NoticeAsked:
		if f.Viewer != nil && f.Viewer.IsAdmin() {
			return "A person asks for more, or my request is answered"
		}
		return "My request is answered"
	case outbox.NoticeLimit:
		return "My limit is nearly used"
	}
	return string(n)
}
