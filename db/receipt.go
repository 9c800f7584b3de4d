package db

import "time"

// repay records the refund of a task that just ended without a video. Paid is
// what the service had said that it took. A record that now says less shows
// the refund; otherwise there is the promise of API.md: "A task that ends as
// failed is refunded in full." Of an unknown charge nothing can be said.
func (t *Task) repay(paid Credits, now time.Time) {
	switch {
	case paid.Known && t.Charged.Amount < paid.Amount:
		back := min(paid.Amount, paid.Amount-t.Charged.Amount)
		t.Charged, t.Returned, t.ReturnedAt = paid, CreditsOf(back), now
	case t.State == Failed && t.Charged.Known:
		t.Returned, t.ReturnedAt = t.Charged, now
	}
}

// RefundMissing reports whether a failed task's credits were not seen to come
// back: nobody knows what it cost, or the service's record still keeps a part.
func (t Task) RefundMissing() bool {
	return t.State == Failed && (!t.Returned.Known || t.Returned.Amount < t.Charged.Amount)
}

// Again returns a new task with the recipe of this one. The same choice made
// twice makes one task, because the form token belongs to what was chosen.
func (t Task) Again(formToken string, now time.Time) Task {
	return Task{
		UserID: t.UserID, FormToken: formToken, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt,
		Provider: t.Provider, Pictures: t.Pictures, Options: t.Options, State: Queued, CreatedAt: now,
	}
}

// HasSound reports whether sound was asked for.
func (o Options) HasSound() bool { return o.Audio != nil && *o.Audio }

// Silent returns the same options without sound.
func (o Options) Silent() Options {
	no := false
	o.Audio = &no
	return o
}
