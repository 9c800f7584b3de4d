// Package spending defines what may be spent in a month and by whom, requests to spend
// more, and the record of what was spent.
package spending

import (
	"fmt"
	"math"
	"time"

	"dailies/db"
)

// An Allowance says which kind of spending limit a person has.
type Allowance string

const (
	Default Allowance = "default" // the team's limit for everybody
	None    Allowance = "none"    // no limit
	Own     Allowance = "own"     // a limit for this person
)

// MaxCredits limits a spending limit, and what may be asked for.
const MaxCredits = 1e9

// A Limit is how much a person may spend in a month.
type Limit struct {
	Allowance Allowance
	Credits   float64 // the limit, if Allowance is Own
}

// In returns the limit in credits, given the team's default. It is unknown if there
// is no limit.
func (l Limit) In(standard db.Credits) db.Credits {
	switch l.Allowance {
	case None:
		return db.Credits{}
	case Own:
		return db.CreditsOf(l.Credits)
	}
	return standard
}

// Limits are the limits that admins set for the team. Unknown credits mean no
// limit.
type Limits struct {
	Default db.Credits // for each person with no other limit
	Team    db.Credits // for all together
	// ApproveUnpriced says that a person must ask an admin before making a video whose
	// price is unknown. Admins need not ask.
	ApproveUnpriced bool
}

// String describes the limit in words.
func (l Limit) String() string {
	switch l.Allowance {
	case None:
		return "no limit"
	case Own:
		return Words(db.CreditsOf(l.Credits))
	}
	return "the team's default"
}

// String describes the limits in words.
func (l Limits) String() string {
	unpriced := "unknown prices are allowed"
	if l.ApproveUnpriced {
		unpriced = "an admin is asked about unknown prices"
	}
	return fmt.Sprintf("each person: %s; the team: %s; %s", Words(l.Default), Words(l.Team), unpriced)
}

// Words describes a limit in words.
func Words(limit db.Credits) string {
	if !limit.Known {
		return "no limit"
	}
	return fmt.Sprintf("%s credits a month", limit.String())
}

// A Month is a calendar month in the team's time zone, such as 202611.
type Month int

// MonthOf returns the month of the time in the zone.
func MonthOf(t time.Time, zone *time.Location) Month {
	y, m, _ := t.In(zone).Date()
	return Month(y*100 + int(m))
}

// Start returns the first day of the month, at midnight UTC, for display.
func (m Month) Start() time.Time {
	return time.Date(int(m)/100, time.Month(int(m)%100), 1, 0, 0, 0, 0, time.UTC)
}

// A Budget says how much a person may still spend in a month.
//
// What counts against the limits is what was paid less refunds. While that is
// unknown, the known price counts for videos that are queued, sent, finished, or
// unconfirmed and not decided. A video whose price is not known counts nothing until the
// service has answered; then it counts as the dearest video of the service.
type Budget struct {
	UserID int64
	Month  Month

	Limit   db.Credits // the person's limit, with what was allowed for the month; unknown means none
	Self    db.Credits // a limit that the person set for themselves; unknown means none
	Spent   float64    // what counts of the person's videos
	Once    db.Credits // what one submission may cost beyond the limit
	Team    db.Credits // the team's limit
	TeamHas float64    // what counts of the team's videos

	// NeedsApproval says that the person must ask an admin before making a video whose
	// price is unknown, and that no admin has allowed it yet.
	NeedsApproval bool
}

// IsLimited reports whether there is any limit.
func (b Budget) IsLimited() bool { return b.Limit.Known || b.Self.Known || b.Team.Known }

// limit returns the lower one of the person's limits.
func (b Budget) limit() db.Credits {
	if b.Self.Known && (!b.Limit.Known || b.Self.Amount < b.Limit.Amount) {
		return b.Self
	}
	return b.Limit
}

// A Bound is the limit that leaves the least, and what it leaves.
type Bound struct {
	Limit float64
	Left  float64 // never below 0
	Whose Whose
}

// Whose says who set a limit.
type Whose int

const (
	Nobody Whose = iota
	Admins       // set by an admin, for the person
	Person       // set by the person
	Teams        // set by an admin, for all together
)

// Tightest returns the limit that leaves the least. Its Whose is Nobody if
// there is no limit.
func (b Budget) Tightest() Bound {
	var bound Bound
	if own := b.limit(); own.Known {
		bound = Bound{own.Amount, max(0, exact(own.Amount-b.Spent)), Admins}
		if b.Self.Known && own == b.Self {
			bound.Whose = Person
		}
	}
	if left := max(0, exact(b.Team.Amount-b.TeamHas)); b.Team.Known && (bound.Whose == Nobody || left < bound.Left) {
		bound = Bound{b.Team.Amount, left, Teams}
	}
	return bound
}

// Least is the smallest amount of credits: of what a limit leaves, a video whose price is
// not known needs at least as much.
const Least = 0.001

// Left returns how much a submission may cost, without what is allowed once. It is
// unknown if there is no limit.
func (b Budget) Left() db.Credits {
	bound := b.Tightest()
	return db.Credits{Amount: bound.Left, Known: bound.Whose != Nobody}
}

