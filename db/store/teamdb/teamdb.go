// Package teamdb is the database of a team, on which the stores of both groups, people and
// video, are built: writes that check whether the actor still may, entries in the audit,
// mails that tell of a change, settings, and the team's time zone.
package teamdb

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
)

// A DB is an open database with the team's data.
type DB struct {
	*engine.DB
	zones sync.Map                // *time.Location by name
	names atomic.Pointer[stamped] // what Names has read last
}

// New returns the database for the stores.
func New(d *engine.DB) *DB { return &DB{DB: d} }

// WriteAsAdmin is like Write, for changes that only admins may make. It returns
// db.ErrNotFound if the actor in the context is no longer an admin, which may have
// changed while the request waited to write. Changes without a signed-in actor, such as
// those of a command, are always allowed.
func (d *DB) WriteAsAdmin(ctx context.Context, do func(*engine.Tx)) error {
	return d.Write(ctx, AsActor(db.User.IsAdmin, do))
}

// WriteAsMaker is like WriteAsAdmin, for changes that viewers may not make.
func (d *DB) WriteAsMaker(ctx context.Context, do func(*engine.Tx)) error {
	return d.Write(ctx, AsActor(db.User.Makes, do))
}

// Zone returns the team's time zone, or UTC after an error.
func (d *DB) Zone(tx *engine.Tx) *time.Location {
	name := Setting(tx, ZoneSetting)
	if known, ok := d.zones.Load(name); tx.OK() && ok {
		return known.(*time.Location)
	}
	zone, err := db.ParseZone(name)
	tx.Check(err)
	if !tx.OK() {
		return time.UTC
	}
	d.zones.Store(name, zone)
	return zone
}

// Month returns the month that contains the time, in the team's time zone.
func (d *DB) Month(tx *engine.Tx, at time.Time) spending.Month {
	return spending.MonthOf(at, d.Zone(tx))
}
