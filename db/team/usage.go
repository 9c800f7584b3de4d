package team

import "time"

// A UsageFilter says what is asked of the usage. What is empty does not matter.
type UsageFilter struct {
	People   []int64
	Models   []string
	Keys     []int64  // of the team; 0 is people's own
	Outcomes []string // states, of which those before the end are "running"
	First    int64    // the first day, as db.DayOf counts them
	Last     int64    // the last one; 0 is no bound
}

// A Dimension is what the usage is divided by.
type Dimension string

// The dimensions.
const (
	ByPerson  Dimension = "person"
	ByModel   Dimension = "model"
	ByKey     Dimension = "key"
	ByOutcome Dimension = "outcome"
)

// Dimensions lists them all.
func Dimensions() []Dimension { return []Dimension{ByModel, ByPerson, ByKey, ByOutcome} }

// A Spending sums up what was spent on one day with one of a dimension.
type Spending struct {
	Day      int64  // as db.DayOf counts them
	Of       string // the id of the person or key, the model, or the outcome
	Videos   int    // that were finished
	Tasks    int    // all
	Paid     float64
	Refunded float64
}

// Spent returns what was paid without what came back.
func (s Spending) Spent() float64 { return s.Paid - s.Refunded }

// A Receipt is one line of the usage: one video, as an export has it.
type Receipt struct {
	TaskID    int64
	CreatedAt time.Time
	Day       int64
	MakerID   int64
	Maker     string
	Payer     string
	Scene     string
	Model     string
	State     string
	KeyID     int64
	Key       string // the name of the team's key; empty for the payer's own
	Title     string
	Prompt    string
	Quoted    *float64 // nil where it is not known
	Paid      *float64
	Refunded  *float64
	DoneAt    time.Time
	// Hidden says that the person who asks may not see the video: then it has no
	// title and no prompt.
	Hidden bool
}
