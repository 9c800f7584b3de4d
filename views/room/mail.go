package room

import (
	"fmt"

	"dailies/db/naming"
	"dailies/db/review"
)

// A MailPage is the page on which a guest turns the mails of a link on and off.
type MailPage struct {
	House
	Title string // of the link
	Path  string // of the page of the link
	// Sub is zero if the page was not opened from a mail, and the browser remembers no guest
	// who gave an address.
	Sub    review.Subscription
	Action string // where the form is sent
	// Proven says that the page was opened from a mail. Only then can mails be turned on.
	Proven bool
}

// asks reports whether the address is to be confirmed.
func (p MailPage) asks() bool { return p.Sub.ConfirmedAt.IsZero() && p.Sub.StoppedAt.IsZero() }

// heading says whether the guest gets mails.
func (p MailPage) heading() string {
	switch {
	case p.Sub.ID == 0:
		return "Emails about this link"
	case p.Sub.IsOn():
		return "Emails are on"
	case p.asks():
		return "Is this your address?"
	}
	return "Emails are off"
}

// says says which mails the guest gets, and where.
func (p MailPage) says() string {
	switch {
	case p.Sub.ID == 0:
		return "Open this page from one of our emails, or give your address with a note."
	case p.Sub.IsOn():
		return fmt.Sprintf("%s gets emails about replies to you and new takes.", p.Sub.Address)
	case p.asks() && !p.Proven:
		return fmt.Sprintf("We sent an email to %s. Open this page from there.", p.Sub.Address)
	case p.asks():
		return fmt.Sprintf("Confirm it, and %s gets emails about replies to you and new takes.", p.Sub.Address)
	case !p.Proven:
		return fmt.Sprintf("%s gets no emails about this link. To turn them on, open this page from one of our emails.", p.Sub.Address)
	}
	return fmt.Sprintf("%s gets no emails about this link.", p.Sub.Address)
}

// title returns the title of the document.
func (p MailPage) title() string {
	if p.Title == "" {
		return p.heading()
	}
	return fmt.Sprintf("%s · %s", p.heading(), naming.Isolated(p.Title))
}
