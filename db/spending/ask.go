package spending

import "time"

// An Ask is a person's request to spend more than the limit.
type Ask struct {
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
