package video

import (
	"cmp"
	"context"
	"slices"
	"time"

	"dailies/db/review"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

// Approvals returns what guests decided about each of the videos that they were asked about,
// by the video's ID. While nobody was ever asked, that is one look into two indexes.
func (s *Guests) Approvals(ctx context.Context, taskIDs []int64, now time.Time) (map[int64]review.Approval, error) {
	if len(taskIDs) == 0 {
		return nil, nil
	}
	return engine.Read(ctx, s.db, "answers of guests", func(tx *engine.Tx) map[int64]review.Approval {
		var answered bool
		var a asking
		tx.Row(`
			SELECT EXISTS (SELECT 1 FROM shares s WHERE `+decidingAt1+`), EXISTS (SELECT 1 FROM verdicts),
				EXISTS (SELECT 1 FROM shares s WHERE `+decidingAt1+` AND s.story = 1),
				EXISTS (SELECT 1 FROM shares s WHERE `+decidingAt1+` AND s.takes = 1) OR EXISTS (SELECT 1 FROM shared_takes)`,
			engine.Instant(now)).Scan(&a.asked, &answered, &a.stories, &a.takes)
		found := map[int64]review.Approval{}
		if !tx.OK() {
			return nil
		}
		if answered {
			for _, v := range verdicts(tx, taskIDs) {
				approval := found[v.TaskID]
				approval.Verdicts = append(approval.Verdicts, v)
				found[v.TaskID] = approval
			}
		}
		if tx.OK() && a.asked {
			a.silent(tx, taskIDs, now, found)
		}
		return found
	})
}

// asking says what the working links that let guests decide have: only that is looked for.
type asking struct {
	asked   bool // there is one
	stories bool // one is to a storyline
	takes   bool // one shows takes
}

// A question is a video on a link that lets guests decide.
type question struct{ shareID, taskID int64 }

// silent adds which of the videos guests were asked about, and who of them has not decided. They
// are asked about each take that a link shows.
func (a asking) silent(tx *engine.Tx, taskIDs []int64, now time.Time, found map[int64]review.Approval) {
	questions := a.questions(tx, taskIDs, now)
	var shareIDs []int64
	for _, q := range questions {
		shareIDs = append(shareIDs, q.shareID)
	}
	guests := map[int64][]review.Guest{} // by link
	if len(shareIDs) > 0 {
		for _, g := range engine.All(tx, schema.Guests.Scan(), `
			SELECT `+schema.Guests.Columns+` FROM guests c WHERE c.share_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY c.id`,
			engine.AsJSON(&shareIDs)) {
			guests[g.ShareID] = append(guests[g.ShareID], g)
		}
	}
	seen := map[question]bool{}
	for _, q := range questions {
		if seen[q] {
			continue
		}
		seen[q] = true
		approval := found[q.taskID]
		approval.Asked = true
		for _, g := range guests[q.shareID] {
			if !approval.HasDecided(g.ID) {
				approval.Silent = append(approval.Silent, g)
			}
		}
		found[q.taskID] = approval
	}
	for id, approval := range found {
		slices.SortFunc(approval.Silent, func(a, b review.Guest) int { return cmp.Compare(a.ID, b.ID) })
		found[id] = approval
	}
}

// questions returns the links that ask guests about the videos. Some may be there twice.
func (a asking) questions(tx *engine.Tx, taskIDs []int64, now time.Time) []question {
	query := `
		SELECT s.id, s.task_id FROM shares s JOIN gallery y ON y.id = s.task_id
		WHERE s.task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND s.story = 0 AND ` + deciding + ` AND ` + shownAlone + `
		UNION ALL
		SELECT s.id, k.task_id FROM collection_tasks k JOIN shares s ON s.collection_id = k.collection_id JOIN gallery y ON y.id = k.task_id
		WHERE k.task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND ` + deciding + ` AND ` + shownCollected
	if a.takes {
		query += `
		UNION ALL
		SELECT s.id, o.id FROM tasks o ` + beside + ` JOIN shares s ON s.task_id = b.id
		WHERE o.id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND s.story = 0 AND ` + deciding + ` AND ` + shownAlone + ` AND ` + takeAlone + `
		UNION ALL
		SELECT s.id, o.id FROM tasks o ` + beside + ` JOIN collection_tasks k ON k.task_id = b.id JOIN shares s ON s.collection_id = k.collection_id
		WHERE o.id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND ` + deciding + ` AND ` + shownCollected + ` AND ` + takeCollected
	}
	found := engine.All(tx, engine.ScanFields(func(q *question) []any { return []any{&q.shareID, &q.taskID} }), query,
		engine.AsJSON(&taskIDs), engine.Instant(now))
	if a.stories {
		for _, scene := range askedScenes(tx, storiesWith(tx, taskIDs, now), now) {
			if slices.Contains(taskIDs, scene.taskID) {
				found = append(found, question{scene.shareID, scene.taskID})
			}
		}
	}
	return found
}

// shownAlone and shownCollected are the rule of gallery.Share.Shows as SQL conditions on the
// row y of the table gallery: for a link s to this one video, and for one to a collection.
const (
	shownAlone     = `(y.team = 1 OR y.user_id = s.created_by)`
	shownCollected = `y.team = 1 AND EXISTS (SELECT 1 FROM collections l WHERE l.id = s.collection_id AND l.deleted_at IS NULL)`
)

// beside joins the videos b, in rows y of the gallery, whose take the task o is, in row z.
const beside = `JOIN gallery z ON z.id = o.id JOIN tasks b ON b.stack = o.stack AND b.id <> o.id JOIN gallery y ON y.id = b.id`

// takeAlone and takeCollected are the rule of gallery.Share.ShowsTake as SQL conditions on the
// row z of the table gallery: for a link s that shows the video in the row y, and for one to a
// collection with that video.
const (
	takeAlone = `z.state = 'success' AND (` + pickedTake +
		` AND (z.team = 1 OR z.user_id = s.created_by) OR s.takes = 1 AND (z.team = 1 OR z.user_id = s.created_by AND y.team = 0))`
	takeCollected = `z.team = 1 AND (s.takes = 1 OR ` + pickedTake + `)`
	pickedTake    = `EXISTS (SELECT 1 FROM shared_takes p WHERE p.share_id = s.id AND p.task_id = z.id)`
)

// deciding is the condition for a link s that works at the time $2 and lets guests decide.
const deciding = `s.may = 'decide' AND s.revoked_at IS NULL AND s.expires_at > $2`

// decidingAt1 is the same at the time $1.
const decidingAt1 = `s.may = 'decide' AND s.revoked_at IS NULL AND s.expires_at > $1`
