package video

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
)

// EndWaiting rejects the person's queued tasks, with the reason why.
func (s *Tasks) EndWaiting(tx *engine.Tx, id int64, why string, now time.Time) {
	s.end(tx, LoadSelected(tx, `SELECT id FROM tasks WHERE user_id = $1 AND state = 'queued' ORDER BY id`, id), why, now)
}

// elsewhere is the condition for tasks of the person $1 that wait to be sent to a service
// which the team does not use any more. They are not sent: their maker decides.
const elsewhere = `state = 'queued' AND user_id = $1 AND service_id IN (SELECT id FROM services WHERE current = 0)`

// Elsewhere counts the person's tasks that wait to be sent to a service which the team does
// not use any more.
func (s *Tasks) Elsewhere(ctx context.Context, userID int64) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "tasks of other services of "+engine.User(userID), `SELECT count(*) FROM tasks WHERE `+elsewhere, userID)
}

// endedAtOnce bounds how many tasks a transaction ends, so that others can write between.
const endedAtOnce = 100

// EndElsewhere rejects the tasks that Elsewhere counts, with the reason why, and returns
// how many these were.
func (s *Tasks) EndElsewhere(ctx context.Context, userID int64, why string, now time.Time) (n int, err error) {
	for ended := endedAtOnce; err == nil && ended == endedAtOnce; n += ended {
		ended = 0
		err = s.db.Write(ctx, func(tx *engine.Tx) {
			tasks := LoadSelected(tx, `SELECT id FROM tasks WHERE `+elsewhere+` ORDER BY id LIMIT $2 + 0`, userID, endedAtOnce)
			s.end(tx, tasks, why, now)
			ended = len(tasks)
		})
	}
	return n, engine.About("tasks of other services of "+engine.User(userID), err)
}

func (s *Tasks) end(tx *engine.Tx, tasks []db.Task, why string, now time.Time) {
	for _, t := range tasks {
		before := t
		tx.Check(t.Reject(db.NoBlame, why, now))
		s.SaveTask(tx.About(engine.Task(t.ID)), before, &t)
	}
}
