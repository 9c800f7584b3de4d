package video

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// spendingColumns has the column of the table usage for each dimension.
var spendingColumns = map[spending.Dimension]string{
	spending.ByPerson: "CAST(user_id AS TEXT)", spending.ByModel: "model", spending.ByKey: "CAST(key_id AS TEXT)",
	spending.ByOutcome: "outcome",
}

// Spending returns what was spent on each day for each value of the dimension, sorted
// by both, in such credits as count now: see schema.Counted.
func (s *Usage) Spending(ctx context.Context, f spending.Filter, by spending.Dimension) ([]spending.Sum, error) {
	column, ok := spendingColumns[by]
	if !ok {
		return nil, engine.About("usage by "+string(by), db.ErrNotFound)
	}
	where, args := usageWhere(f, "day", "user_id")
	where += " AND " + schema.Counted
	return engine.ReadAll(ctx, s.db.Reads, "usage", sums.Scan(placeOfSum), `
		SELECT `+sums.Columns+`, day, `+column+` AS share
		FROM usage WHERE `+where+`
		GROUP BY day, share ORDER BY day, share`, args...)
}

// MonthlySpending returns what was spent in each month, sorted by month, in such credits as
// count now. The months of f.First and f.Last count as a whole; Day is the first day of the
// month, and Of is empty. It reads totals by month, which are few.
func (s *Usage) MonthlySpending(ctx context.Context, f spending.Filter) ([]spending.Sum, error) {
	return s.monthly(ctx, f, schema.Counted)
}

