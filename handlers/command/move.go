package command

import (
	"context"

	"dailies/db/backup"
	"dailies/handlers/config"
)

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
