package views

import "dailies/db"

// stuck reports whether the video cannot be saved until somebody does
// something.
func (c Card) stuck() bool {
	return c.Task.Keeping == db.Saving && (c.Task.Blame == db.BlameSpace || c.Task.Blame == db.BlameKey)
}

// saving is the badge of a video that is not kept yet.
func (c Card) saving() string {
	if c.Task.Blame == db.BlameSpace {
		return "Not kept: no room"
	}
	return "Saving… the link may expire"
}

// savingTrouble says what holds the saving up.
func (c Card) savingTrouble() string {
	switch c.Task.Blame {
	case db.BlameSpace:
		return "There is no room here for more videos. It is saved as soon as an admin makes some, if the service's link still works then; download it there to be safe."
	case db.BlameGone:
		return "The link has expired. The service is asked for another one."
	case db.BlameKey:
		return "The link has expired, and without an API key that works the service cannot be asked for another one."
	case db.BlameService:
		return "It could not be copied yet. It is tried again and again."
	}
	return ""
}

// lostReason says why the copying was given up.
func (c Card) lostReason() string {
	if c.Task.Message != "" {
		return c.Task.Message
	}
	return "The service no longer had it when it was to be copied."
}
