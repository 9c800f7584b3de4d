package sandbox

import (
	"context"
	"fmt"
	"time"

	"dailies/web/videoapi"
)

// A line is a task as the console lists it.
type line struct {
	ID       string
	Scene    videoapi.Scene
	Model    string
	Prompt   string // the beginning
	Cost     amount
	At       time.Time
	Status   videoapi.Status // as the last query left it
	Provider videoapi.Status // where the work really stands
}

// How many tasks are listed, and how much of their prompts.
const (
	listed       = 100
	promptLength = 160
)

// lines returns the newest tasks of an account, newest first.
func (s *Sandbox) lines(ctx context.Context, account string) ([]line, error) {
	rows, err := s.db.Reads.QueryContext(ctx, `
		SELECT t.id, t.scene, t.model, substr(t.prompt, 1, ?), t.cost, t.created_at, t.status, j.state
		FROM task t JOIN job j ON j.task_id = t.id
		WHERE t.account_id = ? ORDER BY t.rowid DESC LIMIT ? + 0`, promptLength, account, listed)
	if err != nil {
		return nil, fmt.Errorf("tasks: %w", err)
	}
	defer rows.Close()
	var list []line
	for rows.Next() {
		var l line
		var j job
		if err := rows.Scan(&l.ID, &l.Scene, &l.Model, &l.Prompt, &l.Cost, stamp{&l.At}, &l.Status, &j.state); err != nil {
			return nil, fmt.Errorf("tasks: %w", err)
		}
		l.Provider = j.status()
		list = append(list, l)
	}
	return list, rows.Err()
}
