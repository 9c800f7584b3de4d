package proof_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/spending"
	"dailies/db/store"
)

// An earlier process is one of the version 723e357f, from before prices were awaited, which goes
// on beside this version while an upgrade rolls. Its statements are written out as that version
// sent them to Postgres.
type earlier struct {
	name string
	db   *sql.DB
}

// errRefused reports that the earlier process did not get the task: a limit is reached,
// another process has the task, or another call with the same key is under way.
var errRefused = errors.New("refused")

const earlierWriteLock = 0x6461696c6965

// within runs the function in a transaction that holds the lock of writes.
func (e earlier) within(ctx context.Context, lock string, do func(tx *sql.Tx) error) error {
	for {
		tx, err := e.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, lock, earlierWriteLock)
		if err == nil {
			err = do(tx)
		}
		if err == nil {
			return tx.Commit()
		}
		if undone := tx.Rollback(); undone != nil || sqlState(err) != "40P01" { // a deadlock is tried again
			return err
		}
	}
}

func sqlState(err error) string {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return state.SQLState()
	}
	return ""
}

const (
	alone  = `SELECT pg_advisory_xact_lock($1)`
	beside = `SELECT pg_advisory_xact_lock_shared($1)`
)

// press adds a task of the person, for a token if that is not 0. The price is that which the
// page knows.
func (e earlier) press(ctx context.Context, t db.Task, token int64) error {
	return e.within(ctx, alone, func(tx *sql.Tx) error {
		for _, id := range []int64{t.UserID, 0} {
			if _, err := tx.ExecContext(ctx, `
			INSERT INTO purses (user_id, presses) VALUES ($1, 1)
			ON CONFLICT (user_id) DO UPDATE SET presses = purses.presses + 1`, id); err != nil {
				return err
			}
		}
		var quoted any
		if t.Quoted.Known {
			quoted = int64(t.Quoted.Amount * 1000)
		}
		var id int64
		err := tx.QueryRowContext(ctx, `
		INSERT INTO tasks (user_id, form_token, scene, model, prompt, provider, pictures, options,
			quoted, state, created_at, next_at, parent_id, bond, batch, recipe_id, private, words, day, held, service_id, sent_prompt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, nullif(CAST($13 AS BIGINT), 0), $14, $15, nullif(CAST($16 AS BIGINT), 0), $17, $18, $19, $20, coalesce(nullif(CAST($21 AS BIGINT), 0), (SELECT id FROM services WHERE current = 1)), $22)
		ON CONFLICT (user_id, form_token) DO NOTHING
		RETURNING id`,
			t.UserID, t.FormToken, t.Scene, t.Model, t.Prompt, "", "[]", fmt.Sprintf(`{"resolution":%q}`, t.Options.Resolution),
			quoted, "queued", t.CreatedAt.UnixMilli(), t.CreatedAt.UnixMilli(), 0, "", "", 0, 0, nil, db.DayOf(t.CreatedAt, time.UTC),
			int64(t.Reserved*1000), 0, "").Scan(&id)
		if err != nil {
			return err
		}
		month := spending.MonthOf(t.CreatedAt, time.UTC)
		var role, allowance, teams, standard, unpriced string
		var credits, teamCredits, spent, teamSpent, allowed int64
		var self, once sql.NullInt64
		if err := tx.QueryRowContext(ctx, `
		SELECT u.role, coalesce(p.allowance, 'default'), coalesce(p.credits, 0), p.self, coalesce(t.allowance, 'none'), coalesce(t.credits, 0),
			coalesce((SELECT value FROM settings WHERE name = $3), ''), coalesce((SELECT value FROM settings WHERE name = $4), ''),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2 AND user_id = $1 AND service_id IN (SELECT id FROM services WHERE practice = (SELECT practice FROM services WHERE current = 1))),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2 AND service_id IN (SELECT id FROM services WHERE practice = (SELECT practice FROM services WHERE current = 1))),
			(SELECT CAST(coalesce(sum(credits), 0) AS BIGINT) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'month' AND unpriced = 0 AND ended_at IS NULL AND service_id IN (SELECT id FROM services WHERE practice = (SELECT practice FROM services WHERE current = 1))),
			(SELECT max(credits) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL AND service_id IN (SELECT id FROM services WHERE practice = (SELECT practice FROM services WHERE current = 1)))
		FROM users u LEFT JOIN purses p ON p.user_id = u.id LEFT JOIN purses t ON t.user_id = 0
		WHERE u.id = $1`, t.UserID, int64(month), "limit", "unknown price",
		).Scan(
			&role, &allowance, &credits, &self, &teams, &teamCredits, &standard, &unpriced, &spent, &teamSpent, &allowed, &once,
		); err != nil {
			return err
		}
		if teams == "own" && teamSpent > teamCredits || allowance == "own" && spent > credits { // the new task is in them
			return errRefused
		}
		if token == 0 {
			return nil
		}
		if _, err := tx.ExecContext(
			ctx, `INSERT INTO program_tasks (program_id, month, task_id, any_price) VALUES ($1, $2, $3, $4)`, token,
			int64(month), id, 1,
		); err != nil {
			return err
		}
		var limit int64
		if err := tx.QueryRowContext(
			ctx,
			`SELECT p.cap, (SELECT CAST(coalesce(sum(t.counted), 0) AS BIGINT) FROM program_tasks o JOIN tasks t ON t.id = o.task_id WHERE o.program_id = p.id AND o.month = $1 AND t.service_id IN (SELECT id FROM services WHERE practice = (SELECT practice FROM services WHERE current = 1))) FROM programs p WHERE p.id = $2`,
			int64(month), token,
		).Scan(&limit, &spent); err != nil {
			return err
		}
		if spent > limit || spent == limit && !t.Quoted.Known && t.Reserved == 0 {
			return errRefused
		}
		return nil
	})
}

