package watch

import (
	"sync"

	"dailies/db"
)

// A kind of work has places of its own, so that copies over a slow line hold up
// no question, and stalled create calls hold up neither.
type kind int

const (
	sending kind = iota
	asking
	keeping
	kinds
)

// places is how many tasks are worked on at the same time.
var places = [kinds]int{sending: 64, asking: 64, keeping: 16}

func kindOf(t db.Task) kind {
	switch t.State {
	case db.Queued:
		return sending
	case db.Success:
		return keeping
	}
	return asking
}

// A crew is who works, by kind.
type crew struct {
	sync.WaitGroup
	mu   sync.Mutex
	busy [kinds]int
}

// room is what can be taken on.
func (c *crew) room() db.Room {
	c.mu.Lock()
	defer c.mu.Unlock()
	free := func(k kind) int { return places[k] - c.busy[k] }
	return db.Room{Send: free(sending), Ask: free(asking), Keep: free(keeping)}
}

func (c *crew) take(k kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[k]++
}

func (c *crew) leave(k kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy[k]--
}
