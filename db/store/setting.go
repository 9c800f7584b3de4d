package store

import (
	"context"
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
	_, err := s.writes.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return about(fmt.Sprintf("setting %q", name), err)
}
