package video

import (
	"slices"
	"strings"
	"time"

	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

// decided is the condition on a row of verdicts v that lists each video once under what its
// guests decided together: see review.Approval.
const decided = `NOT EXISTS (
	SELECT 1 FROM verdicts e WHERE e.task_id = v.task_id
		AND (e.answer = 'changes' AND v.answer = 'approved' OR e.answer = v.answer AND e.guest_id < v.guest_id))`

// answered adds the source for what guests decided. What was decided is in the order of the
// gallery in its index. Links on which nobody has decided are few, and their videos have to be
// sorted.
func answered(tx *engine.Tx, c *choice, f gallery.Filter) {
	var given []review.Answer // without Waiting
	for _, a := range f.Answers {
		if a.Valid() && !slices.Contains(given, a) {
			given = append(given, a)
		}
	}
	if len(f.Answers) == 0 {
		return
	}
	var from, checks []string
	for _, a := range given {
		checks = append(checks, givenCheck(a))
		from = append(from,
			`SELECT v.task_id AS id FROM verdicts v INDEXED BY verdicts_by_answer WHERE v.answer = '`+string(a)+`' AND `+decided)
	}
	if slices.Contains(f.Answers, review.Waiting) {
		w := waitingFor(tx, c, f.Now)
		checks = append(checks, w.checks...)
		from = append(from, w.from...)
	} else {
		c.sources = append(c.sources, source{
			from: "verdicts v INDEXED BY verdicts_by_answer", id: "v.task_id", joined: true, sorted: true,
			where: oneOf(c, "v.answer", given) + " AND " + decided, check: "(" + strings.Join(checks, " OR ") + ")",
			each: "v.answer = $2 AND " + decided, values: anyOf(given),
		})
		return
	}
	c.sources = append(c.sources, source{
		from: "(" + strings.Join(from, " UNION ") + ") answered", id: "answered.id", where: "TRUE", joined: true,
		check: "(" + strings.Join(checks, " OR ") + ")",
	})
}

// givenCheck returns the condition that guests gave this answer to the video with the ID %s.
func givenCheck(a review.Answer) string {
	check := "EXISTS (SELECT 1 FROM verdicts e WHERE e.task_id = %s AND e.answer = '" + string(a) + "')"
	if a == review.Approved {
		check = "(" + check + " AND NOT EXISTS (SELECT 1 FROM verdicts e WHERE e.task_id = %s AND e.answer = 'changes'))"
	}
	return check
}

// unanswered describes the videos about which guests have to decide: queries for them, and
// conditions of which one holds for the video with the ID %s.
type unanswered struct{ from, checks []string }

// silence and takeSilence are the condition that no guest of the link s has decided about the
// video y, or about the take z.
const (
	silence     = ` AND NOT EXISTS (SELECT 1 FROM verdicts e JOIN guests c ON c.id = e.guest_id WHERE c.share_id = s.id AND e.task_id = y.id)`
	takeSilence = ` AND NOT EXISTS (SELECT 1 FROM verdicts e JOIN guests c ON c.id = e.guest_id WHERE c.share_id = s.id AND e.task_id = z.id)`
)

// waitingFor returns the videos about which guests have to decide at the time.
func waitingFor(tx *engine.Tx, c *choice, now time.Time) (w unanswered) {
	const (
		links    = ` FROM shares s INDEXED BY shares_deciding`
		listed   = ` CROSS JOIN collection_tasks k ON k.collection_id = s.collection_id`
		others   = ` CROSS JOIN tasks o ON o.stack = b.stack AND o.id <> b.id CROSS JOIN gallery z ON z.id = o.id`
		alone    = ` AND s.story = 0 AND ` + shownAlone
		together = ` AND ` + shownCollected
	)
	works := ` WHERE ` + strings.ReplaceAll(deciding, "$2", c.arg(engine.Instant(now)))
	w.from = []string{
		`SELECT y.id` + links + ` CROSS JOIN gallery y ON y.id = s.task_id` + works + alone + silence,
		`SELECT y.id` + links + listed + ` CROSS JOIN gallery y ON y.id = k.task_id` + works + together + silence,
		`SELECT z.id` + links + ` CROSS JOIN gallery y ON y.id = s.task_id CROSS JOIN tasks b ON b.id = y.id` +
			others + works + alone + ` AND ` + takeAlone + takeSilence,
		`SELECT z.id` + links + listed + ` CROSS JOIN gallery y ON y.id = k.task_id CROSS JOIN tasks b ON b.id = y.id` +
			others + works + together + ` AND ` + takeCollected + takeSilence,
	}
	var inStories []int64
	for _, scene := range askedScenes(tx, decidingStories(tx, now), now) {
		if scene.silent {
			inStories = append(inStories, scene.taskID)
		}
	}
	if len(inStories) > 0 {
		w.from = append(w.from, `SELECT CAST(value AS BIGINT) AS id FROM json_each(`+c.arg(engine.AsJSON(&inStories))+`) listed`)
	}
	for _, from := range w.from { // each is read once
		w.checks = append(w.checks, `%s IN (`+from+`)`)
	}
	return w
}

// An askedScene is a scene of a storyline, or a take of one, that guests of a link decide about.
type askedScene struct {
	shareID, taskID int64
	silent          bool // none of them has decided
}

// askedScenes returns what guests of the links to storylines decide about.
func askedScenes(tx *engine.Tx, shares []gallery.Share, now time.Time) (found []askedScene) {
	for _, share := range shares {
		if share.May != gallery.Decide || !share.Shows(share.Video, now) {
			continue
		}
		given := engine.All(tx, engine.ScanValue[int64],
			`SELECT v.task_id FROM guests c JOIN verdicts v ON v.guest_id = c.id WHERE c.share_id = $1`, share.ID)
		videos, picked := linked(tx, share), pickedOn(tx, share.ID)
		for _, t := range videos {
			if !tx.OK() || !share.Shows(t, now) {
				continue
			}
			shown := takesOn(tx, share, t, idsOf(videos), picked, now).Tasks
			if tx.OK() && !has(shown, t.ID) {
				shown = append(shown, t)
			}
			for _, take := range shown {
				found = append(found, askedScene{share.ID, take.ID, !slices.Contains(given, take.ID)})
			}
		}
	}
	return found
}

// mostStories bounds how many links to storylines are looked at: the newest ones.
const mostStories = 50

// decidingStories returns the working links to storylines whose guests decide.
func decidingStories(tx *engine.Tx, now time.Time) []gallery.Share {
	return engine.All(tx, schema.Shares.Scan(), sharesWithVideo+`
		WHERE s.story = 1 AND s.may = 'decide' AND s.revoked_at IS NULL AND s.expires_at > $1
		ORDER BY s.id DESC LIMIT $2 + 0`, engine.Instant(now), mostStories)
}

// storiesWith returns the working links to storylines that may have one of the tasks, or a take
// of one, as a scene: to all that begin with the same scene.
func storiesWith(tx *engine.Tx, taskIDs []int64, now time.Time) []gallery.Share {
	return engine.All(tx, schema.Shares.Scan(), `
		WITH RECURSIVE
		back (id) AS (
			SELECT CAST(value AS BIGINT) FROM json_each($1)
			UNION
			SELECT b.id FROM json_each($1) asked CROSS JOIN tasks o ON o.id = CAST(asked.value AS BIGINT) CROSS JOIN tasks b ON b.stack = o.stack
			UNION
			SELECT t.parent_id FROM back CROSS JOIN tasks t ON t.id = back.id WHERE t.bond IN ('next', 'retry') AND t.parent_id < t.id
		),
		family (id) AS (
			SELECT id FROM back
			UNION
			SELECT t.id FROM family CROSS JOIN tasks t ON t.parent_id = family.id WHERE t.bond IN ('next', 'retry')
		)
		`+sharesWithVideo+`
		WHERE s.task_id IN (SELECT id FROM family) AND s.story = 1 AND s.revoked_at IS NULL AND s.expires_at > $2
		ORDER BY s.id DESC LIMIT $3 + 0`, engine.AsJSON(&taskIDs), engine.Instant(now), mostStories)
}
