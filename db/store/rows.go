package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"dailies/db"
	"dailies/db/store/postgres"
	"dailies/db/store/sqlite"
)

// A querier runs queries: a pool of connections, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// all reads every row of the query with scan.
func all[T any](ctx context.Context, from querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, rows.Err()
}

// one reads the first row of the query with scan, or returns sql.ErrNoRows.
func one[T any](ctx context.Context, from querier, scan func(*sql.Rows) (T, error), query string, args ...any) (found T, err error) {
	list, err := all(ctx, from, scan, query, args...)
	if err == nil && len(list) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return found, err
	}
	return list[0], nil
}

// scanValue scans a row of one column.
func scanValue[T any](rows *sql.Rows) (v T, err error) {
	err = rows.Scan(&v)
	return v, err
}

// scanFields returns a function that scans a row into the destinations that fields
// returns.
func scanFields[T any](fields func(*T) []any) func(*sql.Rows) (T, error) {
	return func(rows *sql.Rows) (v T, err error) {
		err = rows.Scan(fields(&v)...)
		return v, err
	}
}

// An instant is a time as it is stored: Unix milliseconds, or NULL for the zero time.
type instant time.Time

// Value implements driver.Valuer.
func (i instant) Value() (driver.Value, error) {
	if time.Time(i).IsZero() {
		return nil, nil
	}
	return time.Time(i).UnixMilli(), nil
}

// Scan implements sql.Scanner.
func (i *instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = instant{}
	case int64:
		*i = instant(time.UnixMilli(v).UTC())
	default:
		return fmt.Errorf("a time is kept as %T", src)
	}
	return nil
}

// An amount is a number of credits. It is stored as an integer, in thousandths of a
// credit.
type amount float64

// mostThousandths bounds an amount, so that sums do not overflow, whatever the service
// reports.
const mostThousandths = 1e15

// Value implements driver.Valuer.
func (a amount) Value() (driver.Value, error) {
	return int64(math.Round(max(-mostThousandths, min(mostThousandths, float64(a)*1000)))), nil
}

// Scan implements sql.Scanner.
func (a *amount) Scan(src any) error {
	thousandths, ok := src.(int64)
	if !ok {
		return fmt.Errorf("credits are kept as %T", src)
	}
	*a = amount(float64(thousandths) / 1000)
	return nil
}

// A credits value is an amount that may be unknown, which is stored as NULL.
type credits db.Credits

// Value implements driver.Valuer.
func (c credits) Value() (driver.Value, error) {
	if !c.Known {
		return nil, nil
	}
	return amount(c.Amount).Value()
}

// Scan implements sql.Scanner.
func (c *credits) Scan(src any) error {
	if src == nil {
		*c = credits{}
		return nil
	}
	var a amount
	err := a.Scan(src)
	*c = credits(db.CreditsOf(float64(a)))
	return err
}

// A digest is the hash of a token, stored as bytes.
type digest db.TokenHash

// Value implements driver.Valuer.
func (d digest) Value() (driver.Value, error) { return d[:], nil }

// Scan implements sql.Scanner.
func (d *digest) Scan(src any) error {
	bytes, ok := src.([]byte)
	if !ok || len(bytes) != len(d) {
		return fmt.Errorf("a token's hash is kept as %T", src)
	}
	copy(d[:], bytes)
	return nil
}

// A named is a name or a title. What earlier versions have stored is cleaned when it is
// read: see db.CleanName.
type named string

// Scan implements sql.Scanner.
func (n *named) Scan(src any) error {
	var text string
	switch src := src.(type) {
	case string:
		text = src
	case []byte:
		text = string(src)
	default:
		return fmt.Errorf("a name is kept as %T", src)
	}
	if *n = named(db.CleanName(text)); *n == "" && text != "" {
		*n = "(unnamed)"
	}
	return nil
}

// A document is a value that is stored as JSON text.
type document[T any] struct{ value *T }

func asJSON[T any](value *T) document[T] { return document[T]{value} }

// Value implements driver.Valuer.
func (d document[T]) Value() (driver.Value, error) {
	text, err := json.Marshal(d.value)
	return string(text), err
}

// Scan implements sql.Scanner.
func (d document[T]) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a document is kept as %T", src)
	}
	return json.Unmarshal([]byte(text), d.value)
}

// listed returns the IDs as a JSON array, which is empty rather than null if there are
// none.
func listed(ids []int64) string {
	if len(ids) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(ids) // numbers never fail
	return string(text)
}

// eachOf returns a table expression with the alias listed, whose column value has each
// ID that the query selects, as text. The query may refer to tables before it in the
// FROM clause. PostgreSQL would run the query of an "id IN (query)" again for each row
// whose ID it compares.
func eachOf(query string) string {
	return `json_each((SELECT json_group_array(CAST(id AS TEXT)) FROM (` + query + `) of)) listed`
}

// batchSize is how many rows a write changes at most when many are due at once, because
// every other write waits meanwhile.
const batchSize = 200

// inBatches calls write, which changes at most batchSize rows and returns how many,
// until fewer are left. Other writes can happen in between.
func inBatches(write func() (int, error)) error {
	for n := batchSize; n == batchSize; {
		var err error
		if n, err = write(); err != nil {
			return err
		}
	}
	return nil
}

// about adds to the error what it is about, and replaces errors of the database by
// those of package db. It returns nil for nil.
func about(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = db.ErrNotFound
	case sqlite.IsDuplicate(err) || postgres.IsDuplicate(err):
		err = db.ErrConflict
	case sqlite.IsOrphan(err) || postgres.IsOrphan(err):
		err = db.ErrNotFound
	}
	return fmt.Errorf("%s: %w", what, sqlite.WithRemedy(err))
}

func user(id int64) string { return fmt.Sprintf("user %d", id) }

func task(id int64) string { return fmt.Sprintf("task %d", id) }

// found checks the result of a change to something that must exist: if no row was
// changed, it returns db.ErrNotFound.
func found(result sql.Result, err error) error { return met(result, err, db.ErrNotFound) }

// held checks the result of a change to something that must be in an expected state: if
// no row was changed, it returns db.ErrConflict.
func held(result sql.Result, err error) error { return met(result, err, db.ErrConflict) }

// met returns the error otherwise if the change has met no row.
func met(result sql.Result, err, otherwise error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return otherwise
}
