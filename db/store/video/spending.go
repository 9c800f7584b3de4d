package video

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// spendingColumns has the column of the table usage for each dimension.
var spendingColumns = map[spending.Dimension]string{
	spending.ByPerson: "CAST(user_id AS TEXT)", spending.ByModel: "model", spending.ByKey: "CAST(key_id AS TEXT)", spending.ByOutcome: "outcome",
}

// Spending returns what was spent on each day for each value of the dimension, sorted
// by both, in such credits as count now: see kit.Counted.
func (s *Usage) Spending(ctx context.Context, f spending.Filter, by spending.Dimension) ([]spending.Sum, error) {
	column, ok := spendingColumns[by]
	if !ok {
		return nil, engine.About("usage by "+string(by), db.ErrNotFound)
	}
	where, args := usageWhere(f, "day", "user_id")
	where += " AND " + kit.Counted
	return engine.ReadAll(ctx, s.db.Reads, "usage", engine.ScanFields(spendingFields), `
		SELECT day, `+column+` AS share, CAST(sum(CASE WHEN outcome = 'success' THEN tasks ELSE 0 END) AS BIGINT), CAST(sum(tasks) AS BIGINT),
			CAST(sum(paid) AS BIGINT), CAST(sum(refunded) AS BIGINT), CAST(sum(CASE WHEN outcome = 'running' THEN paid - refunded ELSE 0 END) AS BIGINT)
		FROM usage WHERE `+where+`
		GROUP BY day, share ORDER BY day, share`, args...)
}

// MonthlySpending returns what was spent in each month, sorted by month, in such credits as
// count now. The months of f.First and f.Last count as a whole; Day is the first day of the
// month, and Of is empty. It reads totals by month, which are few.
func (s *Usage) MonthlySpending(ctx context.Context, f spending.Filter) ([]spending.Sum, error) {
	return s.monthly(ctx, f, kit.Counted)
}

// Apart is like MonthlySpending for the credits that do not count now.
func (s *Usage) Apart(ctx context.Context, f spending.Filter) (a spending.Apart, err error) {
	if a.Months, err = s.monthly(ctx, f, kit.Apart); err != nil || len(a.Months) == 0 {
		return a, err
	}
	a.Practice, err = engine.ReadValue[bool](ctx, s.db.Reads, "video service", `SELECT practice = 0 FROM services WHERE current = 1`)
	return a, err
}

func (s *Usage) monthly(ctx context.Context, f spending.Filter, which string) ([]spending.Sum, error) {
	f.First = monthOf(f.First)
	if f.Last != 0 {
		f.Last = monthOf(f.Last)
	}
	where, args := usageWhere(f, "month", "user_id")
	months, err := engine.ReadAll(ctx, s.db.Reads, "usage by month", engine.ScanFields(spendingFields), `
		SELECT month, '', CAST(sum(CASE WHEN outcome = 'success' THEN tasks ELSE 0 END) AS BIGINT), CAST(sum(tasks) AS BIGINT),
			CAST(sum(paid) AS BIGINT), CAST(sum(refunded) AS BIGINT), CAST(sum(CASE WHEN outcome = 'running' THEN paid - refunded ELSE 0 END) AS BIGINT)
		FROM usage_months WHERE `+where+` AND `+which+`
		GROUP BY month ORDER BY month`, args...)
	for i, m := range months {
		months[i].Day = db.DayOf(time.Date(int(m.Day/100), time.Month(m.Day%100), 1, 0, 0, 0, 0, time.UTC), time.UTC)
	}
	return months, err
}

// monthOf returns the month of the day as the totals have it, such as 202611.
func monthOf(day int64) int64 {
	at := time.Unix(day*24*60*60, 0).UTC()
	return int64(at.Year()*100 + int(at.Month()))
}

func spendingFields(s *spending.Sum) []any {
	return []any{&s.Day, &s.Of, &s.Videos, &s.Tasks, (*engine.Amount)(&s.Paid), (*engine.Amount)(&s.Refunded), (*engine.Amount)(&s.Running)}
}

