package team

import (
	"fmt"
	"math"
	"time"

	"dailies/db"
)

// An Allowance says which limit of spending somebody has.
type Allowance string

const (
	Default Allowance = "default" // the one that the team has for everybody
	None    Allowance = "none"    // no limit
	Own     Allowance = "own"     // one of their own
)

// MaxCredits bounds a limit, and what may be asked for.
const MaxCredits = 1e9

// A Limit is what a person may spend in a month.
type Limit struct {
	Allowance Allowance
	Credits   float64 // of an Own one
}

// In returns the limit in credits where the team's default is the given one. It is
// not known where there is none.
func (l Limit) In(standard db.Credits) db.Credits {
	switch l.Allowance {
	case None:
		return db.Credits{}
	case Own:
		return db.CreditsOf(l.Credits)
	}
	return standard
}

// Limits are those of the team as a whole. What is not known is no limit.
type Limits struct {
	Default db.Credits // of each person who has no other
	Team    db.Credits // of all together
	// AskUnpriced says that an admin is asked before a video is made of which nobody
	// knows what it costs. Admins need not ask.
	AskUnpriced bool
}

// String returns the limit in words.
func (l Limit) String() string {
	switch l.Allowance {
	case None:
		return "no limit"
	case Own:
		return Words(db.CreditsOf(l.Credits))
	}
	return "the team's default"
}

// String returns the limits in words.
func (l Limits) String() string {
	unpriced := "unknown prices are allowed"
	if l.AskUnpriced {
		unpriced = "an admin is asked about unknown prices"
	}
	return fmt.Sprintf("each person: %s; the team: %s; %s", Words(l.Default), Words(l.Team), unpriced)
}

// Words returns a limit in words.
func Words(limit db.Credits) string {
	if !limit.Known {
		return "no limit"
	}
	return limit.String() + " credits a month"
}

// A Month is a calendar month in the team's time zone, such as 202611.
type Month int

// MonthOf returns the month of the time in the zone.
func MonthOf(t time.Time, zone *time.Location) Month {
	y, m, _ := t.In(zone).Date()
	return Month(y*100 + int(m))
}

// Start returns the first moment of the month as a date in UTC, to be written.
func (m Month) Start() time.Time {
	return time.Date(int(m)/100, time.Month(int(m)%100), 1, 0, 0, 0, 0, time.UTC)
}

// A Room is what somebody may still spend in a month.
//
// What counts is what was paid less what came back, and, until that is known, what
// is expected of the videos that are queued, sent, made, or unconfirmed and not
// decided.
type Room struct {
	UserID int64
	Month  Month

	Limit   db.Credits // of the person, with what was allowed for the month; not known is none
	Self    db.Credits // the lower limit that the person wants; not known is none
	Spent   float64    // what counts of the person's videos
	Once    db.Credits // what one press may cost beyond the limit
	Team    db.Credits // the limit of the team
	TeamHas float64    // what counts of the team's videos

	// MustAsk says that an admin is to be asked before the person makes a video of
	// which nobody knows what it costs, and has not yet allowed it.
	MustAsk bool
}

// IsLimited reports whether there is any limit.
func (r Room) IsLimited() bool { return r.Limit.Known || r.Self.Known || r.Team.Known }

// limit returns the lower one of the person's limits.
func (r Room) limit() db.Credits {
	if r.Self.Known && (!r.Limit.Known || r.Self.Amount < r.Limit.Amount) {
		return r.Self
	}
	return r.Limit
}

// A Bound is a limit that leaves the least room.
type Bound struct {
	Limit float64
	Left  float64 // never below 0
	Whose Whose
}

// Whose says who set a limit.
type Whose int

const (
	Nobody Whose = iota
	Admins       // an admin, for the person
	Person       // the person
	Teams        // an admin, for all together
)

