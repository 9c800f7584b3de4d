package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"dailies/db"
)

// An instant is a time as it is kept: unix milliseconds, NULL for the zero time.
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

// A credits is kept as a number, NULL if it is not known.
type credits db.Credits

// Value implements driver.Valuer.
func (c credits) Value() (driver.Value, error) {
	if !c.Known {
		return nil, nil
	}
	return c.Amount, nil
}

// Scan implements sql.Scanner.
func (c *credits) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*c = credits{}
	case float64:
		*c = credits(db.CreditsOf(v))
	default:
		return fmt.Errorf("credits are kept as %T", src)
	}
	return nil
}

// A digest is a token's hash, kept as its bytes.
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

// A document is a value that is kept as JSON text.
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

// listed returns a list of ids as JSON, also where there are none.
func listed(ids []int64) string {
	if len(ids) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(ids) // numbers never fail
	return string(text)
}
