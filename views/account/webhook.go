package account

import (
	"time"

	"dailies/db"
	"dailies/views/part"
)

// A WebhookPart holds the viewer's webhook.
type WebhookPart struct {
	Address    string // as typed, or as kept
	Saved      bool   // there is one
	Said       string // what became of a change or a test just made
	NewSecret  string // the signing secret just made, shown whole this once
	Deliveries []db.Delivery
}

// delivered says what became of a delivery, and the class of its pill.
func delivered(d db.Delivery) (text, class string) {
	switch {
	case d.Outcome == db.Delivered:
		return "Arrived", "pill good"
	case d.Outcome == db.GaveUp:
		return "Given up", "pill bad"
	case d.Tries > 0:
		return "Tried again soon", "pill run"
	}
	return "Waiting", "pill run"
}

// deliveryName names the event that the delivery reported.
func deliveryName(d db.Delivery) string {
	if d.TaskID == 0 {
		return "Test"
	}
	return part.StateName(d.State)
}

// deliveryNote says in a few words how the delivery went.
func deliveryNote(d db.Delivery, now time.Time) string {
	note := d.Problem
	if d.Tries > 1 {
		note += " Tried " + part.Count(d.Tries, "time") + "."
	}
	if d.Tries > 0 && !d.NextAt.IsZero() {
		note += " The next try is in " + part.Duration(d.NextAt.Sub(now)) + "."
	}
	return note
}
