package suite

import (
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"dailies/db/store/postgres"
	"dailies/db/store/sqlite"
)

// FirstRelease creates a database as the first release left it, with finished
// videos of two people and a running one, and returns its path.
func FirstRelease(tb testing.TB, videos int) string {
	tb.Helper()
	OnlySQLite(tb)
	path := filepath.Join(tb.TempDir(), "dailies.db")
	raw, err := sql.Open("sqlite", path)
	must(tb, err)
	defer raw.Close()
	start, err := sqlite.Migrations.ReadFile("migrations/001_start.sql")
	must(tb, err)
	for _, statement := range []string{
		string(start),
		`PRAGMA user_version = 1`,
		`INSERT INTO users (name, email, email_key, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0),
				('Bo', 'b@example.com', 'b@example.com', 'hash', 'member', '', 0)`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ` + fmt.Sprint(videos) + `)
			INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt, charged)
			SELECT 1 + i % 2, 'form ' || i, 'text-to-video', 'veo3', 'success', '', i * 1000, '{"duration":5,"aspect_ratio":"9:16"}', '[]',
				CASE i % 20 WHEN 0 THEN '红色的风筝 ' || i WHEN 1 THEN '夕焼けの空を飛ぶ'
					ELSE 'A red kite over the sea at sunset, slow camera, number ' || i END, 30
			FROM n`,
		`INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt)
			VALUES (1, 'running', 'text-to-video', 'veo3', 'pending', '', 0, '{}', 'null', 'a kite that flies')`,
		`INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at)
			VALUES (20, 'video', 0, 'abc', 'video/webm', 1, '', 0)`,
	} {
		_, err := raw.Exec(statement)
		must(tb, err)
	}
	return path
}

// Migrated returns an empty database that has had the migrations before the named one.
func Migrated(tb testing.TB, before string) (path string, raw *sql.DB) {
	tb.Helper()
	OnlySQLite(tb)
	path = filepath.Join(tb.TempDir(), "dailies.db")
	raw, err := sql.Open("sqlite", path)
	must(tb, err)
	tb.Cleanup(func() { must(tb, raw.Close()) })
	earlier := migrationsBefore(tb, sqlite.Migrations, before)
	for _, statements := range earlier {
		_, err = raw.Exec(statements)
		must(tb, err)
	}
	_, err = raw.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, len(earlier)))
	must(tb, err)
	return path, raw
}

// migrationsBefore returns what the migrations before the named one do.
func migrationsBefore(tb testing.TB, migrations embed.FS, before string) (earlier []string) {
	tb.Helper()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	must(tb, err)
	if !slices.Contains(names, "migrations/"+before) {
		tb.Fatalf("there is no migration %s", before)
	}
	for _, name := range names {
		if name == "migrations/"+before {
			break
		}
		text, err := migrations.ReadFile(name)
		must(tb, err)
		earlier = append(earlier, string(text))
	}
	return earlier
}

// ServerBefore returns an empty database on the server that has had the migrations before the
// named one, with the only connection to it.
func ServerBefore(tb testing.TB, migration string) (address string, raw *sql.DB) {
	tb.Helper()
	address, err := server.Empty(tb.Context())
	must(tb, err)
	raw, err = sql.Open("pgx", address)
	must(tb, err)
	tb.Cleanup(func() { must(tb, raw.Close()) })
	raw.SetMaxOpenConns(1) // what is prepared is for one connection
	_, err = raw.Exec(`CREATE TABLE schema_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL)`)
	must(tb, err)
	earlier := migrationsBefore(tb, postgres.Migrations, migration)
	for _, statements := range earlier {
		_, err = raw.Exec(statements)
		must(tb, err)
	}
	_, err = raw.Exec(`INSERT INTO schema_version (id, version, oldest) VALUES (1, $1, 2)`, len(earlier))
	must(tb, err)
	return address, raw
}
