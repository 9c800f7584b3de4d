package handlers_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"dailies/db/store/postgres"
)

// fillServer copies a SQLite file into the empty database of a server. It copies
// whole tables without checking rows as a move does, which would take an hour for a
// million videos. It also copies the tables that triggers maintain.
func fillServer(b *testing.B, path, address string) {
	b.Helper()
	file, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)")
	must(b, err)
	defer file.Close()
	server, err := pgx.Connect(b.Context(), address)
	must(b, err)
	defer server.Close(b.Context())
	_, err = server.Exec(b.Context(), `SET session_replication_role = replica; SET maintenance_work_mem = '256MB'`)
	must(b, err)
	columns := map[string][]string{}
	rows, err := server.Query(b.Context(), `
		SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND is_generated = 'NEVER' AND table_name NOT IN ('schema_version', 'settings')`)
	must(b, err)
	var table, column string
	_, err = pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		columns[table] = append(columns[table], column)
		return nil
	})
	must(b, err)
	for table, names := range columns {
		if exists(b, file, table) {
			copyTable(b, file, server, table, names)
		}
		if slices.Contains(names, "id") && !slices.Contains([]string{"clock", "gallery", "processes"}, table) {
			_, err := server.Exec(b.Context(), fmt.Sprintf(`SELECT setval('%s_id_seq', (SELECT max(id) FROM %s)) WHERE EXISTS (SELECT 1 FROM %s)`, table, table, table))
			must(b, err)
		}
	}
	// The server would do this by itself some time after so many inserts.
	_, err = server.Exec(b.Context(), `VACUUM ANALYZE`)
	must(b, err)
}

func exists(b *testing.B, file *sql.DB, table string) (there bool) {
	b.Helper()
	must(b, file.QueryRowContext(b.Context(), `SELECT count(*) > 0 FROM sqlite_schema WHERE type = 'table' AND name = ?`, table).Scan(&there))
	return there
}

// copyTable copies the rows. The column with a task's search words has a different
// format on the server.
func copyTable(b *testing.B, file *sql.DB, server *pgx.Conn, table string, names []string) {
	b.Helper()
	words := slices.Index(names, "words")
	from := slices.Clone(names)
	if words >= 0 {
		from[words] = "searched"
	}
	rows, err := file.QueryContext(b.Context(), `SELECT `+strings.Join(from, ", ")+` FROM `+table)
	must(b, err)
	defer rows.Close()
	values, places := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		places[i] = &values[i]
	}
	_, err = server.CopyFrom(b.Context(), pgx.Identifier{table}, names, pgx.CopyFromFunc(func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		if err := rows.Scan(places...); err != nil {
			return nil, err
		}
		if words >= 0 {
			values[words] = (&postgres.DB{}).Words(values[words].(string), "").String
		}
		return values, nil
	}))
	must(b, err)
}
