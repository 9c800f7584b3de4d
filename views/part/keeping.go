package part

import (
	"slices"

	"dailies/db"
	"dailies/db/format"
)

// Stuck reports whether somebody must do something before the video can be saved.
func (c Card) Stuck() bool {
	b := c.Task.Blame
	return c.Task.Keeping == db.Saving && (b == db.BlameSpace || b == db.BlameKey || b == db.BlameTask)
}

// Saving returns the badge of a video that is not saved yet.
func (c Card) Saving() string {
	if c.Task.LacksAddress() {
		return "Made, and not here yet"
	}
	if c.Task.Blame == db.BlameSpace {
		return "Not kept: no room"
	}
	return "Saving… the link may expire"
}

// savingTrouble says what delays saving the video, empty if nothing does.
func (c Card) savingTrouble() string {
	if c.Task.LacksAddress() {
		return unaddressed(c.Task)
	}
	switch c.Task.Blame {
	case db.BlameSpace:
		return "There is no room here for more videos. It is saved as soon as an admin makes some, if the service's link still works then; download it there to be safe."
	case db.BlameStorage:
		return "The storage for videos does not answer just now. It is saved as soon as that does, if the service's link still works then."
	case db.BlameGone:
		return "The link has expired. The service is asked for another one."
	case db.BlameTask:
		return format.Sentences("The link has expired.", c.Task.Message, "It is asked again now and then.")
	case db.BlameKey:
		return "The link has expired, and without an API key that works the service cannot be asked for another one."
	case db.BlameService:
		return "It could not be copied yet. It is tried again and again."
	}
	return ""
}

// unaddressed says why a video whose URL the service has not named cannot be saved yet.
func unaddressed(t db.Task) string {
	switch t.Blame {
	case db.BlameKey:
		return "The service says that the video is made, but has not said where it is, and without an API key that works it cannot be asked."
	case db.BlameTask:
		return format.Sentences("The service said that the video is made, but not where it is.", t.Message, "It is asked again now and then.")
	}
	return "The service says that the video is made, but has not said yet where it is. It is asked again and again, for three days."
}

// addressed reports whether the service has named a URL of the video.
func (c Card) addressed() bool {
	return slices.ContainsFunc(c.Task.Results, func(r db.Result) bool { return r.Kind == db.Video })
}

// lostReason says why the video will not be copied any more.
func (c Card) lostReason() string {
	if c.Task.Message != "" {
		return c.Task.Message
	}
	return "The service no longer had it when it was to be copied."
}

// fileGone reports whether a stored file is missing or damaged.
func (c Card) fileGone() bool {
	return slices.ContainsFunc(c.Task.Media, func(m db.Media) bool { return m.Kind == db.Video && !m.LostAt.IsZero() })
}
