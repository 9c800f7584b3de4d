package postgres

import (
	"context"
	"database/sql"
	"time"

	"dailies/db/store/engine"
)

const (
	beat = 5 * time.Second  // between two times that a process is seen
	gone = 30 * time.Second // after which one that was not seen is gone
)

// now is the database's clock in unix milliseconds: those of several machines
// differ.
const now = `CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`

// Own implements engine.Engine.
func (d *DB) Own(ctx context.Context) error {
	ctx, stop := context.WithTimeoutCause(ctx, gone+2*beat, engine.ErrTaken)
	defer stop()
	for {
		mine, err := d.take(ctx)
		if mine || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// take writes this process down unless another one was seen lately.
func (d *DB) take(ctx context.Context) (mine bool, err error) {
	err = d.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM processes WHERE seen_at < `+now+` - $1`, gone.Milliseconds())
		if err == nil {
			err = tx.QueryRowContext(ctx, `SELECT count(*) = 0 FROM processes WHERE name <> $1`, d.name).Scan(&mine)
		}
		if err == nil && mine {
			_, err = tx.ExecContext(ctx, `
				INSERT INTO processes (name, seen_at) VALUES ($1, `+now+`)
				ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`, d.name)
		}
		return err
	})
	return mine, err
}

// Hold implements engine.Engine. While the server cannot be reached it tries again.
func (d *DB) Hold(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return d.leave(context.WithoutCancel(ctx))
		case <-time.After(beat):
		}
		seen, stop := context.WithTimeout(ctx, beat)
		mine, err := d.take(seen)
		stop()
		if err == nil && !mine {
			return engine.ErrTaken
		}
	}
}

// leave lets the next process begin at once.
func (d *DB) leave(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, beat)
	defer stop()
	_, err := d.Writes.ExecContext(ctx, `DELETE FROM processes WHERE name = $1`, d.name)
	return err
}