// Tightest returns the bound that leaves the least room. Its Whose is Nobody where
// there is no limit.
func (r Room) Tightest() Bound {
	var b Bound
	if own := r.limit(); own.Known {
		b = Bound{own.Amount, max(0, exact(own.Amount-r.Spent)), Admins}
		if r.Self.Known && own == r.Self {
			b.Whose = Person
		}
	}
	if left := max(0, exact(r.Team.Amount-r.TeamHas)); r.Team.Known && (b.Whose == Nobody || left < b.Left) {
		b = Bound{r.Team.Amount, left, Teams}
	}
	return b
}

// Left returns how much a press may cost, without what is allowed once; not known
// where there is no limit.
func (r Room) Left() db.Credits {
	b := r.Tightest()
	return db.Credits{Amount: b.Left, Known: b.Whose != Nobody}
}

// Allows returns whether a press that costs so much fits, and whether it needs what
// was allowed once. That goes beyond the limit of the person that an admin has set,
// never beyond the team's.
func (r Room) Allows(cost float64) (fits, once bool) {
	if r.Team.Known && exact(r.TeamHas+cost) > r.Team.Amount {
		return false, false
	}
	if r.Self.Known && exact(r.Spent+cost) > r.Self.Amount {
		return false, false
	}
	if !r.Limit.Known || exact(r.Spent+cost) <= r.Limit.Amount {
		return true, false
	}
	left := max(0, exact(r.Limit.Amount-r.Spent))
	return r.Once.Known && exact(cost-left) <= r.Once.Amount, true
}

// A Warning says that most of a limit is spent.
type Warning struct {
	Percent int // 80 or 100
	OfTeam  bool
}

// Code returns a number that grows with the month and the percents.
func (w Warning) Code(m Month) int64 { return int64(m)*1000 + int64(w.Percent) }

// Warnings returns what a person is to be told: of their own limit, and an admin also
// of the team's.
func (r Room) Warnings(admin bool) (w []Warning) {
	if admin && r.Team.Known {
		if percent := (Bound{r.Team.Amount, exact(r.Team.Amount - r.TeamHas), Teams}).Warning(); percent > 0 {
			w = append(w, Warning{percent, true})
		}
	}
	if own := r.limit(); own.Known {
		if percent := (Bound{own.Amount, exact(own.Amount - r.Spent), Admins}).Warning(); percent > 0 {
			w = append(w, Warning{percent, false})
		}
	}
	return w
}

// Warning returns the percents of the limit that were reached and are worth a
// warning: 80, 100, or 0 for none.
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

// exact rounds to thousandths, in which credits are kept.
func exact(credits float64) float64 { return math.Round(credits*1000) / 1000 }

// Over is the error of a press for which there is no room. Nothing of it was placed.
type Over struct {
	Room     Room
	Cost     float64 // of the whole press, as far as it is known
	Unpriced bool    // nobody knows what it costs, and an admin is to be asked first
}

// Error implements error.
func (o *Over) Error() string {
	b := o.Room.Tightest()
	return fmt.Sprintf("it costs %g, and %g of %g are left", o.Cost, b.Left, b.Limit)
}

// An Ask is a person's wish to spend more than the limit.
type Ask struct {
	ID       int64
	UserID   int64
	UserName string // filled in when read
	Month    Month
	Credits  float64 // more than the limit
	Unpriced bool    // for videos of which nobody knows what they cost
	Sentence string
	At       time.Time

	Answer     Answer
	Reason     string // of a no
	AnsweredBy string // the admin's name
	AnsweredAt time.Time
	UsedAt     time.Time // a press has used what was allowed once
	ToldAt     time.Time // the person has seen the answer
}

// An Answer is what an admin said to somebody who asked for more; empty while
// nobody has.
type Answer string

const (
	Once      Answer = "once"   // one press may go beyond the limit by so much, this month
	ThisMonth Answer = "month"  // the limit is higher by so much, this month
	Always    Answer = "always" // the limit is higher by so much from now on
	No        Answer = "no"
)

// IsKnown reports whether there is such an answer.
func (a Answer) IsKnown() bool { return a == Once || a == ThisMonth || a == Always || a == No }

// MaxSentence bounds, in characters, what somebody writes who asks for more, and
// the reason of a no.
const MaxSentence = 300
