package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

// some selects the rows that are copied of a table, if not all are.
var some = map[string]string{"settings": ` WHERE name NOT IN ('written at', 'moving')`}

// A Copied tells what a transfer has copied of a table. Both databases have the same
// rows.
type Copied struct {
	Table string
	Rows  int
	Hash  string // SHA-256 of all rows, in hex
}

// MovingSetting is the setting that says where the database is being moved, or was.
// While it has a value, nothing may serve the database.
const MovingSetting = "moving"

// Transfer copies all tables from one database into another, which must be empty, in
// one transaction. It reads a single snapshot of the source. Before it commits, it
// compares the number of rows and a hash of them, table by table.
func Transfer(ctx context.Context, from, to *Store) (copied []Copied, err error) {
	err = from.db.Read(ctx, func(source *sql.Tx) error {
		return to.db.WriteDurably(ctx, func(target *sql.Tx) error {
			copied, err = from.transfer(ctx, source, to, target)
			return err
		})
	})
	return copied, engine.About("copy of the database", err)
}

// transfer is Transfer within a transaction of each database.
func (s *Store) transfer(ctx context.Context, source *sql.Tx, to *Store, target *sql.Tx) (copied []Copied, err error) {
	rows, err := engine.Count(ctx, target, `SELECT 1 FROM users UNION ALL SELECT 1 FROM settings`+some["settings"], nil)
	if err != nil {
		return nil, err
	}
	if rows > 0 {
		return nil, fmt.Errorf("the database to be filled is not empty: %w", db.ErrConflict)
	}
	if _, err := target.ExecContext(ctx, `DELETE FROM settings`); err != nil {
		return nil, err
	}
	for _, t := range schema.Tables {
		if err := to.fill(ctx, t, source, target); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	// The columns of later, and what triggers have set differently.
	for _, late := range []struct{ query, statement string }{
		{`SELECT id, task_id FROM recipes WHERE task_id IS NOT NULL`, `UPDATE recipes SET task_id = $2 WHERE id = $1`},
		{`SELECT id, thumb_due FROM media WHERE kind = 'cover'`, `UPDATE media SET thumb_due = $2 WHERE id = $1`},
	} {
		if err := each(ctx, source, late.query, func(values []any) error {
			_, err := target.ExecContext(ctx, late.statement, values...)
			return err
		}); err != nil {
			return nil, err
		}
	}
	for _, t := range schema.Tables {
		c, err := compare(ctx, t, source, target)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
		copied = append(copied, c)
		if !t.Numbers {
			continue
		}
		last, err := s.db.LastNumber(ctx, source, t.Name)
		if err == nil {
			err = to.db.SetLastNumber(ctx, target, t.Name, last)
		}
		if err != nil {
			return nil, fmt.Errorf("numbers of table %s: %w", t.Name, err)
		}
	}
	return copied, nil
}

// rowsAtOnce is how many rows one statement inserts. With one row each, a move to a
// server would take as long as the network takes for every row.
const rowsAtOnce = 100

// fill copies the rows of the table. The column words of tasks is computed anew,
// because each engine has its own format.
func (s *Store) fill(ctx context.Context, t schema.Table, source, target *sql.Tx) error {
	fields := t.First()
	columns := slices.Clone(fields)
	if t.Name == "tasks" {
		columns = append(columns, "words")
	}
	width := len(columns)
	insert := `INSERT INTO ` + t.Name + ` (` + strings.Join(columns, ", ") + `) VALUES `
	full, err := target.PrepareContext(ctx, insert+places(rowsAtOnce, width))
	if err != nil {
		return err
	}
	defer full.Close()
	prompt, title := slices.Index(fields, "prompt"), slices.Index(fields, "title")
	var batch []any // the values of up to rowsAtOnce rows
	if err := each(ctx, source, `SELECT `+strings.Join(fields, ", ")+` FROM `+t.Name+some[t.Name]+` ORDER BY `+t.Key, func(values []any) error {
		batch = append(batch, values...)
		if t.Name == "tasks" {
			var about db.Task
			about.Prompt, _ = values[prompt].(string) // the columns are text
			about.Title, _ = values[title].(string)
			batch = append(batch, s.Tasks.WordsOf(about))
		}
		if len(batch) < rowsAtOnce*width {
			return nil
		}
		_, err := full.ExecContext(ctx, batch...)
		batch = batch[:0]
		return err
	}); err != nil || len(batch) == 0 {
		return err
	}
	_, err = target.ExecContext(ctx, insert+places(len(batch)/width, width), batch...)
	return err
}

// places returns the placeholders of rows with so many columns: ($1, $2), ($3, $4).
func places(rows, columns int) string {
	var list []string
	for row := range rows {
		var places []string
		for i := range columns {
			places = append(places, fmt.Sprintf("$%d", row*columns+i+1))
		}
		list = append(list, "("+strings.Join(places, ", ")+")")
	}
	return strings.Join(list, ", ")
}

// each calls see with the values of each row. They are only valid during the call.
func each(ctx context.Context, from *sql.Tx, query string, see func(values []any) error) error {
	rows, err := from.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := see(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// compare returns the number and hash of the target's rows. It returns an error if the
// source's differ.
func compare(ctx context.Context, t schema.Table, source, target *sql.Tx) (Copied, error) {
	was, err := digestOf(ctx, t, source)
	if err != nil {
		return Copied{}, err
	}
	is, err := digestOf(ctx, t, target)
	if err == nil && was != is {
		err = fmt.Errorf("%d rows were read and %d are there, or one of them differs", was.Rows, is.Rows)
	}
	return is, err
}

// digestOf returns the number of the rows and their hash.
func digestOf(ctx context.Context, t schema.Table, from *sql.Tx) (Copied, error) {
	sum, rows := sha256.New(), 0
	err := each(ctx, from, `SELECT `+strings.Join(t.All(), ", ")+` FROM `+t.Name+some[t.Name]+` ORDER BY `+t.Key, func(values []any) error {
		rows++
		for _, v := range values {
			write(sum, v)
		}
		return nil
	})
	return Copied{t.Name, rows, hex.EncodeToString(sum.Sum(nil))}, err
}

// write adds a value to a hash, with its type and its length, so that different lists
// of values never give the same bytes. Writing to a hash never fails.
func write(sum hash.Hash, value any) {
	text := ""
	switch v := value.(type) {
	case []byte:
		text = string(v)
	case string:
		text, value = engine.Text(v), ""
	default:
		text = fmt.Sprint(v)
	}
	fmt.Fprintf(sum, "%T %d %s\n", value, len(text), text)
}
