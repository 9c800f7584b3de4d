package part

import (
	"fmt"
	"math"

	"dailies/db/spending"
)

// Held returns the credits that limits reserve for each video until the actual cost is
// known: the price, or what similar videos cost; 0 if nobody knows.
func (p Price) Held() float64 {
	if p.Credits.Known {
		return p.Credits.Amount
	}
	return p.Estimate.Typical.Amount
}

// HeldInAll returns the credits that limits reserve for all the videos.
func (p Price) HeldInAll() float64 {
	if p.Mixed == nil {
		return p.Held() * float64(p.Videos())
	}
	var sum float64
	for _, g := range p.Mixed {
		sum += g.HeldInAll()
	}
	return math.Round(sum*1e6) / 1e6
}

// OverLimit says why the limits do not allow the videos, empty if they do.
func (p Price) OverLimit() string {
	if !p.Known() {
		if p.Room.MustAsk {
			return "This has no fixed price, so an admin has to say yes first."
		}
		return ""
	}
	cost := p.HeldInAll()
	if fits, _ := p.Room.Allows(cost); fits {
		return ""
	}
	if lacking := Amount(cost - p.Room.Tightest().Left); p.Stated {
		return creditsShort.of(p.Room, lacking)
	} else {
		return aboutShort.of(p.Room, lacking)
	}
}

// roomNote says how much the limits leave.
func (p Price) roomNote() string {
	if _, once := p.Room.Allows(p.HeldInAll()); once && p.OverLimit() == "" {
		return "allowed once by an admin"
	}
	return roomLeft.of(p.Room)
}

// A roomSentence says how much the tightest limit leaves, with one sentence for each
// limit. The first two values are what is left and the limit.
type roomSentence struct{ person, team, own string }

var (
	roomLeft = roomSentence{
		person: "%s of %s left this month",
		team:   "%s of %s left this month for the team",
		own:    "%s of %s left this month, by your own limit",
	}
	creditsShort = roomSentence{
		person: "%[3]s short: %[1]s of %[2]s left this month.",
		team:   "%[3]s short: the team has %[1]s of %[2]s left this month.",
		own:    "%[3]s short: your own limit leaves %[1]s of %[2]s this month.",
	}
	aboutShort = roomSentence{
		person: "About %[3]s short: %[1]s of %[2]s left this month.",
		team:   "About %[3]s short: the team has %[1]s of %[2]s left this month.",
		own:    "About %[3]s short: your own limit leaves %[1]s of %[2]s this month.",
	}
)

// of returns the sentence for the tightest limit of the room.
func (s roomSentence) of(r spending.Room, more ...any) string {
	b, sentence := r.Tightest(), s.person
	switch b.Whose {
	case spending.Teams:
		sentence = s.team
	case spending.Person:
		sentence = s.own
	}
	return fmt.Sprintf(sentence, append([]any{Number(b.Left), Number(b.Limit)}, more...)...)
}
