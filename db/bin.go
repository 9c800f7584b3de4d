package db

import "time"

// BinLife is how long a deleted video stays in the bin.
const BinLife = 30 * 24 * time.Hour

// DeletableBy reports whether the person may move the task into the bin and out of
// it. Its maker may, unless they are a viewer; an admin may if the team sees the
// video.
func (t Task) DeletableBy(u User) bool {
	return u.Makes() && (t.UserID == u.ID || u.IsAdmin() && t.State == Success && !t.Private)
}

// Delete puts the task into the bin. It refuses a task that is running, is being
// copied, or waits for its maker's decision, because that task may have been paid
// for.
func (t *Task) Delete(by int64, now time.Time) error {
	done := !t.State.Running() && t.Keeping != Saving && (t.State != Unconfirmed || !t.DecidedAt.IsZero())
	if err := t.expect(done && t.PurgedAt.IsZero()); err != nil {
		return err
	}
	if t.DeletedAt.IsZero() {
		t.DeletedAt, t.DeletedBy = now, by
	}
	return nil
}

// Restore takes the task out of the bin.
func (t *Task) Restore() error {
	if err := t.expect(t.PurgedAt.IsZero()); err != nil {
		return err
	}
	t.DeletedAt, t.DeletedBy = time.Time{}, 0
	return nil
}

// GoneAt returns when the bin deletes the task for good, or zero if it is not in
// the bin.
func (t Task) GoneAt() time.Time {
	if t.DeletedAt.IsZero() {
		return time.Time{}
	}
	return t.DeletedAt.Add(BinLife)
}

// Purge erases the contents of a task that is in the bin, if it is due or if early
// is set. Its maker, its times, its model and its cost stay, because the team's
// usage counts them.
func (t *Task) Purge(now time.Time, early bool) error {
	if err := t.expect(!t.DeletedAt.IsZero() && (early || !now.Before(t.GoneAt()))); err != nil {
		return err
	}
	t.PurgedAt = now
	t.Prompt, t.SentPrompt, t.Title, t.Message, t.Provider = "", "", "", "", ""
	t.Pictures, t.Results, t.Media = nil, nil, nil
	t.Starred = false
	return nil
}
