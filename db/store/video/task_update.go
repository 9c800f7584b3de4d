package video

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Queued is the message of a process that has added tasks.
const Queued = "queued"

// Answered is the message of a process that knows the outcome of a task's create call. It
// is followed by the task's ID.
const Answered = "answered "

// tellAnswered notifies other processes, in which a user may be waiting for it, if the
// change from before to after is the outcome of the task's create call.
func (s *Tasks) tellAnswered(tx *engine.Tx, before, after db.Task) {
	if !before.State.Unanswered(before.Attempts) || after.State.Unanswered(after.Attempts) {
		return
	}
	s.db.Notify(tx, Answered+strconv.FormatInt(after.ID, 10))
}

// Lose marks the tasks, which were being sent, as unconfirmed, and changes them in the
// slice too.
func (s *Tasks) Lose(tx *engine.Tx, tasks []db.Task, now time.Time) {
	for i := range tasks {
		t, before := &tasks[i], tasks[i]
		tx.Check(t.Lose("Dailies was stopped while it was sending this.", now))
		s.SaveTask(tx, before, t)
		endCall(tx, t.ID)
	}
}

// UpdateTask loads the task, calls change with it, and writes everything back in one
// transaction, together with its media and the answers. The lease ends, unless the task
// is now being sent, because then its holder has only begun. An error from change rolls
// everything back and is returned unchanged. change must be fast, because it holds up
// every other write.
func (s *Tasks) UpdateTask(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
	return s.updateTask(ctx, s.taskWriter(false, id), id, change, answers)
}

// SettleTask is like UpdateTask, for changes that must survive a power cut: that a task
// is being sent, because otherwise it would be sent and paid for again, and what the
// service answered, because nothing else knows the ID to ask about.
func (s *Tasks) SettleTask(ctx context.Context, id int64, change func(*db.Task) error, answers ...db.Answer) (db.Task, error) {
	return s.updateTask(ctx, s.taskWriter(true, id), id, change, answers)
}

// A writeFunc runs a function in one transaction.
type writeFunc func(context.Context, func(*engine.Tx)) error

// taskWriter returns a writeFunc for a change to one task, which other tasks may be
// changed beside: see engine.Engine.WriteRow.
func (s *Tasks) taskWriter(durably bool, id int64) writeFunc {
	return func(ctx context.Context, do func(*engine.Tx)) error {
		return s.db.WriteRow(ctx, durably, "tasks", id, do)
	}
}

func (s *Tasks) updateTask(ctx context.Context, write writeFunc, id int64, change func(*db.Task) error,
	answers []db.Answer) (db.Task, error) {
	var t db.Task
	err := write(ctx, func(tx *engine.Tx) {
		about := tx.About(engine.Task(id))
		if t = LoadTask(about, id); !tx.OK() {
			return
		}
		before := t
		before.Pictures = slices.Clone(t.Pictures) // change may write to the elements of t.Pictures
		tx.Check(change(&t))
		t.ID = id
		if differsByQuery(before, t) {
			saveQueried(about, &t)
		} else {
			s.SaveTask(about, before, &t)
		}
		for _, a := range answers {
			putAnswer(about, id, a)
		}
	})
	if err != nil {
		return db.Task{}, err
	}
	return t, nil
}

var (
	contents = schema.Tasks.Part(schema.Changed)
	progress = schema.Tasks.Part(schema.Progress)
)

var updateContents = `UPDATE tasks SET words = $2, ` + contents.Sets(3) + ` WHERE id = $1`

// In the CASE expressions, $3 is the new state; the column's name would be the old one.
var updateProgress = `
	UPDATE tasks SET ` + progress.Sets(4) + `, copy_host = $2,
		leased_by = CASE WHEN $3 = 'sending' THEN leased_by ELSE '' END,
		leased_until = CASE WHEN $3 = 'sending' THEN leased_until END
	WHERE id = $1`

// SaveTask writes the task's progress and, if they differ from before, its contents:
// what it asks for and where it belongs. Contents seldom change, and are a statement of
// their own because an UPDATE writes every index on the columns that it names. SaveTask
// never writes who made the task, when, with which form, and from which parent.
func (s *Tasks) SaveTask(tx *engine.Tx, before db.Task, t *db.Task) {
	if !reflect.DeepEqual(contents.Values(&before), contents.Values(t)) {
		tx.Exec(updateContents, contents.Values(t, t.ID, s.WordsOf(*t))...)
	}
	tx.Exec(updateProgress, progress.Values(t, t.ID, t.CopyHost(), t.State)...)
	s.tellAnswered(tx, before, *t)
	if before.State.Running() && !t.State.Running() {
		teamdb.MailEnded(tx, *t, s.db.Now())
	}
	if before.State == db.Success && t.State == db.Failed { // it was never ready: nobody is told that it was
		tx.Exec(
			`DELETE FROM deliveries WHERE task_id = $1 AND type = 'video.ready' AND tries = 0 AND next_at IS NOT NULL AND leased_until IS NULL`,
			t.ID,
		)
	}
	if t.State == db.Rejected && before.State != db.Rejected {
		giveBackOnce(tx, *t)
	}
	if isOvercharged(*t) && !isOvercharged(before) {
		teamdb.Record(tx, audit.Entry{
			Action: audit.Overcharged, UserID: t.PayerID, What: inLists(*t), Before: db.CreditsOf(t.Reserved).String(),
			After: t.Charged.String(),
		})
	}
	if t.Charged.Known && t.Charged != before.Charged {
		stopProgram(tx, before, *t, s.db.Now())
	}
	reckon(tx, before, t)
	putMedia(tx, t)
	if t.Stack != 0 && t.Playable() && !before.Playable() {
		tellOfReadyTake(tx, *t, s.db.Now())
	}
}

