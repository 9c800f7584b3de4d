package part

import (
	"slices"

	"dailies/db"
	"dailies/db/format"
)

// Stuck reports whether somebody must do something before the video can be saved.
func (c Card) Stuck() bool {
	b := c.Task.ErrorKind
	return c.Task.Keeping == db.Saving && (b == db.SpaceError || b == db.KeyError || b == db.TaskError)
}

// Saving returns the badge of a video that is not saved yet.
func (c Card) Saving() string {
	if !c.Task.LacksAddress() && c.Task.ErrorKind == db.SpaceError {
		return "Not saved: storage full"
	}
	return "Saving…"
}

// savingTrouble says what delays saving the video, empty if nothing does.
func (c Card) savingTrouble() string {
	if c.Task.LacksAddress() {
		return unaddressed(c.Task)
	}
	switch c.Task.ErrorKind {
	case db.SpaceError:
		return "Storage is full. Download it now; we’ll save it once an admin frees space."
	case db.StorageError:
		return "Storage isn’t answering. We’ll save it when it does."
	case db.LinkError:
		return "The service’s link has expired. We’ve asked for a new one."
	case db.TaskError:
		return format.Sentences("The service’s link has expired.", c.Task.Message, "We’ll keep asking.")
	case db.KeyError:
		return "The service’s link has expired. Fix the key, and we’ll ask for a new one."
	case db.ServiceError:
		if c.Task.Message == db.BrokenOff {
			return c.Task.Message
		}
		return "Not saved yet. We’ll keep trying."
	}
	return ""
}

// unaddressed says why a video whose URL the service has not named cannot be saved yet.
func unaddressed(t db.Task) string {
	switch t.ErrorKind {
	case db.KeyError:
		return "It’s made, but the service hasn’t sent a link yet. Fix the key, and we’ll ask."
	case db.RequestError:
		return "The service says a filter stopped it. We’re asking once more."
	case db.TaskError:
		return format.Sentences("It’s made, but the service hasn’t sent a link yet.", t.Message, "We’ll keep asking.")
	}
	return "It’s made, but the service hasn’t sent a link yet. We’ll ask for three days."
}

// addressed reports whether the service has named a URL of the video.
func addressed(t db.Task) bool {
	return slices.ContainsFunc(t.Results, func(r db.Result) bool { return r.Kind == db.Video })
}

// lostReason says why the video will not be copied any more.
func lostReason(t db.Task) string {
	if t.Message != "" {
		return t.Message
	}
	return "The service had deleted it before we could save it."
}

// fileGone reports whether a stored file is missing or damaged.
func fileGone(t db.Task) bool {
	return slices.ContainsFunc(t.Media, func(m db.Media) bool { return m.Kind == db.Video && !m.LostAt.IsZero() })
}
