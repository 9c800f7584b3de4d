package video

import (
	"context"
	"slices"
	"time"

	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// news is a note, or the answer of a guest, that people should see.
type news struct {
	taskID  int64
	noteID  int64 // 0 for an answer
	guestID int64 // of an answer; 0 for a note
	shareID int64 // the link on which it was given; 0 for none
	by      int64 // the person who wrote it; 0 for a guest
	at      time.Time
}

// tell gives news to the makers of the video and of the link, and to the others, except for
// the author and those who may not see the video. Mails and programs tell of it as each of
// them chooses. The team's programs are told of all news, except for those about private videos.
func tell(tx *engine.Tx, n news, others []int64) {
	others = append(others, engine.All(tx, engine.ScanValue[int64], `SELECT created_by FROM shares WHERE id = $1`, n.shareID)...)
	slices.Sort(others)
	others = slices.Compact(others)
	people := engine.All(tx, engine.ScanValue[int64], `
		SELECT u.id FROM tasks t JOIN users u ON u.id = t.user_id OR t.private = 0 AND u.id IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
		WHERE t.id = $1 AND u.id <> $3 AND u.deactivated_at IS NULL ORDER BY u.id`, n.taskID, engine.AsJSON(&others), n.by)
	for _, id := range people {
		tx.Exec(`
			INSERT INTO news (user_id, task_id, note_id, guest_id, created_at)
			VALUES ($1, $2, nullif(CAST($3 AS BIGINT), 0), nullif(CAST($4 AS BIGINT), 0), $5) ON CONFLICT DO NOTHING`,
			id, n.taskID, n.noteID, n.guestID, engine.Instant(n.at))
		kit.MailNews(tx, id, n.guestID != 0, n.at)
	}
	d := outbox.Delivery{Event: outbox.NoteCreated, TaskID: n.taskID, NoteID: n.noteID, GuestID: n.guestID, CreatedAt: n.at}
	if n.guestID != 0 {
		d.Event = outbox.VerdictGiven
	}
	kit.PutDeliveries(tx, d, people, tx.Count(`SELECT 1 FROM tasks WHERE id = $1 AND private = 0`, n.taskID) > 0)
}

// HowMuchIsNew returns how many notes and answers the person has not seen.
func (s *Notes) HowMuchIsNew(ctx context.Context, userID int64) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "news of "+engine.User(userID), `SELECT count(*) FROM news WHERE user_id = $1`, userID)
}

// New returns the notes and the answers that the person has not seen, the newest first, as far
// as they may see the videos.
func (s *Notes) New(ctx context.Context, viewer int64, limit int) ([]review.Note, error) {
	return engine.Read(ctx, s.db, "news of "+engine.User(viewer), func(tx *engine.Tx) []review.Note {
		return notes(tx, `
			SELECT `+noteColumns+`
			FROM news w LEFT JOIN verdicts v ON v.guest_id = w.guest_id AND v.task_id = w.task_id JOIN notes n ON n.id = coalesce(w.note_id, v.note_id)
				JOIN gallery g ON g.id = n.task_id LEFT JOIN users u ON u.id = n.user_id LEFT JOIN guests c ON c.id = n.guest_id
			WHERE w.user_id = $1 AND `+visible+`
			ORDER BY n.created_at DESC, n.id DESC LIMIT $2 + 0`, viewer, max(0, limit))
	})
}

// See removes the news about the video, or about all if taskID is 0, because the person has
// seen them.
func (s *Notes) See(ctx context.Context, userID, taskID int64) error {
	return engine.About("news of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`DELETE FROM news WHERE user_id = $1 AND (CAST($2 AS BIGINT) = 0 OR task_id = $2)`, userID, taskID)
	}))
}

// HasNewsOf reports whether the person has news about the video.
func (s *Notes) HasNewsOf(ctx context.Context, userID, taskID int64) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "news of "+engine.User(userID), `SELECT EXISTS (SELECT 1 FROM news WHERE user_id = $1 AND task_id = $2)`, userID, taskID)
}
