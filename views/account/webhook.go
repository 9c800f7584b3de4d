package account

import (
	"fmt"
	"time"

	"dailies/db/format"
	"dailies/db/outbox"
	"dailies/views/part"
)

// A WebhookPart holds the viewer's webhook.
type WebhookPart struct {
	Address    string // as typed, or as saved
	Saved      bool   // whether a webhook is saved
	Notes      bool   // it is told of notes and answers of guests, too
	Said       string // result of the last change or test
	NewSecret  string // a new signing secret, shown in full only once
	Deliveries []outbox.Delivery
}

// delivered returns the state of a delivery in words, and the CSS class of its
// pill.
func delivered(d outbox.Delivery) (text, class string) {
	switch {
	case d.Outcome == outbox.Delivered:
		return "Arrived", "pill good"
	case d.Outcome == outbox.GaveUp:
		return "Failed", "pill bad"
	case d.Tries > 0:
		return "Trying again", "pill run"
	}
	return "Waiting", "pill run"
}

// deliveryName names the event that the delivery reports.
func deliveryName(d outbox.Delivery) string {
	if d.TaskID == 0 {
		return "Test"
	}
	switch {
	case d.NoteID != 0:
		return "Note"
	case d.GuestID != 0:
		return "Answer of a guest"
	}
	return part.StateName(d.State)
}

// deliveryNote says briefly how the delivery went.
func deliveryNote(d outbox.Delivery, now time.Time) string {
	var tried, next string
	if d.Tries > 1 {
		tried = fmt.Sprintf("Tried %s times.", part.Number(d.Tries))
	}
	if d.Tries > 0 && !d.NextAt.IsZero() {
		next = fmt.Sprintf("The next try is in %s.", part.Duration(d.NextAt.Sub(now)))
	}
	return format.Sentences(d.Problem, tried, next)
}
