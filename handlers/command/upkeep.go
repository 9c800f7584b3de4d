package command

import (
	"context"

	"dailies/db/backup"
	"dailies/handlers/config"
)

// upkeep checks, backs up or restores a data folder with its media.
func (p program) upkeep(ctx context.Context, c config.Upkeep) error {
	house, err := p.house(ctx, config.Location{Data: c.Data, Database: c.Database, Media: c.Media})
	if err != nil {
		return err
	}
	switch c.Command {
	case config.Backup:
		if c.Into != "" {
			return backup.WriteInto(ctx, house, c.Into, c.Keep, p.stdout)
		}
		return backup.Write(ctx, house, c.File, p.stdout)
	case config.Restore:
		return backup.Restore(ctx, c.File, house, p.stdout)
	}
	return backup.Check(ctx, house, p.stdout)
}
