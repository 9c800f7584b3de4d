package postgres

import (
	"context"
	"database/sql"
	"time"

	"dailies/db/store/engine"
)

const (
	heartbeat = 5 * time.Second // between two heartbeats

	// missed is how long a process may miss its heartbeats before users are told that
	// it has stopped, and before a process that has its data folder counts it as gone.
	missed = 4 * heartbeat

	// unseen is how long a process may miss its heartbeats before another process
	// may take a place that only one can have.
	unseen = 30 * time.Second

	// Gone is how long a process may miss its heartbeats before it counts as gone, so
	// that its create calls are settled. A call may take longer, if the process has only
	// been paused; its answer is then recorded all the same.
	Gone = 3 * time.Minute

	// recovery is how long a process that could not send heartbeats itself counts nobody
	// as gone: after an outage of the database, the others need as long to be seen again.
	recovery = 3 * heartbeat
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

// Version implements engine.Engine. To learn what other processes have written would take
// as long as a read.
func (d *DB) Version() (v engine.Version, known bool) { return v, false }

// Enter implements engine.Engine.
func (d *DB) Enter(ctx context.Context, alone bool, home engine.Home) error {
	d.alone, d.home, d.joined = alone, home, true
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
// must be alone and is no longer in the table does not register again, as another one
// has had its place; nor does a process if the database has been moved meanwhile.
func (d *DB) register(ctx context.Context, first bool) (in bool, err error) {
	err = d.Write(ctx, func(tx *sql.Tx) error {
		// A time that was written by a clock that was ahead would keep a gone
		// process present until then.
		_, err := tx.ExecContext(ctx, `UPDATE processes SET seen_at = `+now+` WHERE seen_at > `+now+` + $1`, unseen.Milliseconds())
		if err != nil {
			return err
		}
		err = d.removeGone(ctx, tx)
		if err == nil {
			err = tx.QueryRowContext(ctx, `
				SELECT count(*) = 0 FROM processes
				WHERE name <> $1 AND (alone = 1 OR $2 = 1) AND seen_at >= `+now+` - $3`,
				d.name, d.alone, unseen.Milliseconds()).Scan(&in)
		}
		if err == nil && in && !first {
			err = tx.QueryRowContext(ctx, `
				SELECT CASE WHEN $2 = 1 THEN EXISTS (SELECT 1 FROM processes WHERE name = $1)
					ELSE NOT EXISTS (SELECT 1 FROM settings WHERE name = 'moving' AND value <> '') END`,
				d.name, d.alone).Scan(&in)
		}
		if err == nil && in {
			_, err = tx.ExecContext(ctx, `
				INSERT INTO processes (name, seen_at, alone, folder, folder_lock) VALUES ($1, `+now+`, $2, $3, $4)
				ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at`, d.name, d.alone, d.home.Folder, d.home.Lock)
		}
		return err
	})
	if err == nil && in {
		d.beat(time.Now())
	}
	return in, err
}

// removeGone removes the other processes that are gone. One that worked in this
// process's data folder is gone, because its lock is free now. If that is not certain,
// as after a restart of the machine, or with a copy of the folder, it is gone if it has
// missed its heartbeats.
func (d *DB) removeGone(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		DELETE FROM processes
		WHERE name <> $1 AND folder = $2 AND folder <> ''
			AND (folder_lock = $3 AND folder_lock <> '' OR seen_at < `+now+` - $4)`,
		d.name, d.home.Folder, d.home.Lock, missed.Milliseconds())
	if err != nil || d.recovers() {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM processes
		WHERE name <> $1 AND seen_at < `+now+` - CASE alone WHEN 1 THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END`,
		d.name, unseen.Milliseconds(), Gone.Milliseconds())
	return err
}

// A pulse records the heartbeats that this process has sent.
type pulse struct {
	last  time.Time // when the last one was sent
	since time.Time // the first one after heartbeats were missed; zero if none ever were
}

// beat records that a heartbeat was sent at the given time.
func (d *DB) beat(at time.Time) {
	before := d.pulse.Load()
	next := &pulse{last: at}
	switch {
	case before == nil:
	case at.Sub(before.last) < missed:
		next.since = before.since
	default:
		next.since = at
	}
	d.pulse.Store(next)
}

// recovers reports whether this process misses its own heartbeats, or has sent them
// again only for a moment. What it knows about other processes is then out of date.
func (d *DB) recovers() bool {
	p := d.pulse.Load()
	return p != nil && !d.alone && (time.Since(p.last) >= missed || time.Since(p.since) < recovery)
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
func (d *DB) Others(ctx context.Context, tx *sql.Tx) (others []engine.Process, err error) {
	recovers := d.recovers()
	rows, err := tx.QueryContext(ctx, `
		SELECT name, CASE WHEN seen_at < `+now+` - $4 AND $5 = 0 THEN seen_at + CASE alone WHEN 1 THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END END
		FROM processes
		WHERE name <> $1 AND ($5 = 1 OR seen_at >= `+now+` - CASE alone WHEN 1 THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END)`,
		d.name, unseen.Milliseconds(), Gone.Milliseconds(), missed.Milliseconds(), recovers)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p engine.Process
		var gone sql.NullInt64
		if err := rows.Scan(&p.Name, &gone); err != nil {
			return nil, err
		}
		if gone.Valid {
			p.GoneAt = time.UnixMilli(gone.Int64)
		}
		others = append(others, p)
	}
	return others, rows.Err()
}
