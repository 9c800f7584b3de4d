package store

import (
	"context"
	"database/sql"
	"strings"

	"dailies/db"
)

const (
	// keptUnknown is how many answers with states that API.md does not know
	// are kept of each call of a task: the service may make up a new word each
	// time.
	keptUnknown = 3

	// An answer is kept up to so many bytes. Those with a known state, of
	// which there are few, hold the addresses of the video.
	longestAnswer  = 1 << 20
	longestUnknown = 64 << 10
)

// putAnswer keeps the answer in place of an older one to the same call that
// reported the same state.
func putAnswer(ctx context.Context, tx *sql.Tx, taskID int64, a db.Answer) error {
	a.Status = cut(a.Status, 100)
	if known := db.State(a.Status).OfService(); known {
		a.Body = cut(a.Body, longestAnswer)
	} else {
		a.Body = cut(a.Body, longestUnknown)
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO answers (task_id, call, status, http, body, at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (task_id, call, status) DO UPDATE SET
			http = excluded.http, body = excluded.body, at = excluded.at
		WHERE excluded.at >= answers.at`,
		taskID, a.Call, a.Status, a.HTTP, a.Body, instant(a.At))
	if err != nil || a.Status == "" || db.State(a.Status).OfService() {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM answers WHERE rowid IN (
			SELECT rowid FROM answers
			WHERE task_id = ? AND call = ? AND status NOT IN ('', 'pending', 'processing', 'success', 'failed', 'canceled')
			ORDER BY at DESC, rowid DESC LIMIT -1 OFFSET ? + 0)`, taskID, a.Call, keptUnknown)
	return err
}

// cut returns the text up to so many bytes, without half a letter at its end.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
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
