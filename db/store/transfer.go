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
	err = from.db.Read(ctx, func(source *engine.Tx) {
		source.Check(to.db.WriteDurably(ctx, func(target *engine.Tx) {
			copied = from.transfer(source, to, target)
			target.Check(source.Err())
		}))
	})
	return copied, engine.About("copy of the database", err)
}

// transfer is Transfer within a transaction of each database. What fails once the target
// is known to be empty is kept by the source, with the name of the table.
func (s *Store) transfer(source *engine.Tx, to *Store, target *engine.Tx) (copied []Copied) {
	rows := target.Count(`SELECT 1 FROM users UNION ALL SELECT 1 FROM settings` + some["settings"])
	target.Require(rows == 0, fmt.Errorf("the database to be filled is not empty: %w", db.ErrConflict))
	target.Exec(`DELETE FROM settings`)
	target.Exec(`DELETE FROM services`) // the first one, which a new database has
	source.Check(target.Err())
	for _, t := range schema.Tables {
		of := source.About("table " + t.Name)
		to.fill(t, of, target)
		of.Check(target.Err())
	}
	set := func(table, column, where string) {
		each(source, `SELECT id, `+column+` FROM `+table+` WHERE `+where, func(values []any) error {
			target.Exec(`UPDATE `+table+` SET `+column+` = $2 WHERE id = $1`, values...)
			return target.Err()
		})
	}
	for _, t := range schema.Tables {
		if t.Deferred != "" {
			set(t.Name, t.Deferred, t.Deferred+` IS NOT NULL`)
		}
	}
	set("media", "thumb_due", `kind = 'cover'`) // triggers have set it differently
	for _, t := range schema.Tables {
		if !source.OK() {
			return nil
		}
		copied = append(copied, compare(t, source.About("table "+t.Name), target))
		if t.Numbers {
			of := source.About("numbers of table " + t.Name)
			to.db.SetLastNumber(target, t.Name, s.db.LastNumber(of, t.Name))
			of.Check(target.Err())
		}
	}
	return copied
}

// rowsAtOnce is how many rows one statement inserts. With one row each, a move to a
// server would take as long as the network takes for every row.
const rowsAtOnce = 100

// fill copies the rows of the table. The column words of tasks is computed anew,
// because each engine has its own format.
func (s *Store) fill(t schema.Table, source, target *engine.Tx) {
	fields := t.First()
	columns := slices.Clone(fields)
	if t.Name == "tasks" {
		columns = append(columns, "words")
	}
	width := len(columns)
	insert := `INSERT INTO ` + t.Name + ` (` + strings.Join(columns, ", ") + `) VALUES `
	full := insert + places(rowsAtOnce, width)
	prompt, title := slices.Index(fields, "prompt"), slices.Index(fields, "title")
	var batch []any // the values of up to rowsAtOnce rows
	each(source, `SELECT `+strings.Join(fields, ", ")+` FROM `+t.Name+some[t.Name]+` ORDER BY `+t.Key, func(values []any) error {
		batch = append(batch, values...)
		if t.Name == "tasks" {
			var about db.Task
			about.Prompt, _ = values[prompt].(string) // the columns are text
			about.Title, _ = values[title].(string)
			batch = append(batch, s.Tasks.WordsOf(about))
		}
		if len(batch) == rowsAtOnce*width {
			target.Exec(full, batch...)
			batch = batch[:0]
		}
		return target.Err()
	})
	if source.OK() && len(batch) > 0 {
		target.Exec(insert+places(len(batch)/width, width), batch...)
	}
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
func each(from *engine.Tx, query string, see func(values []any) error) {
	var values, into []any
	from.Each(func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		for range len(columns) - len(values) { // once, with the first row
			values, into = append(values, nil), append(into, nil)
		}
		for i := range values {
			into[i] = &values[i]
		}
		if err == nil {
			err = rows.Scan(into...)
		}
		if err == nil {
			err = see(values)
		}
		return err
	}, query)
}

// compare returns the number and hash of the target's rows. It fails if the source's
// differ.
func compare(t schema.Table, source, target *engine.Tx) Copied {
	was, is := digestOf(t, source), digestOf(t, target)
	source.Check(target.Err())
	source.Require(was == is, fmt.Errorf("%d rows were read and %d are there, or one of them differs", was.Rows, is.Rows))
	return is
}

// digestOf returns the number of the rows and their hash.
func digestOf(t schema.Table, from *engine.Tx) Copied {
	sum, rows := sha256.New(), 0
	each(from, `SELECT `+strings.Join(t.All(), ", ")+` FROM `+t.Name+some[t.Name]+` ORDER BY `+t.Key, func(values []any) error {
		rows++
		for _, v := range values {
			write(sum, v)
		}
		return nil
	})
	return Copied{t.Name, rows, hex.EncodeToString(sum.Sum(nil))}
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

// Remedy says what to do about a database that is damaged.
const Remedy = engine.Remedy

// Damage returns the defects that were found in the database, one string each.
func (s *Store) Damage(ctx context.Context) ([]string, error) {
	found, err := s.db.Damage(ctx)
	return found, engine.About("integrity of the database", err)
}
