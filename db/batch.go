package db

import "time"

// A Batch sums up the videos that were made in bulk with one press, as far as
// they are not in the bin.
type Batch struct {
	Name       string
	RecipeName string // that they were made with
	Videos     int
	Ready      int
	Running    int
	Spent      float64 // paid, less what came back
	CreatedAt  time.Time
}
