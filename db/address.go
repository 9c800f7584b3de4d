package db

import "time"

const (
	// addressFor limits how long the service is queried for the address of a video
	// that it reports as finished.
	addressFor = 72 * time.Hour

	// addressAttempts is how many queries in a row must have brought no address
	// before the video is given up. The time alone does not suffice, because the
	// clock may have jumped ahead.
	addressAttempts = 24
)

// LacksAddress reports whether the service says that the video is finished but has
// not given its address yet. The address of a cover does not count.
func (f Files) LacksAddress() bool {
	return f.Keeping == Saving && videos(f.Results) == 0
}

// ReportAgain applies the service's answer to a query about a task that lacks its
// address. If the answer has no address either, the task is queried again at next,
// for up to three days. If the service reports a failure after all, the task fails
// and its refund is recorded. If it says twice that a filter keeps the video back, the task
// ends without it.
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
	switch {
	case videos(r.Results) > 0:
	case r.Filtered && t.Blame == BlameRequest:
		r.filter(t, t.Charged, now)
		return nil
	case r.Filtered:
		return t.Retry(BlameRequest, r.Reason, next)
	default:
		t.Blame, t.Message = NoBlame, ""
		return t.RetryAddress(NoBlame, "", now, next)
	}
	t.Results, t.NextAt = r.Results, now
	t.Message, t.Blame, t.Attempts = "", NoBlame, 0
	return nil
}

// RetryAddress records that a query brought no address. The task is queried again
// at next or, after three days of queries, given up.
func (t *Task) RetryAddress(blame Blame, message string, now, next time.Time) error {
	if err := t.expect(t.LacksAddress()); err != nil {
		return err
	}
	if t.Blame == BlameRequest { // the next answer decides whether the video is filtered
		blame, message = t.Blame, t.Message
	}
	if now.Sub(t.DoneAt) > addressFor && t.Attempts+1 >= addressAttempts {
		if message == "" {
			message = "The service sent no link to the video for three days."
		}
		return t.LoseFiles(message)
	}
	return t.Retry(blame, message, next)
}
