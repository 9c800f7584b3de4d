package postgres

import (
	"context"
	"database/sql"
	"time"

	"dailies/db/store/engine"
)

const (
	heartbeat = 5 * time.Second // between two heartbeats

	// unseen is how long a process may miss its heartbeats before another process
	// may take a place that only one can have.
	unseen = 30 * time.Second

	// Gone is how long a process may miss its heartbeats before it counts as gone.
	// It is a minute longer than a create call may take, so that none of its calls
	// goes on.
	Gone = 11 * time.Minute
)

// now is the database's clock in Unix milliseconds, because the clocks of several
// machines differ.
const now = `CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`

// A clockReading pairs the database's clock with this machine's.
type clockReading struct {
	at time.Time // this machine's time, with its monotonic clock
	is time.Time // the database's time
}

// readClock reads the database's clock. It assumes that the query took equally long
// both ways, so it ignores a slow query if there was an earlier reading.
func (d *DB) readClock(ctx context.Context) error {
	if err := d.Reads.PingContext(ctx); err != nil { // because a new connection is slow
		return err
	}
	var is int64
	asked := time.Now()
	if err := d.Reads.QueryRowContext(ctx, `SELECT `+now).Scan(&is); err != nil {
		return err
	}
	took := time.Since(asked)
	if took < time.Second || d.clock.Load() == nil {
		d.clock.Store(&clockReading{asked.Add(took / 2), time.UnixMilli(is)})
	}
	return nil
}

// Now implements engine.Engine. The database's clock is read with every heartbeat;
// in between, the monotonic clock counts, whatever happens to this machine's time
// of day.
func (d *DB) Now() time.Time {
	last := d.clock.Load()
	return last.is.Add(time.Since(last.at))
}

// Process implements engine.Engine.
func (d *DB) Process() string { return d.name }

// IsShared implements engine.Engine.
func (d *DB) IsShared() bool { return true }

// Enter implements engine.Engine.
func (d *DB) Enter(ctx context.Context, alone bool) error {
	d.alone, d.joined = alone, true
	ctx, stop := context.WithTimeoutCause(ctx, unseen+2*heartbeat, engine.ErrTaken)
	defer stop()
	for {
		in, err := d.register(ctx, true)
		if in || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// register records a heartbeat of this process, unless another process is in the
// way: one that must be alone or, if this one must be alone, any. It reports
// whether this process is registered. If this is not the first call, a process that
// is no longer in the table does not register again, as the others took it for
// gone; nor does a process if the database has been moved meanwhile.
func (d *DB) register(ctx context.Context, first bool) (in bool, err error) {
	err = d.Write(ctx, func(tx *sql.Tx) error {
		// A time that was written by a clock that was ahead would keep a gone
		// process present until then.
		_, err := tx.ExecContext(ctx, `UPDATE processes SET seen_at = `+now+` WHERE seen_at > `+now+` + $1`, unseen.Milliseconds())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM processes
			WHERE name <> $1 AND seen_at < `+now+` - CASE alone WHEN 1 THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END`,
			d.name, unseen.Milliseconds(), Gone.Milliseconds())
		if err == nil {
			err = tx.QueryRowContext(ctx, `
				SELECT count(*) = 0 FROM processes
				WHERE name <> $1 AND (alone = 1 OR $2 = 1) AND seen_at >= `+now+` - $3`,
				d.name, d.alone, unseen.Milliseconds()).Scan(&in)
		}
		if err == nil && in && !first {
			err = tx.QueryRowContext(ctx, `
				SELECT count(*) = 1 FROM processes
				WHERE name = $1 AND (alone = 1 OR NOT EXISTS (SELECT 1 FROM settings s WHERE s.name = 'moving' AND s.value <> ''))`,
				d.name).Scan(&in)
		}
		if err == nil && in {
			_, err = tx.ExecContext(ctx, `
				INSERT INTO processes (name, seen_at, alone) VALUES ($1, `+now+`, $2)
				ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`, d.name, d.alone)
		}
		return err
	})
	return in, err
}

// Stay implements engine.Engine. It keeps trying while the server cannot be
// reached.
func (d *DB) Stay(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(heartbeat):
		}
		seen, stop := context.WithTimeout(ctx, heartbeat)
		in, err := d.register(seen, false)
		if err == nil && in {
			err = d.readClock(seen)
		}
		stop()
		if err == nil && !in {
			return engine.ErrTaken
		}
	}
}

// leave removes this process from the table, so that nobody waits for it to be
// gone.
func (d *DB) leave() error {
	ctx, stop := context.WithTimeout(context.Background(), heartbeat)
	defer stop()
	_, err := d.Writes.ExecContext(ctx, `DELETE FROM processes WHERE name = $1`, d.name)
	return err
}

// Others implements engine.Engine.
func (d *DB) Others(ctx context.Context, tx *sql.Tx) (names []string, err error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT name FROM processes
		WHERE name <> $1 AND seen_at >= `+now+` - CASE alone WHEN 1 THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END`,
		d.name, unseen.Milliseconds(), Gone.Milliseconds())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}
