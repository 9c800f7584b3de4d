package kit

import (
	"context"
	"database/sql"
	"errors"
)

// PutSetting stores the value of the setting.
func PutSetting(ctx context.Context, tx *sql.Tx, name, value string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}

// ZoneSetting is the setting with the name of the team's time zone.
const ZoneSetting = "time zone"

// Setting returns the value of the setting, or an empty string if it has none.
func Setting(ctx context.Context, tx *sql.Tx, name string) (value string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}
