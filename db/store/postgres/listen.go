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
	// channel is where processes tell each other what they did. Every database has
	// its own of that name.
	channel = "dailies"

	// shortest and longest bound the pauses between two tries to listen, of which
	// each is twice as long as the one before.
	shortest = 100 * time.Millisecond
	longest  = 10 * time.Second
)

// quiet is how long nothing may be heard before the connection is tried.
var quiet = 30 * time.Second

// Notify implements engine.Engine. Before what is told stands the name of this
// process, which does not listen to itself.
func (d *DB) Notify(ctx context.Context, tx *sql.Tx, what string) error {
	_, err := tx.ExecContext(ctx, notify, channel, d.name+" "+what)
	return err
}

const notify = `SELECT pg_notify($1, $2)`

// Listen implements engine.Engine. It holds one connection, which leads past a
// pooler.
func (d *DB) Listen(ctx context.Context, heard func(what string), deaf func(error)) error {
	if d.ear == nil {
		deaf(engine.ErrDeaf)
		<-ctx.Done()
		return nil
	}
	pause, told := shortest, false
	for ctx.Err() == nil {
		err := d.hear(ctx, func(what string) {
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

// hear listens on one connection until that fails. It begins with nothing heard,
// because something may have been missed.
func (d *DB) hear(ctx context.Context, heard func(what string)) error {
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
		if err != nil { // nothing was said for long
			if err := try(ctx, c); err != nil {
				return err
			}
			continue
		}
		if by, what, _ := strings.Cut(what, " "); by != d.name && what != "" { // others prove that they listen, too
			heard(what)
		}
	}
}

// listen returns a connection that listens, and proves that it does: what the pool
// says is heard.
func (d *DB) listen(ctx context.Context) (_ *pgx.Conn, err error) {
	ctx, stop := context.WithTimeout(ctx, 2*patience)
	defer stop()
	c, err := pgx.ConnectConfig(ctx, d.ear)
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
			return nil, errUnheard
		}
		if err != nil {
			return nil, err
		}
		by, _, _ = strings.Cut(what, " ")
	}
	return c, nil
}

// echo is how long what this process says may take to come back.
const echo = 5 * time.Second

var errUnheard = errors.New("what is notified is not heard there; is it a pooler, too, or another database?")

// next returns what is said next, within the time.
func (d *DB) next(ctx context.Context, c *pgx.Conn, within time.Duration) (string, error) {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	said, err := c.WaitForNotification(ctx)
	if err != nil {
		return "", err
	}
	return said.Payload, nil
}

// try returns an error unless the server answers.
func try(ctx context.Context, c *pgx.Conn) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	return c.Ping(ctx)
}

// closeSoon ends a connection, also when the program stops.
func closeSoon(c *pgx.Conn) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = c.Close(ctx)
}

// setEar says with which connection this process listens: with one to the direct
// address, or else to the usual one, unless that leads through a pooler.
func (d *DB) setEar(usual pgx.ConnConfig, direct string) error {
	if direct == "" && d.pooled {
		return nil
	}
	d.ear = usual.Copy()
	if direct != "" {
		config, err := parse(direct)
		if err != nil {
			return fmt.Errorf("its second address, %s, cannot be used; it is like postgres://user@host:5432/dailies", Name(direct))
		}
		d.ear, d.direct = config, Name(direct)
	}
	d.ear.RuntimeParams["application_name"] += " listening"
	return nil
}

// tryEar returns an error if a direct address is given and nothing is heard there.
func (d *DB) tryEar(ctx context.Context) error {
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
