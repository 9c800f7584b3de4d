package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
)

// Usage returns what each person spent in each month since the time, the newest
// month first. A task counts in the month in which it was made. With a userID
// it is that person's alone, with 0 everybody's.
func (s *Store) Usage(ctx context.Context, userID int64, since time.Time) ([]db.Usage, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT spent.month, u.id, u.name, spent.videos, spent.tasks, spent.charged, spent.returned
		FROM (
			SELECT strftime('%Y-%m', created_at / 1000, 'unixepoch') AS month, user_id,
				count(*) FILTER (WHERE state = 'success') AS videos, count(*) AS tasks,
				total(charged) AS charged, total(returned) AS returned
			FROM tasks
			WHERE strftime('%Y-%m', created_at / 1000, 'unixepoch') >= ?3 AND created_at >= ?1
				AND (?2 = 0 OR user_id = ?2)
			GROUP BY 1, 2
		) spent JOIN users u ON u.id = spent.user_id
		ORDER BY spent.month DESC, u.name, u.id`, since.UnixMilli(), userID, since.UTC().Format("2006-01"))
	usage, err := all(rows, err, scanUsage)
	return usage, about("usage", err)
}

func scanUsage(rows *sql.Rows) (u db.Usage, err error) {
	err = rows.Scan(&u.Month, &u.UserID, &u.UserName, &u.Videos, &u.Tasks, &u.Charged, &u.Returned)
	return u, err
}
