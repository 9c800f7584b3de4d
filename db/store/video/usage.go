package video

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Usage stores what was spent on videos, in totals and in receipts.
type Usage struct {
	db *kit.DB
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
		days := engine.All(tx, engine.ScanFields(spentFields), `SELECT payer, day, service_id, CAST(sum(counted) AS BIGINT) FROM tasks GROUP BY payer, day, service_id ORDER BY payer, day, service_id`)
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
		userID, time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly), with, serviceID, outcome, has, paid, refunded, want, wantPaid, wantRefunded), err
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
