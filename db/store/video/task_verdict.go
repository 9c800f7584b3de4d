package video

import (
	"slices"
	"strings"
	"time"

	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/store/engine"
)

// decided is the condition on a row of verdicts v that lists each video once under what its
// guests decided together: see review.Standing.
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
		from = append(from, `SELECT v.task_id AS id FROM verdicts v INDEXED BY verdicts_by_answer WHERE v.answer = '`+string(a)+`' AND `+decided)
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

// silence is the condition that no guest of the link s has decided about the video y.
const silence = `NOT EXISTS (SELECT 1 FROM verdicts e JOIN guests c ON c.id = e.guest_id WHERE c.share_id = s.id AND e.task_id = y.id)`

// waitingFor returns the videos about which guests have to decide at the time.
func waitingFor(tx *engine.Tx, c *choice, now time.Time) (w unanswered) {
	works := strings.ReplaceAll(deciding, "$2", c.arg(engine.Instant(now)))
	alone, collected := ` AND s.story = 0 AND `+shownAlone+` AND `+silence, ` AND `+shownCollected+` AND `+silence
	w.from = []string{
		`SELECT y.id FROM shares s INDEXED BY shares_deciding CROSS JOIN gallery y ON y.id = s.task_id WHERE ` + works + alone,
		`SELECT y.id FROM shares s INDEXED BY shares_deciding CROSS JOIN collection_tasks k ON k.collection_id = s.collection_id CROSS JOIN gallery y ON y.id = k.task_id WHERE ` + works + collected,
	}
	w.checks = []string{
		`EXISTS (SELECT 1 FROM shares s JOIN gallery y ON y.id = s.task_id WHERE s.task_id = %s AND ` + works + alone + `)`,
		`EXISTS (SELECT 1 FROM collection_tasks k JOIN shares s ON s.collection_id = k.collection_id JOIN gallery y ON y.id = k.task_id WHERE k.task_id = %s AND ` + works + collected + `)`,
	}
	var inStories []int64
	for _, scene := range askedScenes(tx, now) {
		if scene.silent {
			inStories = append(inStories, scene.taskID)
		}
	}
	if len(inStories) > 0 {
		list := c.arg(engine.AsJSON(&inStories))
		ids := `SELECT CAST(value AS BIGINT) AS id FROM json_each(` + list + `) listed`
		w.from = append(w.from, ids)
		w.checks = append(w.checks, `%s IN (`+ids+`)`)
	}
	return w
}

// An askedScene is a scene of a storyline that guests of a link decide about.
type askedScene struct {
	shareID, taskID int64
	silent          bool // none of them has decided
}

// mostStories bounds how many links to storylines are looked at: the newest ones.
const mostStories = 50

// askedScenes returns the scenes that guests of working links to storylines decide about.
func askedScenes(tx *engine.Tx, now time.Time) (found []askedScene) {
	shares := engine.All(tx, engine.ScanFields(shareFields), sharesWithVideo+`
		WHERE s.story = 1 AND s.may = 'decide' AND s.revoked_at IS NULL AND s.expires_at > $1
		ORDER BY s.id DESC LIMIT $2 + 0`, engine.Instant(now), mostStories)
	for _, share := range shares {
		if !share.Shows(share.Video, now) {
			continue
		}
		given := engine.All(tx, engine.ScanValue[int64], `SELECT v.task_id FROM guests c JOIN verdicts v ON v.guest_id = c.id WHERE c.share_id = $1`, share.ID)
		for _, t := range linked(tx, share) {
			if tx.OK() && share.Shows(t, now) {
				found = append(found, askedScene{share.ID, t.ID, !slices.Contains(given, t.ID)})
			}
		}
	}
	return found
}
