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
)

// A table is one that Transfer copies.
type table struct {
	name    string
	key     string // the columns by which its rows are sorted
	columns string // all other columns
	numbers bool   // the database assigns the column id
	where   string // a WHERE clause, if not all rows are copied
	later   string // a column that refers to a table further down, set at the end
}

// tables are in an order in which rows refer only to rows that were copied before. Left
// out are the tables that triggers fill (gallery, usage, usage_months, spent, kept_bytes,
// collection_counts and versions) and those of short-lived rows (create_calls, jobs, attempts and
// challenges).
var tables = []table{
	{"team_keys", "id", "name, sealed, last_four, fingerprint, standard, created_at, checked_at, accepted, deleted_at", true, "", ""},
	{"users", "id", "name, email, email_key, email_norm, password, role, last_scene, created_at, seen_at, deactivated_at, team_key_id", true, "", ""},
	{"sessions", "id", "user_id, token, agent, created_at, seen_at, expires_at, for_host, method", true, "", ""},
	{"provider_sessions", "session_id", "sealed, next_at, tries, leased_by, leased_until", false, "", ""},
	{"resets", "user_id", "token, created_at, expires_at, by_server", false, "", ""},
	{"identities", "id", "issuer, subject, user_id, email, created_at, used_at", true, "", ""},
	{"passkeys", "id", "user_id, handle, credential, record, name, created_at, used_at", true, "", ""},
	{"guesses", "name", "wrong, at", false, "", ""},
	{"codes", "user_id", "sealed, step, created_at", false, "", ""},
	{"recovery_codes", "user_id, hash", "", false, "", ""},
	{"invites", "id", "token, created_by, created_at, expires_at, used_at, used_by, role, email, allowance, credits", true, "", ""},
	{"typed", "token", "at, form, browser, counts_for, known, size", false, "", ""},
	{"keys", "user_id", "sealed, last_four, fingerprint, created_at, checked_at, accepted", false, "", ""},
	{"settings", "name", "value", false, ` WHERE name NOT IN ('written at', 'moving')`, ""},
	{"clock", "id", "trusted, latest, claim, held", false, "", ""},
	{"recipes", "id", "name, note, scene, model, prompt, provider, pictures, options, ceiling, created_by, created_at, changed_at, deleted_at", true, "", "task_id"},
	{"tasks", "id", "user_id, form_token, scene, model, state, status, keeping, provider, remote_id, upstream_id, progress, blame, " +
		"quoted, charged, returned, created_at, sent_at, accepted_at, done_at, returned_at, decided_at, refreshed_at, failing_since, next_at, " +
		"asked, stumbles, leased_by, leased_until, copy_host, options, pictures, results, message, prompt, title, day, " +
		"starred, private, deleted_at, deleted_by, purged_at, parent_id, bond, batch, recipe_id, payer_id, key_id, held", true, "", ""},
	{"answers", "task_id, call, status", "http, at, body", false, "", ""},
	{"media", "id", "task_id, kind, position, hash, type, size, source, created_at, lost_at, width, height, thumb_due", true, "", ""},
	{"pictures", "id", "user_id, hash, type, size, width, height, name, created_at, found_at, thumbnail", true, "", ""},
	{"picture_tokens", "id", "token, sealed, picture_id", true, "", ""},
	{"unsealed_pictures", "picture_id", "token", false, "", ""},
	{"leftovers", "hash", "at", false, "", ""},
	{"tags", "id", "name, name_key, created_by, created_at", true, "", ""},
	{"task_tags", "task_id, tag_id", "", false, "", ""},
	{"collections", "id", "name, note, created_by, created_at, changed_at, deleted_at, deleted_by", true, "", ""},
	{"collection_tasks", "collection_id, task_id", "position, added_by, added_at", false, "", ""},
	{"shares", "id", "token, sealed, task_id, collection_id, title, created_by, created_at, expires_at, revoked_at", true, "", ""},
	{"unsealed_shares", "share_id", "token", false, "", ""},
	{"cuts", "task_id", "place, start, finish", false, "", ""},
	{"webhooks", "user_id", "address, origin, sealed, created_at", false, "", ""},
	{"deliveries", "id", "name, user_id, task_id, state, outcome, http, problem, tries, created_at, tried_at, next_at, leased_by, leased_until", true, "", ""},
	{"task_keys", "task_id", "sealed, fingerprint, team_key_id", false, "", ""},
	{"turns", "user_id", "turn", false, "", ""},
	{"purses", "user_id", "allowance, credits, self, presses, warned, warned_of_team, mailed", false, "", ""},
	{"asks", "id", "user_id, month, credits, unpriced, sentence, created_at, answer, reason, answered_by, answered_at, used_at, task_id, ended_at, told_at", true, "", ""},
	{"mails", "id", "name, kind, user_id, address, topic, details, sealed, changes, tries, problem, created_at, until, tried_at, next_at, sent_at, leased_by, leased_until", true, "", ""},
	{"mail_choices", "user_id, notice", "wanted", false, "", ""},
	{"audit", "id", "at, actor_id, actor, action, user_id, user_name, what, before, after, address", true, "", ""},
}

