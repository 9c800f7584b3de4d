package video

import (
	"context"
	"fmt"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// A video whose price is not known holds nothing while it is queued. Until the service has
// told its price, no other video under a limit that applies to it is sent, so that the sum
// charged passes a limit by one video at most. Claim leaves the others alone, and SendTask
// decides.

// unpricedCall is the condition for tasks f whose create call has begun although their
// price is not known. The calls of the team's other kind of service count in no limit.
const unpricedCall = `f.state = 'sending' AND f.quoted IS NULL AND f.held = 0 AND f.` + schema.Counted

// vagueCharge is the condition for tasks f that the service may have charged, but whose
// price it has not named. Nothing counts for them, because it has never charged anything.
const vagueCharge = `f.service_id = ` + schema.SendingService +
	` AND f.quoted IS NULL AND f.charged IS NULL AND f.state IN ('pending', 'processing', 'unconfirmed')
	AND (f.state <> 'unconfirmed' OR f.decided_at IS NULL) AND f.held = 0
	AND (SELECT d.id FROM tasks d WHERE d.service_id = f.service_id AND d.charged IS NOT NULL AND d.charged > 0 ORDER BY d.charged DESC LIMIT 1) IS NULL`

// awaited continues the query that begins with the constant waiting. It has who waits for
// the price of which task: limited the people with a limit, flying and vague the tasks
// whose price is awaited, shut the people of whose tasks none may be sent, and unsure
// those of whose tasks only those with a known price may be. stopped has the tokens of
// whose tasks none may be sent (whole is 1), or only those with a known price.
const awaited = `
	flying (payer, program_id) AS MATERIALIZED (
		SELECT f.payer, coalesce(o.program_id, 0) FROM tasks f INDEXED BY tasks_sending LEFT JOIN program_tasks o ON o.task_id = f.id
		WHERE ` + unpricedCall + `
	),
	vague (payer, program_id) AS MATERIALIZED (
		SELECT f.payer, coalesce(o.program_id, 0) FROM tasks f INDEXED BY tasks_unpriced LEFT JOIN program_tasks o ON o.task_id = f.id
		WHERE ` + vagueCharge + `
	),
	limited (user_id) AS MATERIALIZED (
		SELECT l.user_id FROM lane l LEFT JOIN purses p ON p.user_id = l.user_id
		WHERE p.self IS NOT NULL OR p.allowance = 'own'
			OR coalesce(p.allowance, 'default') = 'default' AND EXISTS (SELECT 1 FROM settings WHERE name = '` + teamdb.LimitSetting + `' AND value <> '')
	),
	team (has) AS MATERIALIZED (SELECT count(*) FROM purses WHERE user_id = 0 AND allowance = 'own'),
	shut (user_id) AS MATERIALIZED (
		SELECT l.user_id FROM lane l WHERE EXISTS (SELECT 1 FROM flying)
			AND ((SELECT has FROM team) > 0 OR l.user_id IN (SELECT payer FROM flying) AND l.user_id IN (SELECT user_id FROM limited))
	),
	unsure (user_id) AS MATERIALIZED (
		SELECT l.user_id FROM lane l WHERE EXISTS (SELECT 1 FROM vague)
			AND ((SELECT has FROM team) > 0 OR l.user_id IN (SELECT payer FROM vague) AND l.user_id IN (SELECT user_id FROM limited))
	),
	stopped (id, whole) AS MATERIALIZED (
		SELECT p.id, CASE WHEN p.id IN (SELECT program_id FROM flying) THEN 1 ELSE 0 END FROM programs p
		WHERE p.id IN (SELECT program_id FROM flying UNION ALL SELECT program_id FROM vague) AND p.uncapped = 0
	),`

// inTurn is the condition for a queued task t that need not wait for the price of another:
// see awaited.
const inTurn = `(t.quoted IS NOT NULL OR t.user_id NOT IN (SELECT user_id FROM unsure))
	AND NOT (EXISTS (SELECT 1 FROM stopped) AND EXISTS (
		SELECT 1 FROM program_tasks o JOIN stopped ON stopped.id = o.program_id
		WHERE o.task_id = t.id AND (stopped.whole = 1 OR t.quoted IS NULL)))`

// AwaitPrice returns those of the tasks that are queued and wait for the price of another one.
func (s *Leases) AwaitPrice(ctx context.Context, ids ...int64) ([]int64, error) {
	return engine.ReadAll(ctx, s.db.Reads, "tasks that wait for a price", engine.ScanValue[int64], `
		WITH lane (user_id) AS MATERIALIZED (
			SELECT DISTINCT user_id FROM tasks WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND state = 'queued'
		),`+awaited+`
		asked (id) AS (SELECT CAST(value AS BIGINT) FROM json_each($1))
		SELECT t.id FROM asked JOIN tasks t ON t.id = asked.id
		WHERE t.state = 'queued' AND (t.user_id IN (SELECT user_id FROM shut) OR NOT (`+inTurn+`))`, engine.Listed(ids))
}

// ErrAwaitsPrice says that a task is not sent before the price of another one is known.
var ErrAwaitsPrice = fmt.Errorf("it waits for the price of another video: %w", db.ErrConflict)

// admit checks, in the transaction in which the create call of the queued task begins,
// that the task need not wait for the price of another one, and that the limits leave
// enough for it. From then on the task holds the highest price that is known of videos with
// its options, or nothing. It returns ErrAwaitsPrice, or a *spending.Reached. Where no limit
// applies, it does nothing.
func (s *Calls) admit(tx *engine.Tx, t *db.Task) {
	p := s.purseOf(tx, *t)
	if !tx.OK() || !p.isLimited() {
		return
	}
	if p.token.id != 0 || p.budget.Limit.Known || p.budget.Self.Known {
		teamdb.LockPurse(tx, t.PayerID)
	}
	if p.budget.Team.Known {
		teamdb.LockPurse(tx, teamdb.TeamPurse)
	}
	p = s.purseOf(tx, *t) // other processes may have spent meanwhile
	tx.Require(!p.contains(tx, "f INDEXED BY tasks_sending", unpricedCall), ErrAwaitsPrice)
	cost, reserved := db.Credits{}, t.Reserved
	if t.Quoted.Known {
		cost = db.CreditsOf(t.Reserved)
	}
	if e := estimate(tx, *t); tx.OK() && e.Typical.Known && !e.Loose {
		cost = db.CreditsOf(max(cost.Amount, e.High))
	}
	if tx.OK() && !cost.Known {
		tx.Require(!p.contains(tx, "f INDEXED BY tasks_unpriced", vagueCharge), ErrAwaitsPrice)
	}
	if !tx.OK() || t.Quoted.Known && cost.Amount == reserved {
		return
	}
	if reached := p.reached(cost); tx.OK() && reached != nil {
		tx.Check(reached)
	}
	if t.Reserved = cost.Amount; t.Reserved == reserved {
		return
	}
	tx.Exec(`UPDATE tasks SET held = $1 WHERE id = $2`, engine.Amount(t.Reserved), t.ID)
	if !t.Quoted.Known { // the previous version has kept in held what a program expects
		tx.Exec(`UPDATE program_tasks SET expected = $1 WHERE task_id = $2 AND expected IS NULL`, engine.Amount(reserved), t.ID)
	}
}

// A purse is what the limits leave for a queued task: those of its payer and of the team,
// and that of the token with which it was ordered.
type purse struct {
	taskID int64
	budget spending.Budget
	token  struct {
		id         int64 // 0 if the token has no limit of its own, or there is none
		name       string
		cap, spent float64
	}
}

// purseOf returns the purse of the queued task, without what the task itself holds.
func (s *Calls) purseOf(tx *engine.Tx, t db.Task) purse {
	p := purse{taskID: t.ID, budget: teamdb.Budget(tx, t.PayerID, s.db.Month(tx, t.CreatedAt))}
	p.budget.Limit.Amount += usedOnce(tx, t)
	p.budget.Spent, p.budget.TeamHas = p.budget.Spent-t.Reserved, p.budget.TeamHas-t.Reserved
	k := &p.token
	tx.Row(`
		SELECT p.id, p.name, p.cap, (
			SELECT CAST(coalesce(sum(t.counted), 0) AS BIGINT) FROM program_tasks o JOIN tasks t ON t.id = o.task_id
			WHERE o.program_id = p.id AND o.month = mine.month AND t.`+schema.Counted+`)
		FROM program_tasks mine JOIN programs p ON p.id = mine.program_id WHERE mine.task_id = $1 AND p.uncapped = 0`, t.ID,
	).Find(&k.id, (*engine.Named)(&k.name), (*engine.Amount)(&k.cap), (*engine.Amount)(&k.spent))
	k.spent -= t.Reserved
	return p
}

// usedOnce returns how much the payer may spend beyond the limit, because the submission of
// the task has used what was allowed once.
func usedOnce(tx *engine.Tx, t db.Task) float64 {
	return float64(engine.Value[engine.Amount](tx, `
		SELECT coalesce(max(a.credits), 0) FROM asks a JOIN tasks f ON f.id = a.task_id
		WHERE a.user_id = $1 AND a.answer = 'once' AND a.unpriced = 0 AND a.used_at IS NOT NULL AND (f.id = $2 OR f.batch = $3 AND $3 <> '')`,
		t.PayerID, t.ID, t.Batch))
}

func (p purse) isLimited() bool { return p.token.id != 0 || p.budget.IsLimited() }

// contains reports whether any other task of the table, which names it f, that meets the
// condition is under one of the limits.
func (p purse) contains(tx *engine.Tx, table, condition string) bool {
	return engine.Value[bool](tx, `
		SELECT EXISTS (
			SELECT 1 FROM tasks `+table+` LEFT JOIN program_tasks o ON o.task_id = f.id
			WHERE `+condition+` AND f.id <> $1 AND (CAST($2 AS BIGINT) = 1 OR f.payer = $3 OR o.program_id = $4))`,
		p.taskID, p.budget.Team.Known, p.payer(), p.token.id)
}

// payer returns the ID of the payer if they have a limit, or 0.
func (p purse) payer() int64 {
	if p.budget.Limit.Known || p.budget.Self.Known {
		return p.budget.UserID
	}
	return 0
}

// reached returns which limit leaves too little for the cost, or nil.
func (p purse) reached(cost db.Credits) *spending.Reached {
	if p.token.id == 0 {
		return p.budget.Exceeded(cost)
	}
	r := spending.Budget{Self: db.CreditsOf(p.token.cap), Spent: p.token.spent}.Exceeded(cost)
	if r != nil {
		r.Whose, r.Token = spending.Nobody, p.token.name
		return r
	}
	return p.budget.Exceeded(cost)
}

// namelessEnd is the condition for tasks f that have ended without a price or a charge that
// the service has named, and whose credits do not come back: see the column counted. $2 is the
// service, and $3 a task of these days: those of earlier months count in no limit any more.
const namelessEnd = `f.service_id = $2 AND f.quoted IS NULL AND f.charged IS NULL AND f.state IN ('success', 'canceled', 'failed')
	AND (f.state <> 'failed' OR f.status = 'success' OR f.blame = 'service') AND f.day > (SELECT o.day FROM tasks o WHERE o.id = $3) - 31`

// reckon counts a task whose price is not known, and of which the service has named no
// charge when it answered, as the dearest video of that service. It raises what such tasks
// hold when a dearer one is charged.
func reckon(tx *engine.Tx, before db.Task, t *db.Task) {
	switch {
	case t.Charged.Known && t.Charged.Amount > before.Charged.Amount:
		tx.Exec(`
			UPDATE tasks SET held = $1 WHERE id IN (
				SELECT f.id FROM tasks f INDEXED BY tasks_unpriced
				WHERE f.service_id = $2 AND f.quoted IS NULL AND f.charged IS NULL AND f.state IN ('pending', 'processing', 'unconfirmed') AND f.held < $1)`,
			engine.Amount(t.Charged.Amount), t.ServiceID)
		tx.Exec(`UPDATE tasks SET held = $1 WHERE id IN (SELECT f.id FROM tasks f INDEXED BY tasks_unnamed WHERE `+
			namelessEnd+` AND f.held < $1)`,
			engine.Amount(t.Charged.Amount), t.ServiceID, t.ID)
	case !t.Charged.Known && !t.Quoted.Known && t.Reserved == 0 && isAnswered(before, *t):
		var held engine.Amount
		if !tx.Row(`SELECT f.charged FROM tasks f WHERE f.service_id = $1 AND f.charged IS NOT NULL ORDER BY f.charged DESC LIMIT 1`,
			t.ServiceID).Find(&held) {
			return
		}
		t.Reserved = float64(held)
		tx.Exec(`UPDATE tasks SET held = $1 WHERE id = $2`, held, t.ID)
	}
}

// isAnswered reports whether the change is that the task's create call is over, and that it
// may have been charged.
func isAnswered(before, after db.Task) bool {
	unanswered := func(t db.Task) bool { return t.State == db.Queued || t.State == db.Sending }
	return unanswered(before) && !unanswered(after) && after.State != db.Rejected
}

// raise returns what the new task holds: at least the highest price of the newest videos
// with its options, which may have cost more than its known price. The prices of one
// submission are read once for each kind of task.
func (s *Tasks) raise(tx *engine.Tx, t db.Task, known map[string]float64) float64 {
	if !t.Quoted.Known {
		return 0
	}
	kind := fmt.Sprintln(t.Model, t.Scene, t.Options.Duration, t.Options.Resolution, audio(t.Options))
	high, found := known[kind]
	if !found {
		if e := estimate(tx, t); tx.OK() && !e.Loose {
			high = e.High
		}
		known[kind] = high
	}
	return max(t.Reserved, high)
}

// giveBackOnce makes what was allowed once available again after the service has
// rejected the task and all others of its batch, so that they cost nothing. It looks at
// the few permits of the payer before it looks at the batch, which may be large, and at
// the batch from its end, because its tasks are sent in order.
func giveBackOnce(tx *engine.Tx, t db.Task) {
	used := engine.All(tx, engine.ScanValue[int64], `
		SELECT a.id FROM asks a JOIN tasks t ON t.id = a.task_id
		WHERE a.user_id = $1 AND (t.id = $2 OR t.batch = $3 AND $3 <> '')`, t.PayerID, t.ID, t.Batch)
	if !tx.OK() || len(used) == 0 {
		return
	}
	if t.Batch != "" {
		paid := engine.Value[bool](tx, `
			SELECT EXISTS (
				SELECT 1 FROM tasks INDEXED BY tasks_batch WHERE batch = $1 AND batch <> '' AND state <> 'rejected'
				ORDER BY id DESC LIMIT 1)`, t.Batch)
		if !tx.OK() || paid {
			return
		}
	}
	tx.Exec(`
		UPDATE asks SET used_at = NULL, task_id = NULL WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))`, engine.Listed(used))
}
