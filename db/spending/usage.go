package spending

import "time"

// A Filter selects a part of the usage. Zero fields do not restrict it.
type Filter struct {
	People   []int64
	Models   []string
	Keys     []int64  // IDs of the team's keys; 0 stands for people's own keys
	Outcomes []string // states; "running" stands for all states before the end
	First    int64    // the first day, as counted by db.DayOf
	Last     int64    // the last day; 0 for no limit
}

// A Dimension is a property by which the usage is broken down.
type Dimension string

// The dimensions.
const (
	ByPerson  Dimension = "person"
	ByModel   Dimension = "model"
	ByKey     Dimension = "key"
	ByOutcome Dimension = "outcome"
)

// Dimensions lists the dimensions.
func Dimensions() []Dimension { return []Dimension{ByModel, ByPerson, ByKey, ByOutcome} }

// A Spending sums up what was spent on one day for one value of a dimension.
type Sum struct {
	Day      int64  // as counted by db.DayOf
	Of       string // the value: the ID of the person or key, the model, or the outcome
	Videos   int    // finished videos
	Tasks    int    // all tasks
	Paid     float64
	Refunded float64
	Running  float64 // the part of Paid that is for videos in progress
}

// Spent returns what was paid less refunds.
func (s Sum) Spent() float64 { return s.Paid - s.Refunded }

// PerVideo returns what each finished video cost, with all failed attempts. What is paid for
// videos in progress does not count yet. It returns false if no video is finished.
func (s Sum) PerVideo() (credits float64, ok bool) {
	if s.Videos == 0 {
		return 0, false
	}
	return (s.Spent() - s.Running) / float64(s.Videos), true
}

// Plus returns the sum of s and other, with the day and the value of s.
func (s Sum) Plus(other Sum) Sum {
	s.Videos, s.Tasks, s.Paid, s.Refunded, s.Running = s.Videos+other.Videos, s.Tasks+other.Tasks, s.Paid+other.Paid, s.Refunded+other.Refunded, s.Running+other.Running
	return s
}

// OtherCredits holds what was spent in the other kind of credits: practice credits while the team uses
// a real service, or real credits while it is in practice mode. Pages show this sum by
// itself, because adding the two kinds would give a number of neither.
type OtherCredits struct {
	Practice bool  // they are practice credits
	Months   []Sum // sorted by month, as Usage.MonthlySpending returns them
}

// Total returns the sum over the months.
func (a OtherCredits) Total() (sum Sum) {
	for _, m := range a.Months {
		sum = sum.Plus(m)
	}
	return sum
}

// A Receipt is one line of an export of the usage: one video.
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
	Key       string // name of the team's key; empty for the payer's own key
	Title     string
	Prompt    string
	Quoted    *float64 // nil if unknown
	Paid      *float64
	Refunded  *float64
	DoneAt    time.Time
	Practice  bool // its credits are not real
	// Hidden says that the person who exports may not see the video, so that its
	// title and prompt are left out.
	Hidden bool
}
