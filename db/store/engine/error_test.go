package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"dailies/db/store/engine"
)

func TestALockedDatabaseAndAServerThatIsAwayAreBusy(t *testing.T) {
	for state, busy := range map[string]bool{"55P03": true, "57P01": true, "08006": true, "53300": true, "23505": false, "42P01": false, "53100": false} {
		if got := engine.IsBusy(fmt.Errorf("a note: %w", &pgconn.PgError{Code: state})); got != busy {
			t.Errorf("%s: %v", state, got)
		}
	}
	if !engine.IsBusy(fmt.Errorf("a note: %w", &pgconn.ConnectError{Config: &pgconn.Config{}})) || engine.IsBusy(errors.New("else")) || engine.IsBusy(nil) {
		t.Error("a server that is away is not known")
	}
}
