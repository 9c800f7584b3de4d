package watch

import (
	"maps"
	"slices"
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

// Calls returns how many calls to the service a Watcher makes at the same time.
func Calls() int { return places[sending] + places[asking] }

func kindOf(t db.Task) kind {
	switch t.State {
	case db.Queued:
		return sending
	case db.Success:
		return keeping
	}
	return asking
}

// A crew is who works, by kind, and on which tasks.
type crew struct {
	sync.WaitGroup
	mu    sync.Mutex
	busy  [kinds]int
	held  map[int64]kind // the tasks that are worked on
	ended map[int64]bool // those whose create call is over and not yet written down
}

// room is what can be taken on.
func (c *crew) room() db.Capacity {
	c.mu.Lock()
	defer c.mu.Unlock()
	free := func(k kind) int { return places[k] - c.busy[k] }
	return db.Capacity{
		Send: free(sending), Ask: free(asking), Keep: free(keeping),
		Held: slices.Collect(maps.Keys(c.held)), Ended: slices.Collect(maps.Keys(c.ended)),
	}
}

// take begins work on the task.
func (c *crew) take(id int64, k kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held, c.ended = map[int64]kind{}, map[int64]bool{}
	}
	c.held[id] = k
	c.busy[k]++
}

// end says that the task's create call is over, although its outcome is not
// written down. It gives the task's place free, and the task's key.
func (c *crew) end(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended[id] {
		c.ended[id] = true
		c.busy[c.held[id]]--
	}
}

// leave ends the work on the task.
func (c *crew) leave(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended[id] {
		c.busy[c.held[id]]--
	}
	delete(c.held, id)
	delete(c.ended, id)
}