// Allows reports whether a submission of that cost fits, and whether it needs what
// was allowed once. That may exceed the limit that an admin has set for the person,
// but neither the person's own limit nor the team's.
func (b Budget) Allows(cost float64) (fits, once bool) {
	if b.Team.Known && exact(b.TeamHas+cost) > b.Team.Amount {
		return false, false
	}
	if b.Self.Known && exact(b.Spent+cost) > b.Self.Amount {
		return false, false
	}
	if !b.Limit.Known || exact(b.Spent+cost) <= b.Limit.Amount {
		return true, false
	}
	left := max(0, exact(b.Limit.Amount-b.Spent))
	return b.Once.Known && exact(cost-left) <= b.Once.Amount, true
}

// A Warning says that most of a limit has been spent.
type Warning struct {
	Percent int // 80 or 100
	OfTeam  bool
}

// Code returns a number that grows with the month and the percentage.
func (w Warning) Code(m Month) int64 { return int64(m)*1000 + int64(w.Percent) }

// Warnings returns the warnings for a person about their own limit and, for an
// admin, also about the team's.
func (b Budget) Warnings(admin bool) (w []Warning) {
	if admin && b.Team.Known {
		if percent := (Bound{b.Team.Amount, exact(b.Team.Amount - b.TeamHas), Teams}).Warning(); percent > 0 {
			w = append(w, Warning{percent, true})
		}
	}
	if own := b.limit(); own.Known {
		if percent := (Bound{own.Amount, exact(own.Amount - b.Spent), Admins}).Warning(); percent > 0 {
			w = append(w, Warning{percent, false})
		}
	}
	return w
}

// Warning returns how much of the limit has been reached, as far as that is worth a
// warning: 80 or 100 percent, or 0 for no warning.
func (b Bound) Warning() int {
	switch {
	case b.Whose == Nobody || b.Limit <= 0:
		return 0
	case b.Left <= 0:
		return 100
	case b.Left <= 0.2*b.Limit:
		return 80
	}
	return 0
}

// exact rounds to thousandths, the precision in which credits are stored.
func exact(credits float64) float64 { return math.Round(credits*1000) / 1000 }

// Over is the error of a submission that exceeds a limit. None of its videos was
// queued.
type Over struct {
	Budget   Budget
	Cost     float64 // of the whole submission, as far as it is known
	Unpriced bool    // the price is unknown, and an admin must be asked first
}

// A Reached is the error of a queued video whose turn to be sent has come, and for which a
// limit leaves too little.
type Reached struct {
	Whose Whose
	Token string     // name of the token whose limit it is; empty if it is none
	Left  float64    // what the limit leaves
	Cost  db.Credits // what the video costs, if that is known by now
}

// Error implements error.
func (r *Reached) Error() string {
	return fmt.Sprintf("a limit leaves %g credits, and it costs %s", r.Left, r.Cost)
}

// Exceeded returns why a queued video that costs so much, and that the budget does not include,
// may not be sent, or nil if it may. Of a video whose cost is not known, something has to
// be left.
func (b Budget) Exceeded(cost db.Credits) *Reached {
	needs := cost.Amount
	if !cost.Known {
		needs = Least
	}
	for _, l := range []struct {
		limit db.Credits
		has   float64
		whose Whose
	}{{b.Limit, b.Spent, Admins}, {b.Self, b.Spent, Person}, {b.Team, b.TeamHas, Teams}} {
		if l.limit.Known && exact(l.has+needs) > exact(l.limit.Amount) {
			return &Reached{Whose: l.whose, Left: max(0, exact(l.limit.Amount-l.has)), Cost: cost}
		}
	}
	return nil
}

// Error implements error.
func (o *Over) Error() string {
	b := o.Budget.Tightest()
	return fmt.Sprintf("it costs %g, and %g of %g are left", o.Cost, b.Left, b.Limit)
}

// A CreditRequest is a person's request to spend more than the limit.
type CreditRequest struct {
	ID                  int64
	UserID              int64
	UserName, UserEmail string // filled in when read
	Month               Month
	Credits             float64 // how much more than the limit
	Unpriced            bool    // for videos whose price is unknown
	Sentence            string
	At                  time.Time

	Answer     Answer
	Reason     string // for answering no
	AnsweredBy string // the admin's name
	AnsweredAt time.Time
	UsedAt     time.Time // when a submission used what was allowed once
	ToldAt     time.Time // when the person saw the answer
}

// An Answer is an admin's answer to a request to spend more; empty means none yet.
type Answer string

const (
	Once      Answer = "once"   // one submission may exceed the limit by this much, this month
	ThisMonth Answer = "month"  // the limit is higher by this much, this month
	Always    Answer = "always" // the limit is higher by this much from now on
	No        Answer = "no"
)

// IsKnown reports whether the answer exists.
func (a Answer) IsKnown() bool { return a == Once || a == ThisMonth || a == Always || a == No }

// MaxSentence limits, in characters, the reason of a request to spend more, and the
// reason for answering no.
const MaxSentence = 300
