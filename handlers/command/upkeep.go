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

// move copies all data from one place to another.
func (p program) move(ctx context.Context, c config.Move) error {
	from, err := p.house(ctx, c.From)
	if err != nil {
		return err
	}
	if c.Abort {
		return backup.AbortMove(ctx, from, p.stdout)
	}
	to, err := p.house(ctx, c.To)
	if err != nil {
		return err
	}
	return backup.Move(ctx, from, to, p.stdout)
}

func (p program) house(ctx context.Context, c config.Location) (h backup.Location, err error) {
	h = backup.Location{Dir: c.Data, Database: string(c.Database)}
	h.Bucket, err = openBucket(ctx, c.Media, p.log(config.TextLog, false))
	return h, err
}