// stopProgram stops the token with which the task was ordered, unless that was for any
// price, if the charge has become higher than what the program expected: the token's owner
// decides whether it may go on at higher prices.
func stopProgram(tx *engine.Tx, before, t db.Task, now time.Time) {
	var id int64
	var expected engine.Amount
	found := tx.Row(`
		SELECT program_id, coalesce(expected, $2) FROM program_tasks WHERE task_id = $1 AND any_price = 0`, t.ID,
		engine.Amount(t.Reserved)).Find(&id, &expected)
	most := float64(expected)
	if !found || t.Charged.Amount <= most || before.Charged.Known && before.Charged.Amount > most {
		return
	}
	for _, name := range engine.All(tx, engine.ScanValue[string], `
		UPDATE programs SET stopped_at = $1 WHERE id = $2 AND stopped_at IS NULL RETURNING name`, engine.Instant(now), id) {
		teamdb.Record(tx, audit.Entry{Action: audit.ProgramStopped, UserID: t.UserID, What: name,
			Before: db.CreditsOf(most).String(), After: t.Charged.String()})
	}
}

// inLists names the task in a list where amounts of real and of practice credits may stand
// below each other.
func inLists(t db.Task) string {
	if t.Practice {
		return fmt.Sprintf("practice video %d", t.ID)
	}
	return fmt.Sprintf("video %d", t.ID)
}

// isOvercharged reports whether the service charged more than was expected when the
// task was submitted.
func isOvercharged(t db.Task) bool {
	return t.Quoted.Known && t.Reserved > 0 && t.Charged.Known && t.Charged.Amount > t.Reserved
}

// differsByQuery reports whether a running task differs only in the columns that a status
// query changes. That is so for most updates.
func differsByQuery(before, after db.Task) bool {
	if after.State != db.Pending && after.State != db.Processing {
		return false
	}
	queried.Copy(&before, &after)
	return reflect.DeepEqual(before, after)
}

var queried = schema.Tasks.Part(schema.Queried)

var updateQueried = `UPDATE tasks SET ` + queried.Sets(2) + `, leased_by = '', leased_until = NULL WHERE id = $1`

// saveQueried is like SaveTask, for tasks of which differsByQuery is true. It does not touch
// the columns of most indexes and triggers, and so costs half as much.
func saveQueried(tx *engine.Tx, t *db.Task) {
	tx.Exec(updateQueried, queried.Values(t, t.ID)...)
}

const (
	// keptUnknown is how many answers with states that API.md does not name are kept
	// for each call of a task. The service may invent a new state each time.
	keptUnknown = 3

	// Answers are cut to this many bytes. The few that have a known state, and may hold
	// the addresses of the video, may be longer.
	longestAnswer  = 1 << 20
	longestUnknown = 64 << 10
)

var addedAnswer = schema.Answers.Part(schema.Added)

var insertAnswer = `
	INSERT INTO answers (` + addedAnswer.Names + `) VALUES (` + addedAnswer.Places(1) + `)
	ON CONFLICT (task_id, call, status) DO UPDATE SET ` + schema.Answers.Part(schema.Changed).Excluded() + `
	WHERE excluded.at >= answers.at`

// putAnswer stores the answer, in place of an older one to the same call that reported
// the same state.
func putAnswer(tx *engine.Tx, taskID int64, a db.Answer) {
	a.Status = engine.Cut(a.Status, 100)
	if known := db.State(a.Status).OfService(); known {
		a.Body = engine.Cut(a.Body, longestAnswer)
	} else {
		a.Body = engine.Cut(a.Body, longestUnknown)
	}
	a.TaskID = taskID
	tx.Exec(insertAnswer, addedAnswer.Values(&a)...)
	if !tx.OK() || a.Status == "" || db.State(a.Status).OfService() {
		return
	}
	tx.Exec(`
		DELETE FROM answers WHERE rowid IN (
			SELECT rowid FROM answers
			WHERE task_id = $1 AND call = $2 AND status NOT IN ('', 'pending', 'processing', 'success', 'failed', 'canceled')
			ORDER BY at DESC, rowid DESC LIMIT 1000000 OFFSET $3 + 0)`, taskID, a.Call, keptUnknown)
}

// Answers returns the service's answers about the task, the oldest first.
func (s *Tasks) Answers(ctx context.Context, taskID int64) ([]db.Answer, error) {
	return engine.ReadAll(ctx, s.db.Reads, "answers about "+engine.Task(taskID), schema.Answers.Scan(), `
		SELECT `+schema.Answers.Columns+`
		FROM answers WHERE task_id = $1
		ORDER BY at, rowid`, taskID)
}

// WordsOf returns the value of the column words of a task, by which its title and its
// prompt are searched.
func (s *Tasks) WordsOf(t db.Task) sql.NullString { return s.db.Words(wordsIn(t), t.Prompt) }
