package sqlite

import (
	"context"
	"database/sql"
	"time"

	"dailies/db/store/engine"
)

// Process implements engine.Engine.
func (d *DB) Process() string { return d.name }

// Now implements engine.Engine. The only clock is this machine's.
func (d *DB) Now() time.Time { return time.Now() }

// Enter implements engine.Engine. The data folder is already locked for one
// process.
func (d *DB) Enter(context.Context, bool, engine.Home) error { return nil }

// Others implements engine.Engine. There are none.
func (d *DB) Others(context.Context, *sql.Tx) ([]engine.Process, error) { return nil, nil }

// IsShared implements engine.Engine.
func (d *DB) IsShared() bool { return false }
