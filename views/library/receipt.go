package library

import (
	"time"

	"dailies/db"
	"dailies/views/part"
)

// An amount is one line of a receipt.
type amount struct {
	Name, Text string
	At         time.Time // zero if nothing happened
}

// amounts lists the credits that were quoted, paid and returned.
func amounts(t db.Task) []amount {
	lines := []amount{{Name: "Quoted", Text: part.Credits(t.Quoted)}, {Name: "Paid", Text: paid(t)}}
	if t.Quoted.Known {
		lines[0].At = t.CreatedAt
	}
	if t.Charged.Known {
		lines[1].At = t.AcceptedAt
	}
	if !t.State.Running() && t.State != db.Unconfirmed {
		lines = append(lines, amount{"Came back", returned(t), t.ReturnedAt})
	}
	return lines
}

// paid says what the service charged for the task.
func paid(t db.Task) string {
	switch {
	case t.Charged.Known:
		return part.Credits(t.Charged)
	case t.State == db.Rejected:
		return "nothing"
	case t.State == db.Queued || t.State == db.Sending:
		return "nothing yet"
	case t.State == db.Unconfirmed:
		return "not certain"
	}
	return "not known"
}

// returned says what the service refunded.
func returned(t db.Task) string {
	switch {
	case t.Returned.Known && t.Returned.Amount > 0:
		return part.Credits(t.Returned)
	case t.RefundMissing():
		return "not yet"
	}
	return "nothing"
}

// returnNote says what the service promises about refunds, and what to do if one
// was not seen.
func returnNote(t db.Task) string {
	switch {
	case t.RefundMissing() && t.Charged.Known:
		return "Part of it hasn’t come back yet. Ask the service with the video ID."
	case t.RefundMissing():
		return "The service didn’t say what it cost. To be sure, ask it with the video ID."
	case t.Filtered():
		return "Credits for filtered videos don’t come back."
	case t.State == db.Failed:
		return "Credits for failed videos come back by themselves."
	case t.State == db.Canceled && !t.Returned.Known:
		return "Credits for cancelled videos don’t come back."
	}
	return ""
}

// A moment is one line of a timeline.
type moment struct {
	What string
	At   time.Time
}

// timeline lists what happened to the task and when.
func timeline(t db.Task) []moment {
	var moments []moment
	for _, m := range []moment{
		{"Asked for", t.CreatedAt},
		{"Sent to the service", t.SentAt},
		{"The service took it", t.AcceptedAt},
		{ended(t.State), t.DoneAt},
		{"Credits came back", t.ReturnedAt},
		{"Decided", t.DecidedAt},
	} {
		if !m.At.IsZero() {
			moments = append(moments, m)
		}
	}
	return moments
}

// ended names the task's end in a timeline.
func ended(s db.State) string {
	if s == db.Unconfirmed {
		return "The answer was lost"
	}
	return part.StateName(s)
}
