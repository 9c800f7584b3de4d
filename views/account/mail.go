package account

import (
	"dailies/db/outbox"
	"dailies/views/part"
)

// noticeName describes a kind of notification for the viewer.
func noticeName(n outbox.Notice, f part.Frame) string {
	switch n {
	case outbox.NoticeReady:
		return "My videos are ready"
	case outbox.NoticeFailed:
		return "A video of mine was not made, or needs a decision"
	case outbox.NoticeAsked:
		if f.Viewer != nil && f.Viewer.IsAdmin() {
			return "Somebody asks for more credits, or I am answered"
		}
		return "My question for more credits is answered"
	case outbox.NoticeLimit:
		return "A limit of mine is nearly or wholly used up"
	}
	return string(n)
}
