package watch

import (
	"context"
	"fmt"
	"sync"

	"dailies/db/schedule"
)

// bookings counts the bytes that copies in progress may still write.
type bookings struct {
	mu    sync.Mutex
	bytes int64
}

// Space returns how much room there is for files.
func (w *Watcher) Space(ctx context.Context) (schedule.Space, error) {
	space, err := w.Config.space(ctx)
	if err != nil {
		return schedule.Space{}, err
	}
	space.Waiting, err = w.Store.Files.WaitingForRoom(ctx)
	return space, err
}

// space returns Space without the number of waiting videos, which is slow to count
// when there are many.
func (c *Config) space(ctx context.Context) (schedule.Space, error) {
	used, err := c.Store.Files.KeptBytes(ctx)
	if err != nil {
		return schedule.Space{}, err
	}
	free, err := c.Free()
	if err != nil {
		return schedule.Space{}, fmt.Errorf("space: %w", err)
	}
	return schedule.Space{Used: used, Max: c.KeepMax, Free: free}, nil
}

// A booking reserves room for one task's files until they are recorded or given up.
type booking struct {
	*keeper
	task  int64 // ID of the task
	bytes int64
}

// book reserves room for a file of the announced size. If that is negative, it
// reserves the limit, or all room that is left.
func (b *booking) book(ctx context.Context, announced, limit int64) (room int64, err error) {
	b.booked.mu.Lock()
	defer b.booked.mu.Unlock()
	space, err := b.space(ctx)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errUnknown, err)
	}
	left := space.Left() - b.booked.bytes
	room = announced
	if announced < 0 {
		room = min(limit, left)
	}
	if left <= 0 || room > left {
		return 0, errNoRoom
	}
	b.booked.bytes += room
	b.bytes += room
	return room, nil
}

// giveBack releases that many reserved bytes.
func (b *booking) giveBack(bytes int64) {
	b.booked.mu.Lock()
	defer b.booked.mu.Unlock()
	b.booked.bytes -= bytes
	b.bytes -= bytes
}
