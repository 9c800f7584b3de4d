package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"dailies/db/store/engine"
)

// A pooler such as pgbouncer may run each transaction on another connection to the
// server. Then statements cannot be prepared, settings of a session are lost, and
// LISTEN receives nothing.

// bounds are settings that limit how long other transactions block one of ours, and
// how long planning takes: JIT compilation of a search in a million videos takes
// the server longer than the search.
var bounds = map[string]string{
	"jit":                                 "off",
	"lock_timeout":                        fmt.Sprint(patience.Milliseconds()),
	"idle_in_transaction_session_timeout": fmt.Sprint(2 * patience.Milliseconds()),
}

// openPools opens both pools of connections, and detects whether they lead through
// a pooler. The address may also say so, with default_query_exec_mode.
func openPools(ctx context.Context, config pgx.ConnConfig, address string) (*DB, error) {
	chosen := strings.Contains(address, "default_query_exec_mode=")
	told := chosen && (config.DefaultQueryExecMode == pgx.QueryExecModeExec ||
		config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol)
	if !told {
		d := newPools(ctx, withBounds(config), "")
		pooled, err := d.behindPooler(ctx)
		if err == nil && !pooled {
			return d, nil
		}
		if err = errors.Join(err, d.Close()); err != nil {
			return nil, err
		}
	}
	if !chosen {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	if config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		config.StatementCacheCapacity = 0
	}
	d := newPools(ctx, config, setLocal(config))
	d.pooled = true
	if err := d.Writes.PingContext(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// withBounds returns the configuration with the bounds as settings of each session.
func withBounds(config pgx.ConnConfig) pgx.ConnConfig {
	config = *config.Copy()
	for name, value := range bounds {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
	return config
}

// setLocal returns the statements that set the bounds for one transaction.
func setLocal(config pgx.ConnConfig) string {
	var b strings.Builder
	for name, value := range bounds {
		if _, given := config.RuntimeParams[name]; !given {
			fmt.Fprintf(&b, "; SET LOCAL %s = %s", name, value)
		}
	}
	return b.String()
}

// behindPooler reports whether connections lead through a pooler, which refuses
// settings that it does not know, or reports another process ID than the server
// itself.
func (d *DB) behindPooler(ctx context.Context) (pooled bool, err error) {
	c, err := d.Writes.Conn(ctx)
	if engine.SQLState(err) == "08P01" { // protocol_violation: "unsupported startup parameter"
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer c.Close()
	err = c.Raw(func(c any) error {
		var is int64
		own := c.(interface{ ToServer() *pgx.Conn }).ToServer()
		err := own.QueryRow(ctx, `SELECT CAST(pg_backend_pid() AS BIGINT)`, pgx.QueryExecModeExec).Scan(&is)
		pooled = is != int64(own.PgConn().PID())
		return err
	})
	return pooled, err
}

// BeginTx implements driver.ConnBeginTx. Behind a pooler it sets the bounds in the
// same round trip.
func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if c.setLocal == "" {
		return c.Conn.BeginTx(ctx, options)
	}
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	begin := "BEGIN"
	switch sql.IsolationLevel(options.Isolation) {
	case sql.LevelDefault:
	case sql.LevelRepeatableRead:
		begin += " ISOLATION LEVEL REPEATABLE READ"
	case sql.LevelSerializable:
		begin += " ISOLATION LEVEL SERIALIZABLE"
	default:
		return nil, fmt.Errorf("no transactions are %v", sql.IsolationLevel(options.Isolation))
	}
	if options.ReadOnly {
		begin += " READ ONLY"
	}
	tx, err := c.Conn.Conn().BeginTx(ctx, pgx.TxOptions{BeginQuery: begin + c.setLocal})
	if err != nil {
		return nil, err
	}
	return transaction{ctx, tx}, nil
}

// A transaction adapts a transaction of pgx to driver.Tx.
type transaction struct {
	ctx context.Context
	tx  pgx.Tx
}

// Commit implements driver.Tx.
func (t transaction) Commit() error { return t.tx.Commit(t.ctx) }

// Rollback implements driver.Tx.
func (t transaction) Rollback() error { return t.tx.Rollback(t.ctx) }
