package video

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"dailies/db/store/engine"
)

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

// A spentSum is what a total of usage adds up. The credits are in thousandths.
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
	add(`SELECT month, user_id, model, outcome, key_id, service_id, tasks, paid, refunded FROM usage_months`, -1, func(month int64) int64 { return month })
	for of, off := range sums {
		if off != (spentSum{}) && len(wrong) < 100 {
			wrong = append(wrong, fmt.Sprintf("usage of person %d in %d-%02d with %s and key %d at service %d, %s: the days have %d videos, %g paid and %g returned more than the month",
				of.userID, of.month/100, of.month%100, of.model, of.keyID, of.serviceID, of.outcome, off.tasks, float64(off.paid)/1000, float64(off.refunded)/1000))
		}
	}
	slices.Sort(wrong)
	return wrong
}