// usageWhere returns the condition of the filter for the tables usage and usage_months,
// which hold totals, or for the table tasks. when is the column with the day or the
// month, as f.First and f.Last count it, and payer the column with the payer.
func usageWhere(f spending.Filter, when, payer string) (where string, args []any) {
	conditions := []string{when + " >= $1"}
	args = []any{f.First}
	add := func(condition string, value any) {
		args = append(args, value)
		conditions = append(conditions, strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(args))))
	}
	if f.Last != 0 {
		add(when+" <= ?", f.Last)
	}
	if len(f.People) > 0 {
		add(payer+" IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", engine.Listed(f.People))
	}
	if len(f.Keys) > 0 {
		add("key_id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", engine.Listed(f.Keys))
	}
	if len(f.Models) > 0 {
		add("model IN (SELECT CAST(value AS TEXT) FROM json_each(?))", engine.AsJSON(&f.Models))
	}
	if len(f.Outcomes) > 0 {
		add("outcome IN (SELECT CAST(value AS TEXT) FROM json_each(?))", engine.AsJSON(&f.Outcomes))
	}
	return strings.Join(conditions, " AND "), args
}

// receiptPage is how many receipts are read, and held in memory, at a time.
const receiptPage = 1000

// EachReceipt calls see for every video that matches the filter, the oldest first, with
// the details that the viewer may see. An error from see stops it and is returned
// unchanged.
func (s *Usage) EachReceipt(ctx context.Context, viewer int64, f spending.Filter, see func(spending.Receipt) error) error {
	where, args := usageWhere(f, "day", "payer")
	n := len(args)
	query := `
		SELECT t.id, t.created_at, t.day, t.user_id, u.name, p.name, t.scene, t.model, t.state, t.key_id, coalesce(k.name, ''),
			t.title, t.prompt, t.quoted, t.charged, t.returned, t.done_at, t.private, t.deleted_at, t.purged_at, coalesce(s.practice, 0)
		FROM (SELECT id FROM tasks WHERE ` + where + ` AND id > $` + strconv.Itoa(n+1) + ` ORDER BY id LIMIT ` + strconv.Itoa(receiptPage) + `) page
		JOIN tasks t ON t.id = page.id JOIN users u ON u.id = t.user_id JOIN users p ON p.id = t.payer
		LEFT JOIN team_keys k ON k.id = t.key_id LEFT JOIN services s ON s.id = t.service_id
		ORDER BY t.id`
	scan := func(rows *sql.Rows) (spending.Receipt, error) { return scanReceipt(rows, viewer) }
	for last := int64(0); ; {
		page, err := engine.ReadAll(ctx, s.db.Reads, "receipts", scan, query, append(args[:n:n], last)...)
		if err != nil {
			return err
		}
		for _, r := range page {
			if err := see(r); err != nil {
				return err
			}
			last = r.TaskID
		}
		if len(page) < receiptPage {
			return nil
		}
	}
}

func scanReceipt(rows *sql.Rows, viewer int64) (r spending.Receipt, err error) {
	var t db.Task
	var quoted, charged, returned engine.Credits
	err = rows.Scan(&r.TaskID, (*engine.Instant)(&r.CreatedAt), &r.Day, &r.MakerID, &r.Maker, &r.Payer, &r.Scene, &r.Model, &r.State, &r.KeyID, &r.Key,
		&r.Title, &r.Prompt, &quoted, &charged, &returned, (*engine.Instant)(&r.DoneAt), &t.Private, (*engine.Instant)(&t.DeletedAt), (*engine.Instant)(&t.PurgedAt), &r.Practice)
	r.Quoted, r.Paid, r.Refunded = known(quoted), known(charged), known(returned)
	t.UserID, t.State = r.MakerID, db.State(r.State)
	if r.Hidden = !t.VisibleTo(viewer); r.Hidden {
		r.Title, r.Prompt = "", ""
	}
	return r, err
}

// known returns the amount, or nil if it is not known.
func known(c engine.Credits) *float64 {
	if !c.Known {
		return nil
	}
	return &c.Amount
}
