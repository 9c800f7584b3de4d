package db

import "time"

const (
	// unaddressedFor is how long the service is asked for the address of a
	// video that it says is made.
	unaddressedFor = 72 * time.Hour

	// unaddressedAtLeast is how many questions in a row must have brought no
	// address before that is believed, so that a clock which jumps ahead ends
	// nothing.
	unaddressedAtLeast = 24
)

// Unaddressed reports whether the service says that the video is made and has
// named no address of it yet. A cover alone is no video.
func (t Task) Unaddressed() bool {
	return t.State == Success && t.Keeping == Saving && videos(t.Results) == 0
}

// ReportAgain takes the service's answer to a question about an unaddressed
// task. It brings the address, or the task is asked about again at next, for up
// to three days. A failure that the service owns up to late counts, and returns
// the credits.
func (t *Task) ReportAgain(r Report, now, next time.Time) error {
	if err := t.expectUnaddressed(); err != nil {
		return err
	}
	t.Asked++
	switch State(r.Status) {
	case Failed, Canceled:
		t.Keeping, t.Progress = NothingToKeep, 0
		t.take(r, now, next)
		return nil
	}
	if r.Charged.Known {
		t.Charged = r.Charged
	}
	if videos(r.Results) == 0 {
		return t.Unfound(NoBlame, "", now, next)
	}
	t.Results, t.NextAt = r.Results, now
	t.Message, t.Blame, t.Attempts = "", NoBlame, 0
	return nil
}

// Unfound records that asking for the address brought none. The task is asked
// about again at next, unless it has been for three days.
func (t *Task) Unfound(blame Blame, message string, now, next time.Time) error {
	if err := t.expectUnaddressed(); err != nil {
		return err
	}
	if now.Sub(t.DoneAt) > unaddressedFor && t.Attempts+1 >= unaddressedAtLeast {
		if message == "" {
			message = "The service says that the video is made, and named no address of it for three days."
		}
		return t.LoseFiles(message)
	}
	return t.Retry(blame, message, next)
}

func (t *Task) expectUnaddressed() error {
	if !t.Unaddressed() {
		return t.conflict()
	}
	return nil
}
