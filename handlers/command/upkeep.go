package command

import (
	"context"

	"dailies/db/backup"
	"dailies/handlers/config"
)

// upkeep checks, saves or restores a data folder.
func (p program) upkeep(ctx context.Context, command config.Command) error {
	c, err := config.ParseUpkeep(command, p.Source)
	if err != nil {
		return settings(err)
	}
	switch c.Command {
	case config.Backup:
		return backup.Write(ctx, c.Data, c.File, p.stdout)
	case config.Restore:
		return backup.Restore(ctx, c.File, c.Data, p.stdout)
	}
	return backup.Check(ctx, c.Data, p.stdout)
}