// first returns the columns that are filled when a row is inserted, those of the key
// first.
func (t table) first() string { return strings.Trim(t.key+", "+t.columns, ", ") }

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
	rows, err := engine.Count(ctx, target, `SELECT 1 FROM users UNION ALL SELECT 1 FROM settings WHERE name NOT IN ('written at', 'moving')`, nil)
	if err != nil {
		return nil, err
	}
	if rows > 0 {
		return nil, fmt.Errorf("the database to be filled is not empty: %w", db.ErrConflict)
	}
	if _, err := target.ExecContext(ctx, `DELETE FROM settings`); err != nil {
		return nil, err
	}
	for _, t := range tables {
		if err := to.fill(ctx, t, source, target); err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
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
	for _, t := range tables {
		c, err := compare(ctx, t, source, target)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.name, err)
		}
		copied = append(copied, c)
		if !t.numbers {
			continue
		}
		last, err := s.db.LastNumber(ctx, source, t.name)
		if err == nil {
			err = to.db.SetLastNumber(ctx, target, t.name, last)
		}
		if err != nil {
			return nil, fmt.Errorf("numbers of table %s: %w", t.name, err)
		}
	}
	return copied, nil
}

// rowsAtOnce is how many rows one statement inserts. With one row each, a move to a
// server would take as long as the network takes for every row.
const rowsAtOnce = 100

// fill copies the rows of the table. The column words of tasks is computed anew,
// because each engine has its own format.
func (s *Store) fill(ctx context.Context, t table, source, target *sql.Tx) error {
	columns := t.first()
	fields := strings.Split(columns, ", ")
	if t.name == "tasks" {
		columns += ", words"
	}
	width := strings.Count(columns, ",") + 1
	insert := `INSERT INTO ` + t.name + ` (` + columns + `) VALUES `
	full, err := target.PrepareContext(ctx, insert+places(rowsAtOnce, width))
	if err != nil {
		return err
	}
	defer full.Close()
	prompt, title := slices.Index(fields, "prompt"), slices.Index(fields, "title")
	var batch []any // the values of up to rowsAtOnce rows
	if err := each(ctx, source, `SELECT `+t.first()+` FROM `+t.name+t.where+` ORDER BY `+t.key, func(values []any) error {
		batch = append(batch, values...)
		if t.name == "tasks" {
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
func compare(ctx context.Context, t table, source, target *sql.Tx) (Copied, error) {
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
func digestOf(ctx context.Context, t table, from *sql.Tx) (Copied, error) {
	sum, rows := sha256.New(), 0
	columns := strings.Trim(t.first()+", "+t.later, ", ")
	err := each(ctx, from, `SELECT `+columns+` FROM `+t.name+t.where+` ORDER BY `+t.key, func(values []any) error {
		rows++
		for _, v := range values {
			write(sum, v)
		}
		return nil
	})
	return Copied{t.name, rows, hex.EncodeToString(sum.Sum(nil))}, err
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
