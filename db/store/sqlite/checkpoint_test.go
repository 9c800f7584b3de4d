package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dailies/db/store/sqlite"
)

// The log is kept short by Stay, and not by the commits, which would have to wait.
func TestStayKeepsTheLogShort(t *testing.T) {
	d, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), sqlite.Schema{Files: sqlite.Migrations})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, known := d.Version(); !known {
		t.Skip("the length of the log cannot be read here")
	}
	writes := 0
	write := func() {
		t.Helper()
		writes++ // pages that stay the same are not written
		err := d.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.Exec(`INSERT INTO settings (name, value) VALUES ('large', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, strings.Repeat(strconv.Itoa(writes), 400<<10)[:400<<10])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 15 { // of about a hundred pages each
		write()
	}
	if pages := d.LogPages(); pages < 1400 {
		t.Fatalf("after commits alone, the log has %d pages", pages)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Stay(ctx) }()
	for deadline := time.Now().Add(2 * time.Minute); d.LogPages() > 1400; time.Sleep(10 * time.Millisecond) {
		if write(); time.Now().After(deadline) {
			t.Fatalf("with Stay, the log has %d pages", d.LogPages())
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
