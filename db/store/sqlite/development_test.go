package sqlite_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/store/sqlite"
)

// made creates a database with the migrations in the files, and returns its path.
func made(t *testing.T, files ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dailies.db")
	d, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			_, err = d.Exec(string(text))
		}
		if err != nil {
			t.Fatal(file, err)
		}
	}
	if _, err := d.Exec(fmt.Sprintf(`PRAGMA user_version = %d`, len(files))); err != nil {
		t.Fatal(err)
	}
	return path
}

// Builds of 21 November, between the first release and the second, had tables that no
// later version knows. Their migrations are in testdata.
func TestADatabaseOfADevelopmentBuildNamesTheVersionThatReadsIt(t *testing.T) {
	for build, tt := range map[string]struct {
		files []string
		want  string
	}{
		"1a04445": {[]string{"testdata/1a04445_001_start.sql"}, "version 1, without table deliveries); build commit e1ae657 to read it"},
		"73c0374": {[]string{"migrations/001_start.sql", "testdata/73c0374_002_order.sql"}, "build commit 999d13b to read it"},
		"3831cda": {[]string{"migrations/001_start.sql", "testdata/3831cda_002_order.sql", "testdata/3831cda_003_search.sql"}, "build commit d950715 to read it"},
	} {
		path := made(t, tt.files...)
		for range 2 { // nothing was changed the first time
			_, err := sqlite.Open(t.Context(), path, sqlite.Schema{Files: sqlite.Migrations})
			if !errors.Is(err, sqlite.ErrDevelopment) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "no such table") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", build, err)
			}
		}
	}
}

// A database with other tables than any known build's, for example because somebody
// removed one.
func TestADatabaseWithoutATableOfItsVersionSaysSo(t *testing.T) {
	path := made(t, "migrations/001_start.sql")
	d, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Exec(`DROP TABLE webhooks`); err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), path, sqlite.Schema{Files: sqlite.Migrations})
	if !errors.Is(err, sqlite.ErrDevelopment) || !strings.Contains(err.Error(), "without table webhooks); only the build that made it") {
		t.Error(err)
	}
}

func TestADatabaseOfAReleasedVersionIsBroughtUpToDate(t *testing.T) {
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 8, 16, len(files) - 2} {
		d, err := sqlite.Open(t.Context(), made(t, files[:n+1]...), sqlite.Schema{Files: sqlite.Migrations})
		if err != nil {
			t.Errorf("after %d migrations: %v", n+1, err)
			continue
		}
		d.Close()
	}
}
