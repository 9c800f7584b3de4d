package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"dailies/db/store/engine"
)

const (
	// channel is the name of the NOTIFY channel on which processes tell each other
	// what they did. Each database has its own channel of that name.
	channel = "dailies"

	// shortest and longest are the limits of the pause between two attempts to
	// listen. Each pause is twice as long as the one before.
	shortest = 100 * time.Millisecond
	longest  = 10 * time.Second
)

// quiet is how long the connection may be silent before it is tested.
var quiet = 30 * time.Second

// Notify implements engine.Engine. The payload begins with the name of this
// process, because a process ignores its own notifications.
func (d *DB) Notify(ctx context.Context, tx *sql.Tx, what string) error {
	_, err := tx.ExecContext(ctx, notify, channel, d.name+" "+what)
	return err
}

const notify = `SELECT pg_notify($1, $2)`

// Listen implements engine.Engine. It holds one connection, which does not lead
// through a pooler.
func (d *DB) Listen(ctx context.Context, heard func(what string), deaf func(error)) error {
	if d.listenConfig == nil {
		deaf(engine.ErrNoListener)
		<-ctx.Done()
		return nil
	}
	pause, told := shortest, false
	for ctx.Err() == nil {
		err := d.receive(ctx, func(what string) {
			pause, told = shortest, false
			heard(what)
		})
		if ctx.Err() == nil && !told {
			deaf(plain(err))
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
	return nil
}

// receive listens on one connection until that fails. It first calls heard with "",
// because a notification may have been missed.
func (d *DB) receive(ctx context.Context, heard func(what string)) error {
	c, err := d.listen(ctx)
	if err != nil {
		return err
	}
	defer closeSoon(c)
	heard("")
	for {
		what, err := d.next(ctx, c, quiet)
		if err != nil && c.IsClosed() {
			return err
		}
		if err != nil { // silent for long
			if err := ping(ctx, c); err != nil {
				return err
			}
			continue
		}
		if by, what, _ := strings.Cut(what, " "); by != d.name && what != "" { // an empty text is another process's test that it receives
			heard(what)
		}
	}
}

// listen returns a connection that listens, and has proved that it receives what is
// notified through the pool.
func (d *DB) listen(ctx context.Context) (_ *pgx.Conn, err error) {
	ctx, stop := context.WithTimeout(ctx, 2*patience)
	defer stop()
	c, err := pgx.ConnectConfig(ctx, d.listenConfig)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			closeSoon(c)
		}
	}()
	if _, err := c.Exec(ctx, `LISTEN `+channel); err != nil {
		return nil, err
	}
	if _, err := d.Writes.ExecContext(ctx, notify, channel, d.name+" "); err != nil {
		return nil, err
	}
	for by := ""; by != d.name; {
		what, err := d.next(ctx, c, echo)
		if err != nil && ctx.Err() == nil {
			return nil, errNotHeard
		}
		if err != nil {
			return nil, err
		}
		by, _, _ = strings.Cut(what, " ")
	}
	return c, nil
}

// echo limits how long a notification may take to come back to this process.
const echo = 5 * time.Second

var errNotHeard = errors.New("what is notified is not heard there; is it a pooler, too, or another database?")

// next waits for the next payload, at most as long as within.
func (d *DB) next(ctx context.Context, c *pgx.Conn, within time.Duration) (string, error) {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	said, err := c.WaitForNotification(ctx)
	if err != nil {
		return "", err
	}
	return said.Payload, nil
}

// ping returns an error unless the server responds.
func ping(ctx context.Context, c *pgx.Conn) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	return c.Ping(ctx)
}

// closeSoon closes a connection within a second, even if the program is stopping.
func closeSoon(c *pgx.Conn) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = c.Close(ctx)
}

// setListener chooses the connection for listening: one to the direct address or,
// without such an address, one to the usual address unless that leads through a
// pooler.
func (d *DB) setListener(usual pgx.ConnConfig, direct string) error {
	if direct == "" && d.pooled {
		return nil
	}
	d.listenConfig = usual.Copy()
	if direct != "" {
		config, err := parse(direct)
		if err != nil {
			return fmt.Errorf("its second address, %s, cannot be used; it is like postgres://user@host:5432/dailies", Name(direct))
		}
		d.listenConfig, d.direct = config, Name(direct)
	}
	d.listenConfig.RuntimeParams["application_name"] += " listening"
	return nil
}

// checkListener returns an error if a direct address is given but receives nothing.
func (d *DB) checkListener(ctx context.Context) error {
	if d.direct == "" {
		return nil
	}
	c, err := d.listen(ctx)
	if err != nil {
		return fmt.Errorf("its second address, %s: %w", d.direct, plain(err))
	}
	closeSoon(c)
	return nil
}
