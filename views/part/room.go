package part

import (
	"dailies/db/team"
)

// Held returns the credits that limits reserve for each video until the actual cost is
// known: the price, or what similar videos cost; 0 if nobody knows.
func (p Price) Held() float64 {
	if p.Credits.Known {
		return p.Credits.Amount
	}
	return p.Estimate.Typical.Amount
}

// OverLimit says why the limits do not allow the videos, empty if they do.
func (p Price) OverLimit() string {
	if !p.Known() {
		if p.Room.MustAsk {
			return "Nobody knows yet what this costs, and your team wants to be asked first."
		}
		return ""
	}
	cost := p.Held() * float64(p.Videos())
	if fits, _ := p.Room.Allows(cost); fits {
		return ""
	}
	return roomLeft(p.Room) + "; this costs " + p.about() + Number(cost) + "."
}

func (p Price) about() string {
	if p.Stated {
		return ""
	}
	return "about "
}

// roomNote says how much the limits leave.
func (p Price) roomNote() string {
	if _, once := p.Room.Allows(p.Held() * float64(p.Videos())); once && p.OverLimit() == "" {
		return "an admin has allowed this once"
	}
	return roomLeft(p.Room)
}

// roomLeft says how much the tightest limit leaves, such as "60 of 500 left this
// month".
func roomLeft(r team.Room) string {
	b := r.Tightest()
	left := Number(b.Left) + " of " + Number(b.Limit) + " left this month"
	switch b.Whose {
	case team.Teams:
		return left + " for the whole team"
	case team.Person:
		return left + " of the limit that you set yourself"
	}
	return left
}
