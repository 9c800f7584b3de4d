package store

import (
	"context"
	"database/sql"
	"fmt"
)

// Setting returns the value that was kept under the name.
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	var value string
	err := s.reads.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = ?`, name).Scan(&value)
	return value, about(fmt.Sprintf("setting %q", name), err)
}

// SetSetting keeps the value under the name.
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	return about(fmt.Sprintf("setting %q", name), s.write(ctx, func(tx *sql.Tx) error { return putSetting(ctx, tx, name, value) }))
}

func putSetting(ctx context.Context, tx *sql.Tx, name, value string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}