// OtherCredits is like MonthlySpending for the credits that do not count now.
func (s *Usage) OtherCredits(ctx context.Context, f spending.Filter) (a spending.OtherCredits, err error) {
	if a.Months, err = s.monthly(ctx, f, schema.OtherCredits); err != nil || len(a.Months) == 0 {
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
	months, err := engine.ReadAll(ctx, s.db.Reads, "usage by month", sums.Scan(placeOfSum), `
		SELECT `+sums.Columns+`, month, ''
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

// sums are the sums over rows of usage, or of usage_months.
var sums = engine.NewTable("usage", func(s *spending.Sum, c *engine.Columns) {
	c.Computed(`CAST(sum(CASE WHEN outcome = 'success' THEN tasks ELSE 0 END) AS BIGINT)`, &s.Videos)
	c.Computed(`CAST(sum(tasks) AS BIGINT)`, &s.Tasks).Computed(`CAST(sum(paid) AS BIGINT)`, (*engine.Amount)(&s.Paid))
	c.Computed(`CAST(sum(refunded) AS BIGINT)`, (*engine.Amount)(&s.Refunded))
	c.Computed(`CAST(sum(CASE WHEN outcome = 'running' THEN paid - refunded ELSE 0 END) AS BIGINT)`, (*engine.Amount)(&s.Running))
})

func placeOfSum(s *spending.Sum) []any { return []any{&s.Day, &s.Of} }

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
	err = rows.Scan(&r.TaskID, (*engine.Instant)(&r.CreatedAt), &r.Day, &r.MakerID, &r.Maker, &r.Payer, &r.Scene,
		&r.Model, &r.State, &r.KeyID, &r.Key,
		&r.Title, &r.Prompt, &quoted, &charged, &returned, (*engine.Instant)(&r.DoneAt), &t.Private,
		(*engine.Instant)(&t.DeletedAt), (*engine.Instant)(&t.PurgedAt), &r.Practice)
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

// Usage stores what was spent on videos, in totals and in receipts.
type Usage struct {
	db *teamdb.DB
}

// WrongUsage returns a sentence for each total of usage, or of what the limits count,
// that differs from the sum over the tasks: at most 100 of each.
func (s *Usage) WrongUsage(ctx context.Context) (wrong []string, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		wrong = engine.All(tx, scanWrongUsage, `
			WITH told AS (
				SELECT payer AS user_id, day, model, outcome, key_id, service_id, count(*) AS tasks, CAST(sum(paid) AS BIGINT) AS paid, CAST(sum(refunded) AS BIGINT) AS refunded
				FROM tasks GROUP BY payer, day, model, outcome, key_id, service_id
			)
			SELECT coalesce(t.user_id, u.user_id), coalesce(t.day, u.day), coalesce(t.model, u.model), coalesce(t.outcome, u.outcome), coalesce(t.key_id, u.key_id), coalesce(t.service_id, u.service_id),
				coalesce(u.tasks, 0), coalesce(t.tasks, 0), coalesce(u.paid, 0), coalesce(t.paid, 0), coalesce(u.refunded, 0), coalesce(t.refunded, 0)
			FROM told t FULL JOIN usage u USING (user_id, day, model, outcome, key_id, service_id)
			WHERE u.tasks IS DISTINCT FROM t.tasks OR u.paid <> t.paid OR u.refunded <> t.refunded
			ORDER BY 1, 2, 3, 4, 5, 6 LIMIT 100`)
		days := engine.All(
			tx, engine.ScanFields(spentFields),
			`SELECT payer, day, service_id, CAST(sum(counted) AS BIGINT) FROM tasks GROUP BY payer, day, service_id ORDER BY payer, day, service_id`,
		)
		months := engine.All(tx, engine.ScanFields(spentFields), `SELECT user_id, month, service_id, counted FROM spent`)
		wrong = append(wrong, wrongSpent(days, months)...)
	})
	return wrong, engine.About("usage", err)
}

func scanWrongUsage(rows *sql.Rows) (string, error) {
	var userID, day, keyID, serviceID, has, want int64
	var model, outcome string
	var paid, wantPaid, refunded, wantRefunded engine.Amount
	err := rows.Scan(&userID, &day, &model, &outcome, &keyID, &serviceID, &has, &want, &paid, &wantPaid, &refunded, &wantRefunded)
	with := model
	if keyID != 0 {
		with = fmt.Sprintf("%s and key %d of the team", model, keyID)
	}
	return fmt.Sprintf("usage of person %d on %s with %s at service %d, %s: %d videos, %g paid, %g returned, but the videos say %d, %g, %g",
		userID, time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly), with, serviceID, outcome, has, paid, refunded,
		want, wantPaid, wantRefunded), err
}

// A spentTotal is a sum of credits that counts against the spending limits: that of all
// videos which one person made at one video service, in one day or one month.
type spentTotal struct {
	userID, span int64 // span is a day as db.DayOf counts them, or a month such as 202611
	serviceID    int64
	counted      int64 // thousandths of a credit
}

func spentFields(s *spentTotal) []any {
	return []any{&s.userID, &s.span, &s.serviceID, &s.counted}
}

// wrongSpent compares the totals of months with the sums of days, and returns a
// sentence for each difference.
func wrongSpent(days, months []spentTotal) (wrong []string) {
	type place struct{ userID, month, serviceID int64 }
	want, has := map[place]int64{}, map[place]int64{}
	for _, d := range days {
		want[place{d.userID, monthOf(d.span), d.serviceID}] += d.counted
	}
	for _, m := range months {
		has[place{m.userID, m.span, m.serviceID}] += m.counted
	}
	for _, p := range slices.SortedFunc(maps.Keys(union(want, has)), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.userID, b.userID), cmp.Compare(a.month, b.month), cmp.Compare(a.serviceID, b.serviceID))
	}) {
		if want[p] != has[p] && len(wrong) < 100 {
			wrong = append(wrong, fmt.Sprintf("what the limits count of person %d in %d-%02d at service %d: %g, but the videos say %g",
				p.userID, p.month/100, p.month%100, p.serviceID, float64(has[p])/1000, float64(want[p])/1000))
		}
	}
	return wrong
}

// union returns a map with the keys of both.
func union[K comparable, V any](a, b map[K]V) map[K]V {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// WrongTotals returns a sentence for each total that triggers keep and that differs
// from the rows it stands for: the size of all files, the number of videos in each
// collection, those that menus of the gallery count, and the usage by month. There are at most 100 of each.
func (s *Usage) WrongTotals(ctx context.Context) ([]string, error) {
	return engine.Read(ctx, s.db, "totals", func(tx *engine.Tx) []string {
		return slices.Concat(wrongBytes(tx), wrongCollections(tx), wrongMenus(tx), wrongMonths(tx))
	})
}

func wrongBytes(tx *engine.Tx) []string {
	return engine.All(tx, func(rows *sql.Rows) (string, error) {
		var has, want int64
		err := rows.Scan(&has, &want)
		return fmt.Sprintf("size of all files: %d bytes, but the files say %d", has, want), err
	}, `
		SELECT has, want FROM (
			SELECT (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM kept_bytes) AS has,
				(SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM (SELECT size FROM media UNION ALL SELECT size FROM pictures) file) AS want
		) total WHERE has <> want`)
}

func wrongCollections(tx *engine.Tx) []string {
	return engine.All(tx, func(rows *sql.Rows) (string, error) {
		var collectionID, userID, has, want int64
		err := rows.Scan(&collectionID, &userID, &has, &want)
		whose := "that the team may see"
		if userID != 0 {
			whose = fmt.Sprintf("that only person %d may see", userID)
		}
		return fmt.Sprintf("videos in collection %d %s: %d, but the collection says %d", collectionID, whose, has, want), err
	}, `
		WITH told AS (
			SELECT k.collection_id, CASE WHEN g.team = 1 THEN 0 ELSE g.user_id END AS user_id, count(*) AS videos
			FROM collection_tasks k JOIN gallery g ON g.id = k.task_id
			GROUP BY 1, 2
		)
		SELECT coalesce(t.collection_id, c.collection_id), coalesce(t.user_id, c.user_id), coalesce(c.videos, 0), coalesce(t.videos, 0)
		FROM told t FULL JOIN collection_counts c ON c.collection_id = t.collection_id AND c.user_id = t.user_id
		WHERE coalesce(c.videos, 0) <> coalesce(t.videos, 0)
		ORDER BY 1, 2 LIMIT 100`)
}

func wrongMenus(tx *engine.Tx) (wrong []string) {
	for _, of := range []struct{ what, choice, kept, from string }{
		{"of a scene, model and ratio", "scene || ' ' || model || ' ' || aspect_ratio", "kind_counts", "gallery g"},
		{"of a maker", "CAST(user_id AS TEXT)", "maker_counts", "gallery g"},
		{"with a tag", "CAST(tag_id AS TEXT)", "tag_counts", "task_tags l JOIN gallery g ON g.id = l.task_id"},
		{"with a member of the cast", "CAST(member_id AS TEXT)", "cast_counts", "task_cast l JOIN gallery g ON g.id = l.task_id"},
		{"of a day", "CAST(day AS TEXT)", "day_counts", "(SELECT team, created_at / 86400000 AS day FROM gallery) g"},
	} {
		wrong = append(wrong, engine.All(tx, func(rows *sql.Rows) (string, error) {
			var choice string
			var has, want int64
			err := rows.Scan(&choice, &has, &want)
			return fmt.Sprintf("videos %s (%s) that the team may see: %d, but the menu says %d", of.what, choice, want, has), err
		}, `
			WITH kept AS (SELECT `+of.choice+` AS choice, sum(videos) AS videos FROM `+of.kept+` GROUP BY 1),
				told AS (SELECT `+of.choice+` AS choice, count(*) AS videos FROM `+of.from+` WHERE g.team = 1 GROUP BY 1)
			SELECT coalesce(t.choice, k.choice), CAST(coalesce(k.videos, 0) AS BIGINT), CAST(coalesce(t.videos, 0) AS BIGINT)
			FROM told t FULL JOIN kept k ON k.choice = t.choice
			WHERE coalesce(k.videos, 0) <> coalesce(t.videos, 0)
			ORDER BY 1 LIMIT 100`)...)
	}
	return wrong
}

// A monthTotal is the usage of one person in a month with a model, an outcome, a key and a
// service.
type monthTotal struct {
	month, userID, keyID, serviceID int64
	model, outcome                  string
}

// A spentSum is the number of videos of a day or a month, and the credits that were paid
// for them and returned, in thousandths.
type spentSum struct{ tasks, paid, refunded int64 }

// wrongMonths adds up the days of each month, and compares the sums with usage_months.
// The totals of days are compared with the tasks by WrongUsage.
func wrongMonths(tx *engine.Tx) (wrong []string) {
	sums := map[monthTotal]spentSum{}
	add := func(query string, sign int64, toMonth func(int64) int64) {
		tx.Each(func(rows *sql.Rows) error {
			var of monthTotal
			var sum spentSum
			err := rows.Scan(&of.month, &of.userID, &of.model, &of.outcome, &of.keyID, &of.serviceID, &sum.tasks, &sum.paid, &sum.refunded)
			of.month = toMonth(of.month)
			before := sums[of]
			sums[of] = spentSum{before.tasks + sign*sum.tasks, before.paid + sign*sum.paid, before.refunded + sign*sum.refunded}
			return err
		}, query)
	}
	add(`SELECT day, user_id, model, outcome, key_id, service_id, tasks, paid, refunded FROM usage`, 1, monthOf)
	add(`SELECT month, user_id, model, outcome, key_id, service_id, tasks, paid, refunded FROM usage_months`,
		-1, func(month int64) int64 { return month })
	for of, off := range sums {
		if off != (spentSum{}) && len(wrong) < 100 {
			wrong = append(wrong,
				fmt.Sprintf("usage of person %d in %d-%02d with %s and key %d at service %d, %s: the days have %d videos, %g paid and %g returned more than the month",
					of.userID, of.month/100, of.month%100, of.model, of.keyID, of.serviceID, of.outcome, off.tasks,
					float64(off.paid)/1000, float64(off.refunded)/1000))
		}
	}
	slices.Sort(wrong)
	return wrong
}
