package part

import (
	"fmt"

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
	if p.Stated {
		return costsMore.of(p.Room, Number(cost))
	}
	return costsAboutMore.of(p.Room, Number(cost))
}

// roomNote says how much the limits leave.
func (p Price) roomNote() string {
	if _, once := p.Room.Allows(p.Held() * float64(p.Videos())); once && p.OverLimit() == "" {
		return "an admin has allowed this once"
	}
	return roomLeft.of(p.Room)
}

// A roomSentence says how much the tightest limit leaves, with one sentence for each
// limit. The first two values are what is left and the limit.
type roomSentence struct{ person, team, own string }

var (
	roomLeft = roomSentence{
		person: "%s of %s left this month",
		team:   "%s of %s left this month for the whole team",
		own:    "%s of %s left this month of the limit that you set yourself",
	}
	costsMore = roomSentence{
		person: "%s of %s left this month; this costs %s.",
		team:   "%s of %s left this month for the whole team; this costs %s.",
		own:    "%s of %s left this month of the limit that you set yourself; this costs %s.",
	}
	costsAboutMore = roomSentence{
		person: "%s of %s left this month; this costs about %s.",
		team:   "%s of %s left this month for the whole team; this costs about %s.",
		own:    "%s of %s left this month of the limit that you set yourself; this costs about %s.",
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
