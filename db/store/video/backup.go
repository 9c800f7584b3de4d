package video

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/store/engine"
)

// EachMade calls see for every finished video with its files, the oldest first. An
// error from see stops it and is returned unchanged.
func (s *Tasks) EachMade(ctx context.Context, see func(db.Task) error) error {
	for last := int64(0); ; {
		tasks, err := s.made(ctx, last)
		if err != nil || len(tasks) == 0 {
			return err
		}
		for _, t := range tasks {
			if err := see(t); err != nil {
				return err
			}
			last = t.ID
		}
	}
}

// made returns the next 500 finished videos whose ID is greater than after.
func (s *Tasks) made(ctx context.Context, after int64) ([]db.Task, error) {
	return engine.Read(ctx, s.db, "finished videos", func(tx *engine.Tx) []db.Task {
		return selectTasks(tx, `
			FROM tasks t JOIN users u ON u.id = t.user_id
			WHERE t.id > $1 AND t.state = 'success' AND t.purged_at IS NULL
			ORDER BY t.id LIMIT 500`, after)
	})
}

// EachPicture calls see for every uploaded picture, the oldest first. An error from see
// stops it and is returned unchanged.
func (s *Pictures) EachPicture(ctx context.Context, see func(ordering.Picture) error) error {
	pictures, err := engine.ReadAll(ctx, s.db.Reads, "pictures", engine.ScanFields(pictureFields), `SELECT `+pictureColumns+` FROM pictures p ORDER BY p.id`)
	if err != nil {
		return err
	}
	for _, p := range pictures {
		if err := see(p); err != nil {
			return err
		}
	}
	return nil
}

// Resume settles the queued and sending tasks of a database that is not the latest,
// such as one restored from a backup: the service may have received them since, so they
// become unconfirmed and their makers decide. The argument since completes the message
// to them, for example "the backup was made". Resume returns how many tasks these are.
func (s *Tasks) Resume(ctx context.Context, since string, now time.Time) (unsure int, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		tasks := LoadSelected(tx, `SELECT id FROM tasks WHERE state IN ('queued', 'sending')`)
		unsure = len(tasks)
		for _, t := range tasks {
			before := t
			if t.State == db.Queued {
				tx.Check(t.Begin(now))
			}
			tx.Check(t.Lose("It waited to be sent when "+since+", and may have been sent since.", now))
			s.SaveTask(tx, before, &t)
		}
	})
	return unsure, engine.About("tasks that waited to be sent", err)
}
