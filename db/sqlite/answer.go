package sqlite

import (
	"context"
	"database/sql"

	"dailies/db"
)

// putAnswer keeps the answer in place of an older one to the same call that
// reported the same state.
func putAnswer(ctx context.Context, tx *sql.Tx, taskID int64, a db.Answer) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO answers (task_id, call, status, http, body, at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (task_id, call, status) DO UPDATE SET
			http = excluded.http, body = excluded.body, at = excluded.at
		WHERE excluded.at >= answers.at`,
		taskID, a.Call, a.Status, a.HTTP, a.Body, instant(a.At))
	return err
}

// Answers returns what the service said about the task, in order of time.
func (s *Store) Answers(ctx context.Context, taskID int64) ([]db.Answer, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT task_id, call, status, http, body, at
		FROM answers WHERE task_id = ?
		ORDER BY at, rowid`, taskID)
	answers, err := all(rows, err, scanAnswer)
	return answers, about("answers about "+task(taskID), err)
}

func scanAnswer(rows *sql.Rows) (a db.Answer, err error) {
	err = rows.Scan(&a.TaskID, &a.Call, &a.Status, &a.HTTP, &a.Body, (*instant)(&a.At))
	return a, err
}