// claim leases up to three tasks of different keys that wait to be sent.
func (e earlier) claim(ctx context.Context, now time.Time) (ids []int64, err error) {
	at := now.UnixMilli()
	err = e.within(ctx, alone, func(tx *sql.Tx) error {
		ids = nil
		due, err := idsIn(tx.QueryContext(ctx, `
	WITH RECURSIVE
	waiting (user_id) AS (
		SELECT min(user_id) FROM tasks WHERE state = 'queued' AND service_id = (SELECT id FROM services WHERE current = 1 AND held = 0)
		UNION ALL
		SELECT (SELECT min(user_id) FROM tasks WHERE state = 'queued' AND service_id = (SELECT id FROM services WHERE current = 1 AND held = 0) AND user_id > waiting.user_id)
		FROM waiting WHERE user_id IS NOT NULL
	),
	lane (user_id, name) AS MATERIALIZED (
		SELECT w.user_id, coalesce(
			(SELECT nullif(hex(k.fingerprint), '') FROM keys_in_use k WHERE k.user_id = w.user_id), 'user ' || w.user_id)
		FROM waiting w WHERE w.user_id IS NOT NULL
	),
		held (id) AS MATERIALIZED (SELECT CAST(value AS BIGINT) FROM each_of($3)),
		busy (name) AS MATERIALIZED (
			SELECT lane FROM create_calls
			UNION
			SELECT name FROM tasks JOIN lane USING (user_id)
			WHERE state = 'queued' AND leased_until > $1
			UNION
			SELECT name FROM held JOIN tasks USING (id) JOIN lane USING (user_id) WHERE state = 'queued'
		),
		head (id, turn, name) AS MATERIALIZED (
			SELECT (
				SELECT t.id FROM tasks t
				WHERE t.user_id = lane.user_id AND t.state = 'queued' AND service_id = (SELECT id FROM services WHERE current = 1 AND held = 0) AND t.next_at <= $1
					AND (t.leased_until IS NULL OR t.leased_until <= $1) AND t.id NOT IN (SELECT id FROM held)
				ORDER BY t.id LIMIT 1), coalesce(turn, 0), name
			FROM lane LEFT JOIN turns USING (user_id) WHERE name NOT IN (SELECT name FROM busy)
		)
		SELECT id FROM (
			SELECT id, turn, row_number() OVER (PARTITION BY name ORDER BY turn, id) AS place
			FROM head WHERE id IS NOT NULL
			ORDER BY place, turn, id LIMIT $2 + 0
		) first WHERE place = 1`, at, 3, "[]"))
		if err != nil || len(due) == 0 {
			return err
		}
		ids, err = idsIn(tx.QueryContext(ctx, `
			UPDATE tasks SET leased_by = $1, leased_until = $2
			WHERE id IN (SELECT CAST(value AS BIGINT) FROM each_of($3)) AND (leased_until IS NULL OR leased_until <= $4)
			RETURNING id`, e.name, at+3_600_000, listed(due), at))
		for _, id := range ids {
			if err == nil {
				_, err = tx.ExecContext(ctx, `
			INSERT INTO turns (user_id, turn) VALUES ((SELECT user_id FROM tasks WHERE id = $1), (SELECT coalesce(max(turn), 0) + 1 FROM turns))
			ON CONFLICT (user_id) DO UPDATE SET turn = excluded.turn`, id)
			}
		}
		return err
	})
	return ids, err
}

