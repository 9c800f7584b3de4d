package watch

import (
	"context"
	"fmt"
	"sync"

	"dailies/db"
)

// bookings counts the bytes that copies under way may still take.
type bookings struct {
	mu    sync.Mutex
	bytes int64
}

// Space returns how much room there is for files.
func (w *Watcher) Space(ctx context.Context) (db.Space, error) {
	space, err := w.Config.space(ctx)
	if err != nil {
		return db.Space{}, err
	}
	space.Waiting, err = w.Store.WaitingForRoom(ctx)
	return space, err
}

// space returns Space without the count of what waits, which takes long when
// much does.
func (c *Config) space(ctx context.Context) (db.Space, error) {
	used, err := c.Store.KeptBytes(ctx)
	if err != nil {
		return db.Space{}, err
	}
	free, err := c.Free()
	if err != nil {
		return db.Space{}, fmt.Errorf("space: %w", err)
	}
	return db.Space{Used: used, Max: c.KeepMax, Free: free}, nil
}

// A booking sets room aside for one task's files, until they are written down or
// given up.
type booking struct {
	*keeper
	bytes int64
}

// book sets room aside for a file of the announced bytes; for one that does not
// say, for the limit or what there is.
func (b *booking) book(ctx context.Context, announced, limit int64) (room int64, err error) {
	b.booked.mu.Lock()
	defer b.booked.mu.Unlock()
	space, err := b.space(ctx)
	if err != nil {
		return 0, err
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

// giveBack ends the booking of that many bytes.
func (b *booking) giveBack(bytes int64) {
	b.booked.mu.Lock()
	defer b.booked.mu.Unlock()
	b.booked.bytes -= bytes
	b.bytes -= bytes
}
