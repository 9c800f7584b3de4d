package sandbox

import (
	"context"
	"embed"
	"os"

	"dailies/db/store/engine"
	"dailies/db/store/sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

func openDatabase(ctx context.Context, path string) (*engine.DB, error) {
	// Earlier versions created these files readable by every user of the machine.
	for _, beside := range []string{"", "-wal", "-shm"} {
		_ = os.Chmod(path+beside, 0o600)
	}
	d, err := sqlite.Open(ctx, path, sqlite.Schema{Files: migrations})
	if err != nil {
		return nil, err
	}
	return &engine.DB{Engine: d, Writes: d.Writes, Reads: d.Reads}, nil
}