func listed(ids []int64) string {
	text := "["
	for i, id := range ids {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(id)
	}
	return text + "]"
}

func idsIn(rows *sql.Rows, err error) (ids []int64, _ error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

const saveTask = `
		UPDATE tasks SET
			state = $1, status = $2, remote_id = $3, upstream_id = $4, progress = $5, message = $6, blame = $7,
			quoted = $8, charged = $9, returned = $10,
			sent_at = $11, accepted_at = $12, done_at = $13, returned_at = $14, decided_at = $15,
			results = $16, keeping = $17, next_at = $18, asked = $19, stumbles = $20, refreshed_at = $21, copy_host = $22, failing_since = $23,
			leased_by = CASE WHEN $1 = 'sending' THEN leased_by ELSE '' END,
			leased_until = CASE WHEN $1 = 'sending' THEN leased_until END
		WHERE id = $24`

// save writes the state and the charge as the earlier version does.
func (e earlier) save(
	ctx context.Context, tx *sql.Tx, id int64, state db.State, remoteID string, charged any, sent, accepted, next any,
) error {
	var quoted sql.NullInt64
	if err := tx.QueryRowContext(ctx, `SELECT quoted FROM tasks WHERE id = $1`, id).Scan(&quoted); err != nil {
		return err
	}
	_, err := tx.ExecContext(
		ctx, saveTask, string(state), "", remoteID, "", 0.0, "", "", quoted, charged, nil, sent, accepted, nil, nil, nil,
		"null", "", next, 0, 0, nil, "", nil, id,
	)
	return err
}

// send begins the create call of the task, makes it and stores its outcome. It returns
// errRefused if no call may begin; then the lease has ended.
func (e earlier) send(ctx context.Context, k *till, id int64, now time.Time) error {
	err := e.within(ctx, beside, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT id FROM tasks WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		for _, statement := range []struct {
			text string
			args []any
		}{
			{`
		UPDATE tasks SET leased_by = $1, key_id = CAST($3 AS BIGINT) WHERE id = $2 AND leased_by IN ('', $1)`, []any{e.name, id, 0}},
			{`
		INSERT INTO create_calls (lane, task_id, process)
		VALUES (coalesce(nullif(hex(CAST($1 AS BYTEA)), ''), 'user ' || CAST((SELECT user_id FROM tasks WHERE id = $2) AS BIGINT)), $2, $3)
		ON CONFLICT DO NOTHING`, []any{[]byte{}, id, e.name}},
		} {
			done, err := tx.ExecContext(ctx, statement.text, statement.args...)
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil || n == 0 {
				return errors.Join(errRefused, err)
			}
		}
		return e.save(ctx, tx, id, db.Sending, "", nil, now.UnixMilli(), nil, nil)
	})
	if errors.Is(err, errRefused) {
		if _, ended := e.db.ExecContext(ctx, `
		UPDATE tasks SET leased_by = '', leased_until = NULL
		WHERE id = $1 AND leased_by = $2 AND leased_until IS NOT NULL AND state <> 'sending'`, id, e.name); ended != nil {
			return ended
		}
	}
	if err != nil {
		return err
	}
	reply, named := k.charge(id, now)
	time.Sleep(0) // let the others try
	k.end(named)
	return e.within(ctx, beside, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT id FROM tasks WHERE id = $1 FOR UPDATE`, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM create_calls WHERE task_id = $1`, id); err != nil {
			return err
		}
		var charged any
		if reply.Report.Charged.Known {
			charged = int64(reply.Report.Charged.Amount * 1000)
		}
		return e.save(
			ctx, tx, id, reply.State, reply.Report.RemoteID, charged, now.UnixMilli(), now.UnixMilli(),
			now.Add(time.Hour).UnixMilli(),
		)
	})
}

