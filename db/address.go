package db

import "time"

const (
	// addressFor is how long the service is asked for the address of a
	// video that it says is made.
	addressFor = 72 * time.Hour

	// addressAttempts is how many questions in a row must have brought no
	// address before that is believed, so that a clock which jumps ahead ends
	// nothing.
	addressAttempts = 24
)

// LacksAddress reports whether the service says that the video is made and has
// named no address of it yet. A cover alone is no video.
func (f Files) LacksAddress() bool {
	return f.Keeping == Saving && videos(f.Results) == 0
}

// ReportAgain takes the service's answer to a question about a task that lacks
// its address. It brings the address, or the task is asked about again at next,
// for up to three days. A failure that the service owns up to late counts, and
// returns the credits.
func (t *Task) ReportAgain(r Report, now, next time.Time) error {
	if err := t.expect(t.LacksAddress()); err != nil {
		return err
	}
	t.Asked++
	switch State(r.Status) {
	case Failed, Canceled:
		t.Keeping, t.Progress = NothingToKeep, 0
		r.apply(t, now, next)
		return nil
	}
	if r.Charged.Known {
		t.Charged = r.Charged
	}
	if videos(r.Results) == 0 {
		return t.RetryAddress(NoBlame, "", now, next)
	}
	t.Results, t.NextAt = r.Results, now
	t.Message, t.Blame, t.Attempts = "", NoBlame, 0
	return nil
}

// RetryAddress records that asking for the address brought none. The task is asked
// about again at next, unless it has been for three days.
func (t *Task) RetryAddress(blame Blame, message string, now, next time.Time) error {
	if err := t.expect(t.LacksAddress()); err != nil {
		return err
	}
	if now.Sub(t.DoneAt) > addressFor && t.Attempts+1 >= addressAttempts {
		if message == "" {
			message = "The service says that the video is made, and named no address of it for three days."
		}
		return t.LoseFiles(message)
	}
	return t.Retry(blame, message, next)
}
