package postgres

import (
	"context"
	"database/sql"
	"time"

	"dailies/db/store/engine"
)

const (
	beat = 5 * time.Second // between two times that a process is seen

	// unseen is how long a process may not have been seen before another one takes
	// a place that only one can have.
	unseen = 30 * time.Second

	// Gone is how long a process may not have been seen before it counts as gone: a
	// minute longer than a create call may take, so that no call of its goes on.
	Gone = 11 * time.Minute
)

// now is the database's clock in unix milliseconds: those of several machines
// differ.
const now = `CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`

// A reading of the database's clock.
type reading struct {
	at time.Time // here, with the reading of a clock that never jumps
	is time.Time // there
}

// readClock reads the database's clock. What the question took is split between
// its two ways, so one that took long is not believed if there was another.
func (d *DB) readClock(ctx context.Context) error {
	if err := d.Reads.PingContext(ctx); err != nil { // a new connection takes long
		return err
	}
	var is int64
	asked := time.Now()
	if err := d.Reads.QueryRowContext(ctx, `SELECT `+now).Scan(&is); err != nil {
		return err
	}
	took := time.Since(asked)
	if took < time.Second || d.clock.Load() == nil {
		d.clock.Store(&reading{asked.Add(took / 2), time.UnixMilli(is)})
	}
	return nil
}

// Now implements engine.Engine. The clock is read with every beat; in between, the
// time goes on as here, whatever becomes of this machine's clock.
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
	ctx, stop := context.WithTimeoutCause(ctx, unseen+2*beat, engine.ErrTaken)
	defer stop()
	for {
		in, err := d.beSeen(ctx, true)
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

// beSeen writes down that this process is there, unless another one is in the way:
// one that has to be alone or, where this one has to, any. It reports whether this
// process is in. One that has been in, and is not there any more, was gone for the
// others; nor does it go on where the database was moved meanwhile.
func (d *DB) beSeen(ctx context.Context, first bool) (in bool, err error) {
	err = d.Write(ctx, func(tx *sql.Tx) error {
		// What a clock wrote that was ahead would keep one that is gone for as long.
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

// Stay implements engine.Engine. While the server cannot be reached it tries again.
func (d *DB) Stay(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(beat):
		}
		seen, stop := context.WithTimeout(ctx, beat)
		in, err := d.beSeen(seen, false)
		if err == nil && in {
			err = d.readClock(seen)
		}
		stop()
		if err == nil && !in {
			return engine.ErrTaken
		}
	}
}

// leave takes this process away, so that nobody waits for it to be gone.
func (d *DB) leave() error {
	ctx, stop := context.WithTimeout(context.Background(), beat)
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
