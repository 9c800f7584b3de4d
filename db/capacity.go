package db

// Capacity says how many more tasks a worker pool can take on, by what is to be
// done with them. Each kind of work has its own number, so that slow copies hold
// up no question.
type Capacity struct {
	Send int // queued: the create call
	Ask  int // pending and processing: a question
	Keep int // finished and not kept: the copy

	// Held lists tasks that the pool works on already. They are not claimed a
	// second time, even if their lease has run out meanwhile.
	Held []int64
	// Ended lists tasks whose create call is over, although that could not be
	// written down yet. They keep no other task of their key waiting.
	Ended []int64
}

// IsFull reports whether the pool can take on nothing.
func (c Capacity) IsFull() bool { return c.Send <= 0 && c.Ask <= 0 && c.Keep <= 0 }

// LacksSome reports whether there is no place left for one kind of work.
func (c Capacity) LacksSome() bool { return c.Send <= 0 || c.Ask <= 0 || c.Keep <= 0 }