// sellBoth sends everything that may be sent, from this version's processes and the earlier
// one's at once, until nothing is queued.
func (r *racetrack) sellBoth(t *testing.T, k *till, e earlier, held bool) {
	t.Helper()
	for round := 0; ; round++ {
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				ids, err := e.claim(t.Context(), r.now)
				if err != nil {
					t.Error(err)
				}
				for _, id := range ids {
					if err := e.send(t.Context(), k, id, r.now); err != nil && !errors.Is(err, errRefused) {
						t.Error(err)
					}
				}
			})
		}
		for _, s := range r.stores {
			all.Go(func() {
				tasks, err := s.Leases.Claim(t.Context(), s.Process(), r.now, r.now.Add(time.Hour), schedule.Capacity{Send: 3})
				if err != nil {
					t.Error(err)
				}
				for _, task := range tasks {
					if err := r.send(t.Context(), s, s.Process(), k, task); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		queued, err := r.stores[0].Tasks.HasQueued(t.Context())
		if must(t, err); !queued || held && round > 20 || t.Failed() {
			return
		}
		if round > 1000 {
			t.Fatal("something stays queued")
		}
	}
}

// TestPurseBesideTheEarlierVersion orders and sends with this version and with that from before
// prices were awaited at the same moment. What is charged passes a limit by one video at most.
func TestPurseBesideTheEarlierVersion(t *testing.T) {
	const price, limit = 30, 100
	own := spending.Limit{Allowance: spending.Own, Credits: limit}
	first := func(call int) bool { return call == 1 }
	never := func(call int) bool { return true }
	for name, tt := range map[string]struct {
		loses, unpriced func(call int) bool
		whose           string
		past            bool    // the service has charged for a video with other options
		known           float64 // the price that the earlier version's pages know, which is wrong; 0 for none
		held            bool    // what is queued waits for ever
	}{
		"the team's limit":                {whose: "team"},
		"a person's limit":                {whose: "person"},
		"a token's limit":                 {whose: "token"},
		"a lost answer":                   {whose: "team", loses: first, past: true},
		"a lost answer, and nothing else": {whose: "team", loses: first, held: true},
		"all answers are lost":            {whose: "team", loses: never, past: true},
		"no answer names a price":         {whose: "team", unpriced: never, past: true},
		"the price is higher than known":  {whose: "team", past: true, known: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, times := newDatabase(t), presses()/4
			r := &racetrack{now: db.Now(), admin: db.User{Name: "Kim", Email: "kim@example.com", Password: "hash", Role: db.Admin}}
			r.stores, r.admin.CreatedAt = [2]*store.Store{open(t, address), open(t, address)}, r.now
			must(t, r.stores[0].Accounts.AddFirstUser(t.Context(), &r.admin))
			raw, err := sql.Open("pgx", address)
			must(t, err)
			t.Cleanup(func() { must(t, raw.Close()) })
			e, k := earlier{"earlier", raw}, &till{price: price, loses: tt.loses, unpriced: tt.unpriced}
			people := []db.User{r.joined(t), r.joined(t), r.joined(t)}
			if tt.past {
				r.charged(t, people[0], price)
			}
			before, _ := r.spent(t, people[0])
			token := int64(0)
			switch tt.whose {
			case "team":
				must(t, r.stores[0].Limits.SetOfTeam(t.Context(), spending.Limits{Team: db.CreditsOf(limit)}))
			case "person":
				must(t, r.stores[0].Limits.SetLimit(t.Context(), people[0].ID, own))
				people = people[:1]
			case "token":
				token = r.token(t, people[0], db.CreditsOf(limit))
				people = people[:1]
			}
			pressed := func(ctx context.Context, _ *store.Store, u db.User) error {
				task := r.unpriced(u)
				if tt.known != 0 {
					task.Options.Resolution, task.Quoted, task.Reserved = "720p", db.CreditsOf(tt.known), tt.known
				}
				err := e.press(ctx, task, token)
				if errors.Is(err, errRefused) {
					err = &spending.Over{}
				}
				return err
			}
			ways := []way{pressed, r.plain}
			if token != 0 {
				ways = []way{pressed, r.byToken(token, 40)}
			}
			for range 2 {
				r.crowd(t, times, people, ways...)
				r.sellBoth(t, k, e, tt.held)
			}
			sum := before + k.taken
			if sum >= limit+price || k.calls == 0 {
				t.Errorf("%g were charged in %d calls, of a limit of %d", sum, k.calls, limit)
			}
			if tt.held && k.calls != 1 {
				t.Errorf("%d videos were sent although nothing is known of the price", k.calls)
			}
			if k.early > 1 && tt.known == 0 {
				t.Errorf("%d videos were sent at once before a price was known", k.early)
			}
			t.Logf("%g charged of %d, in %d calls", sum, limit, k.calls)
		})
	}
}
