package review

import (
	"errors"
	"time"
)

// A Subscription is the address at which guests of a link want mails about replies and new
// takes. Until it is confirmed, the address gets the one mail that asks for that.
type Subscription struct {
	ID          int64
	ShareID     int64
	Address     string
	CreatedAt   time.Time
	ConfirmedAt time.Time // zero until then
	StoppedAt   time.Time // zero while it is not stopped
}

// IsOn reports whether the address gets mails.
func (s Subscription) IsOn() bool { return !s.ConfirmedAt.IsZero() && s.StoppedAt.IsZero() }

// A Mailing says whether a guest can get mails about replies and new takes, and does.
type Mailing struct {
	Offered bool
	Path    string       // where they are turned off
	Sub     Subscription // zero if the guest has given no address
}

// ErrManyMails means that an address got several mails within an hour and is not asked now.
var ErrManyMails = errors.New("too many mails to this address")
