package video

import (
	"context"
	"slices"
	"time"

	"dailies/db/review"
	"dailies/db/store/engine"
)

// Standings returns what guests decided about each of the videos that they were asked about,
// by the video's ID. While nobody was ever asked, that is one look into two indexes.
func (s *Guests) Standings(ctx context.Context, taskIDs []int64, now time.Time) (map[int64]review.Standing, error) {
	if len(taskIDs) == 0 {
		return nil, nil
	}
	return engine.Read(ctx, s.db, "answers of guests", func(tx *engine.Tx) map[int64]review.Standing {
		var asked, answered bool
		tx.Row(`
			SELECT EXISTS (SELECT 1 FROM shares WHERE may = 'decide' AND revoked_at IS NULL AND expires_at > $1), EXISTS (SELECT 1 FROM verdicts)`,
			engine.Instant(now)).Scan(&asked, &answered)
		found := map[int64]review.Standing{}
		if !tx.OK() {
			return nil
		}
		if answered {
			for _, v := range verdicts(tx, taskIDs) {
				stands := found[v.TaskID]
				stands.Verdicts = append(stands.Verdicts, v)
				found[v.TaskID] = stands
			}
		}
		if tx.OK() && asked {
			silent(tx, taskIDs, now, found)
		}
		return found
	})
}

// An asking is a video on a link that lets guests decide, and a guest of the link, if there is
// one.
type asking struct {
	taskID int64
	guest  review.Guest
}

func askingFields(a *asking) []any { return append([]any{&a.taskID}, guestFields(&a.guest)...) }

// silent adds which of the videos guests were asked about, and who of them has not decided. They
// are asked about each take that a link shows.
func silent(tx *engine.Tx, taskIDs []int64, now time.Time, found map[int64]review.Standing) {
	asked := engine.All(tx, engine.ScanFields(askingFields), `
		SELECT a.task_id, coalesce(c.id, 0), a.share_id, coalesce(c.name, ''), coalesce(c.number, 0), coalesce(c.created_at, 0), `+guestLink+`
		FROM (
			SELECT s.id AS share_id, s.task_id FROM shares s JOIN gallery y ON y.id = s.task_id
			WHERE s.task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND s.story = 0 AND `+deciding+` AND `+shownAlone+`
			UNION
			SELECT s.id, k.task_id FROM collection_tasks k JOIN shares s ON s.collection_id = k.collection_id JOIN gallery y ON y.id = k.task_id
			WHERE k.task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND `+deciding+` AND `+shownCollected+`
			UNION
			SELECT s.id, o.id FROM tasks o `+beside+` JOIN shares s ON s.task_id = b.id
			WHERE o.id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND s.story = 0 AND `+deciding+` AND `+shownAlone+` AND `+takeAlone+`
			UNION
			SELECT s.id, o.id FROM tasks o `+beside+` JOIN collection_tasks k ON k.task_id = b.id JOIN shares s ON s.collection_id = k.collection_id
			WHERE o.id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND `+deciding+` AND `+shownCollected+` AND `+takeCollected+`
		) a LEFT JOIN guests c ON c.share_id = a.share_id
		ORDER BY c.id`, engine.AsJSON(&taskIDs), engine.Instant(now))
	asked = append(asked, askedInStories(tx, taskIDs, now)...)
	for _, a := range asked {
		stands := found[a.taskID]
		stands.Asked = true
		if a.guest.ID != 0 && !stands.HasDecided(a.guest.ID) {
			stands.Silent = append(stands.Silent, a.guest)
		}
		found[a.taskID] = stands
	}
}

// askedInStories returns which of the videos are scenes, or takes of scenes, that guests decide
// about, with each guest.
func askedInStories(tx *engine.Tx, taskIDs []int64, now time.Time) (asked []asking) {
	guests := map[int64][]review.Guest{} // by link
	for _, scene := range askedScenes(tx, storiesWith(tx, taskIDs, now), now) {
		if !slices.Contains(taskIDs, scene.taskID) {
			continue
		}
		of, known := guests[scene.shareID]
		if !known {
			of = engine.All(tx, engine.ScanFields(guestFields), `SELECT `+guestColumns+` FROM guests c WHERE c.share_id = $1 ORDER BY c.id`, scene.shareID)
			guests[scene.shareID] = of
		}
		asked = append(asked, asking{taskID: scene.taskID})
		for _, g := range of {
			asked = append(asked, asking{scene.taskID, g})
		}
	}
	return asked
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
	takeAlone     = `z.state = 'success' AND (` + pickedTake + ` AND (z.team = 1 OR z.user_id = s.created_by) OR s.takes = 1 AND (z.team = 1 OR z.user_id = s.created_by AND y.team = 0))`
	takeCollected = `z.team = 1 AND (s.takes = 1 OR ` + pickedTake + `)`
	pickedTake    = `EXISTS (SELECT 1 FROM shared_takes p WHERE p.share_id = s.id AND p.task_id = z.id)`
)

// deciding is the condition for a link s that works at the time $2 and lets guests decide.
const deciding = `s.may = 'decide' AND s.revoked_at IS NULL AND s.expires_at > $2`
