package engine

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/secrets"
)

// ScanValue scans a row of one column.
func ScanValue[T any](rows *sql.Rows) (v T, err error) {
	err = rows.Scan(&v)
	return v, err
}

// ScanFields returns a function that scans a row into the destinations that fields
// returns. Like All, it is compiled once for a type.
//
//go:noinline
func ScanFields[T any](fields func(*T) []any) func(*sql.Rows) (T, error) {
	return func(rows *sql.Rows) (v T, err error) {
		err = rows.Scan(fields(&v)...)
		return v, err
	}
}

// An Instant is a time as it is stored: Unix milliseconds, or NULL for the zero time.
type Instant time.Time

// Value implements driver.Valuer.
func (i Instant) Value() (driver.Value, error) {
	if time.Time(i).IsZero() {
		return nil, nil
	}
	return time.Time(i).UnixMilli(), nil
}

// Scan implements sql.Scanner.
func (i *Instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*i = Instant{}
	case int64:
		*i = Instant(time.UnixMilli(v).UTC())
	default:
		return fmt.Errorf("a time is kept as %T", src)
	}
	return nil
}

// An Amount is a number of credits. It is stored as an integer, in thousandths of a
// credit.
type Amount float64

// mostThousandths bounds an amount, so that sums do not overflow, whatever the service
// reports.
const mostThousandths = 1e15

// Value implements driver.Valuer.
func (a Amount) Value() (driver.Value, error) {
	return int64(math.Round(max(-mostThousandths, min(mostThousandths, float64(a)*1000)))), nil
}

// Scan implements sql.Scanner.
func (a *Amount) Scan(src any) error {
	thousandths, ok := src.(int64)
	if !ok {
		return fmt.Errorf("credits are kept as %T", src)
	}
	*a = Amount(float64(thousandths) / 1000)
	return nil
}

// A Credits value is an amount that may be unknown, which is stored as NULL.
type Credits db.Credits

// Value implements driver.Valuer.
func (c Credits) Value() (driver.Value, error) {
	if !c.Known {
		return nil, nil
	}
	return Amount(c.Amount).Value()
}

// Scan implements sql.Scanner.
func (c *Credits) Scan(src any) error {
	if src == nil {
		*c = Credits{}
		return nil
	}
	var a Amount
	err := a.Scan(src)
	*c = Credits(db.CreditsOf(float64(a)))
	return err
}

// A Digest is the hash of a token, stored as bytes.
type Digest secrets.TokenHash

// Value implements driver.Valuer.
func (d Digest) Value() (driver.Value, error) { return d[:], nil }

// Scan implements sql.Scanner.
func (d *Digest) Scan(src any) error {
	bytes, ok := src.([]byte)
	if !ok || len(bytes) != len(d) {
		return fmt.Errorf("a token's hash is kept as %T", src)
	}
	copy(d[:], bytes)
	return nil
}

// A Named is a name or a title. What earlier versions have stored is cleaned when it is
// read: see naming.Clean.
type Named string

// Scan implements sql.Scanner.
func (n *Named) Scan(src any) error {
	var text string
	switch src := src.(type) {
	case string:
		text = src
	case []byte:
		text = string(src)
	default:
		return fmt.Errorf("a name is kept as %T", src)
	}
	if *n = Named(naming.Clean(text)); *n == "" && text != "" {
		*n = "(unnamed)"
	}
	return nil
}

// A Ref is the ID of another row, or NULL for 0.
type Ref int64

// Value implements driver.Valuer.
func (r Ref) Value() (driver.Value, error) {
	if r == 0 {
		return nil, nil
	}
	return int64(r), nil
}

// Scan implements sql.Scanner.
func (r *Ref) Scan(src any) error {
	id, ok := src.(int64)
	if !ok && src != nil {
		return fmt.Errorf("an ID is kept as %T", src)
	}
	*r = Ref(id)
	return nil
}

// A document is a value that is stored as JSON text.
type document[T any] struct{ value *T }

// AsJSON returns the document that has the value.
func AsJSON[T any](value *T) document[T] { return document[T]{value} }

// pointer returns the field that the document fills.
func (d document[T]) pointer() any { return d.value }

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

// Listed returns the IDs as a JSON array, which is empty rather than null if there are
// none.
func Listed(ids []int64) string {
	if len(ids) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(ids) // numbers never fail
	return string(text)
}

// EachOf returns a table expression with the alias listed, whose column value has each
// ID that the query selects, as text. The query may refer to tables before it in the
// FROM clause. PostgreSQL would run the query of an "id IN (query)" again for each row
// whose ID it compares.
func EachOf(query string) string {
	return `json_each((SELECT json_group_array(CAST(id AS TEXT)) FROM (` + query + `) of)) listed`
}

// BatchSize is how many rows a write changes at most when many are due at once, because
// every other write waits meanwhile.
const BatchSize = 200

// InBatches calls write, which changes at most BatchSize rows and returns how many,
// until fewer are left. Other writes can happen in between.
func InBatches(write func() (int, error)) error {
	for n := BatchSize; n == BatchSize; {
		var err error
		if n, err = write(); err != nil {
			return err
		}
	}
	return nil
}

// About adds to the error what it is about, and replaces errors of the database by
// those of package db. It returns nil for nil.
func About(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = db.ErrNotFound
	case IsDuplicate(err):
		err = db.ErrConflict
	case IsOrphan(err):
		err = db.ErrNotFound
	}
	return fmt.Errorf("%s: %w", what, WithRemedy(err))
}

// User returns the name of an account in errors.
func User(id int64) string { return fmt.Sprintf("user %d", id) }

// Task returns the name of a task in errors.
func Task(id int64) string { return fmt.Sprintf("task %d", id) }

// Changed returns how many rows a statement has changed.
func Changed(result sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	rows, err := result.RowsAffected()
	return int(rows), err
}

// Cut returns the beginning of the text, up to most bytes, without a partial character
// at its end.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
