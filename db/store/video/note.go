package video

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Notes stores what the team and guests say about videos.
type Notes struct {
	db *teamdb.DB
}

var notesWithAuthor = `
	SELECT ` + schema.Notes.Columns + `
	FROM notes n LEFT JOIN users u ON u.id = n.user_id LEFT JOIN guests c ON c.id = n.guest_id`

// scanNote returns a function that scans a row of notesWithAuthor. A mark that cannot be read is
// left out.
func scanNote() func(*sql.Rows) (review.Note, error) {
	scan := schema.Notes.Scan()
	return func(rows *sql.Rows) (review.Note, error) {
		row, err := scan(rows)
		row.Mark, _ = review.ParseMark(row.StoredMark)
		row.IsCurrent = row.Rank > 0
		return row.Note, err
	}
}

// notes returns the notes that the query selects.
func notes(tx *engine.Tx, query string, args ...any) []review.Note {
	return engine.All(tx, scanNote(), query, args...)
}

var noteByID = notesWithAuthor + ` WHERE n.id = $1`

// note returns the note with the ID, and fails with db.ErrNotFound if there is none.
func note(tx *engine.Tx, id int64) review.Note {
	found := notes(tx, noteByID, id)
	if tx.Require(len(found) > 0, db.ErrNotFound); !tx.OK() {
		return review.Note{}
	}
	return found[0]
}

var notesOfVideo = notesWithAuthor + ` WHERE n.task_id = $1 ORDER BY note_rank DESC, n.at, n.id`

var notesOfVideos = notesWithAuthor + `
	WHERE n.task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY n.task_id, note_rank DESC, n.at, n.id`

// Of returns the notes on the videos and the replies to them: first what guests answer now,
// then the others in the order of the moments that they are about. Replies have the moment of
// what they reply to.
func (s *Notes) Of(ctx context.Context, taskIDs ...int64) ([]review.Note, error) {
	return engine.Read(ctx, s.db, "notes", func(tx *engine.Tx) []review.Note {
		if len(taskIDs) == 1 {
			return notes(tx, notesOfVideo, taskIDs[0])
		}
		return notes(tx, notesOfVideos, engine.AsJSON(&taskIDs))
	})
}

// Note returns the note with the ID.
func (s *Notes) Note(ctx context.Context, id int64) (review.Note, error) {
	return engine.Read(ctx, s.db, noteName(id), func(tx *engine.Tx) review.Note { return note(tx, id) })
}

func noteName(id int64) string { return fmt.Sprintf("note %d", id) }

// AddNote adds the note and sets its ID. A reply gets the moment of the note that it replies
// to, and who sees that one sees the reply. It returns db.ErrFull if the video has as many notes
// as it may (see placeFor), and db.ErrNotFound if there is no such note on the video, or none
// on the guest's link.
//
// Those whom it concerns have news: the maker of the video, the maker of the link, the author
// of the note that it replies to, and the people mentioned, as far as they may see the video.
//
// A note that is sent twice, such as after a lost answer, is added once.
func (s *Notes) AddNote(ctx context.Context, n *review.Note, mentioned []int64) error {
	added := *n
	err := s.db.Write(ctx, func(tx *engine.Tx) { added = addNote(tx, added, mentioned) })
	if err == nil {
		*n = added
	}
	return engine.About("note on "+engine.Task(n.TaskID), err)
}

// AddFirstNote is like AddNote for somebody who gives a name with the note: it adds both, or
// neither. It also returns db.ErrFull if the link has too many guests: then the guest has no
// number.
func (s *Notes) AddFirstNote(ctx context.Context, g *review.Guest, n *review.Note) error {
	guest, added := *g, *n
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		guest = addGuest(tx, guest)
		added.Author = guest.Author()
		added = addNote(tx, added, nil)
	})
	if g.Number = guest.Number; err == nil {
		*g, *n = guest, added
	}
	return engine.About("note on "+engine.Task(n.TaskID), err)
}

func addNote(tx *engine.Tx, added review.Note, mentioned []int64) review.Note {
	stillWrites(tx, added)
	if id := sentBefore(tx, added); tx.OK() && id != 0 {
		return note(tx, id)
	}
	placeFor(tx, added)
	var told []int64
	if added.IsReply() {
		to := note(tx, added.ParentID)
		tx.Require(to.TaskID == added.TaskID && !to.IsReply(), db.ErrNotFound)
		tx.Require(!added.Author.IsGuest() || to.ShownTo(added.ShareID, added.Author), db.ErrNotFound)
		added.Position, added.Internal = to.Position, to.Internal
		if tx.OK() && to.ShareID != 0 {
			added.ShareID = to.ShareID
		}
		told = append(told, to.Author.UserID)
	}
	added.ID = insertNote(tx, added)
	tell(tx, news{taskID: added.TaskID, noteID: added.ID, shareID: added.ShareID, by: added.Author.UserID, at: added.CreatedAt},
		slices.Concat(told, mentioned))
	if tx.OK() && added.IsReply() {
		tellOfReply(tx, added)
	}
	return added
}

// placeFor fails with db.ErrFull if the video has as many notes by people like the author as it
// may. Guests have places of their own, and those from one network address only some of them.
// Answers take up none.
func placeFor(tx *engine.Tx, n review.Note) {
	if !n.Author.IsGuest() {
		tx.Require(tx.Count(`SELECT 1 FROM notes WHERE task_id = $1 AND user_id IS NOT NULL`, n.TaskID) < review.MaxNotes, db.ErrFull)
		return
	}
	tx.Require(tx.Count(`SELECT 1 FROM notes WHERE task_id = $1 AND user_id IS NULL AND answer = ''`,
		n.TaskID) < review.MaxGuestNotes, db.ErrFull)
	tx.Require(tx.Count(`
		SELECT 1 FROM notes n JOIN guests c ON c.id = n.guest_id
		WHERE n.task_id = $1 AND n.answer = '' AND length(c.source) > 0 AND c.source = (SELECT source FROM guests WHERE id = $2)`,
		n.TaskID, n.Author.GuestID) < review.MaxNotesFrom, db.ErrFull)
}

var addedNote = schema.Notes.Part(schema.Added)

// insertNote inserts the row of the note, and returns its ID.
func insertNote(tx *engine.Tx, n review.Note) (id int64) {
	tx.Insert(&id, `INSERT INTO notes (`+addedNote.Names+`) VALUES (`+addedNote.Places(1)+`) RETURNING id`,
		addedNote.Values(&schema.NoteRow{Note: n, StoredMark: n.Mark.JSON()})...)
	return id
}

// sentTwice is how long the same words at the same place are one note that was sent twice.
const sentTwice = time.Minute

// sentBefore returns the ID of the same note by the same author, if it was added just now.
func sentBefore(tx *engine.Tx, n review.Note) (id int64) {
	tx.Row(`
		SELECT id FROM notes
		WHERE task_id = $1 AND coalesce(user_id, 0) = $2 AND coalesce(guest_id, 0) = $3 AND coalesce(parent_id, 0) = $4
			AND (at = $5 OR parent_id IS NOT NULL) AND body = $6 AND mark = $7 AND created_at > $8 AND answer = '' AND deleted_at IS NULL
		ORDER BY id LIMIT 1`,
		n.TaskID, n.Author.UserID, n.Author.GuestID, n.ParentID, n.At, n.Body, n.Mark.JSON(),
		engine.Instant(n.CreatedAt.Add(-sentTwice))).Find(&id)
	return id
}

// stillWrites fails with sql.ErrNoRows unless the author's account, or the guest, is still
// there.
func stillWrites(tx *engine.Tx, n review.Note) {
	if n.Author.IsGuest() {
		engine.Value[int64](tx, `SELECT id FROM guests WHERE id = $1 AND share_id = $2`, n.Author.GuestID, n.ShareID)
		return
	}
	teamdb.StillAllowed(tx, n.Author.UserID, func(db.User) bool { return true })
}

// ChangeNote replaces the words of the author's own note. If it is an answer, the answer has
// the new words. It returns db.ErrConflict if the note is not theirs, is older than
// review.ChangeWithin or was deleted.
func (s *Notes) ChangeNote(ctx context.Context, id int64, by review.Author, body string, now time.Time) error {
	return engine.About(noteName(id), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Require(note(tx, id).ChangeableBy(by, now), db.ErrConflict)
		tx.Exec(`UPDATE notes SET body = $1, changed_at = $2 WHERE id = $3`, body, engine.Instant(now), id)
		tx.Exec(`UPDATE verdicts SET body = $1 WHERE note_id = $2`, body, id)
	}))
}

// DeleteNote deletes the note. If its author does that, replies stay, and the note without its
// words; otherwise they are deleted with it. The guest whose answer it is withdraws that; for
// others it fails with db.ErrConflict then. What somebody else has written, an answer, and a
// note with replies leave an entry in the audit.
func (s *Notes) DeleteNote(ctx context.Context, id int64, by review.Author, now time.Time) error {
	return engine.About(noteName(id), s.db.Write(ctx, func(tx *engine.Tx) {
		n := note(tx, id)
		own, replies := n.Author.Is(by), tx.Count(`SELECT 1 FROM notes WHERE parent_id = $1`, id)
		tx.Require(!n.IsGone(), db.ErrNotFound)
		tx.Require(own || !n.IsAnswer(), db.ErrConflict)
		if tx.OK() && n.IsAnswer() {
			tx.Exec(`DELETE FROM news WHERE guest_id = $1 AND task_id = $2`, n.Author.GuestID, n.TaskID)
			tx.Exec(`DELETE FROM verdicts WHERE note_id = $1`, id)
		}
		if !tx.OK() {
			return
		}
		if own && replies > 0 {
			empty(tx, id, now)
		} else {
			remove(tx, n)
		}
		if !own || replies > 0 || n.IsAnswer() {
			teamdb.Record(tx, audit.Entry{Action: audit.NoteDeleted, UserID: n.Author.UserID,
				What: fmt.Sprintf("%s on video %d", calledInAudit(n), n.TaskID), Before: guestOf(n.Author), After: keptOf(own, replies)})
		}
	}))
}

// empty takes everything out of the note but its place and its replies.
func empty(tx *engine.Tx, id int64, now time.Time) {
	tx.Exec(`UPDATE notes SET body = '', mark = '', answer = '', deleted_at = $1 WHERE id = $2`, engine.Instant(now), id)
	tx.Exec(`DELETE FROM news WHERE note_id = $1`, id)
}

// remove deletes the note with its replies. If it was the last reply to a note that its author
// had deleted, that goes, too.
func remove(tx *engine.Tx, n review.Note) {
	tx.Exec(`DELETE FROM notes WHERE id = $1`, n.ID)
	if n.IsReply() {
		tx.Exec(
			`DELETE FROM notes WHERE id = $1 AND deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM notes r WHERE r.parent_id = notes.id)`,
			n.ParentID,
		)
	}
}

// calledInAudit says what the note is.
func calledInAudit(n review.Note) string {
	if n.IsAnswer() {
		return "answer"
	}
	return "note"
}

// keptOf says in the audit that replies to the note stay; it is empty if they do not.
func keptOf(own bool, replies int) string {
	switch {
	case !own || replies == 0:
		return ""
	case replies == 1:
		return "1 reply stays"
	}
	return fmt.Sprintf("%d replies stay", replies)
}

// guestOf names the guest in the audit. It is empty for a person of the team.
func guestOf(a review.Author) string {
	if a.IsGuest() {
		return "by a guest"
	}
	return ""
}

// CloseNote closes the note, or opens it again.
func (s *Notes) CloseNote(ctx context.Context, id int64, done bool, now time.Time) error {
	if !done {
		now = time.Time{}
	}
	return engine.About(noteName(id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		tx.ExecOr(db.ErrNotFound, `UPDATE notes SET done_at = $1 WHERE id = $2 AND parent_id IS NULL AND deleted_at IS NULL`,
			engine.Instant(now), id)
	}))
}

// Open returns the notes that are open, or those that are done, on videos that the viewer may
// see: the newest first, at most as many as the limit, without replies and without approvals
// that say nothing more.
func (s *Notes) Open(ctx context.Context, viewer int64, done bool, limit int) ([]review.Note, error) {
	condition := `n.done_at IS NULL`
	if done {
		condition = `n.done_at IS NOT NULL`
	}
	return engine.Read(ctx, s.db, "open notes", func(tx *engine.Tx) []review.Note {
		return notes(tx, `
			SELECT `+schema.Notes.Columns+`
			FROM notes n JOIN gallery g ON g.id = n.task_id LEFT JOIN users u ON u.id = n.user_id LEFT JOIN guests c ON c.id = n.guest_id
			WHERE n.parent_id IS NULL AND `+condition+` AND n.body <> '' AND `+visible+`
			ORDER BY n.id DESC LIMIT $2 + 0`, viewer, max(0, limit))
	})
}

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
		teamdb.MailNews(tx, id, n.guestID != 0, n.at)
	}
	d := outbox.Delivery{Event: outbox.NoteCreated, TaskID: n.taskID, NoteID: n.noteID, GuestID: n.guestID, CreatedAt: n.at}
	if n.guestID != 0 {
		d.Event = outbox.VerdictGiven
	}
	teamdb.PutDeliveries(tx, d, people, tx.Count(`SELECT 1 FROM tasks WHERE id = $1 AND private = 0`, n.taskID) > 0)
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
			SELECT `+schema.Notes.Columns+`
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
	return engine.ReadValue[bool](ctx, s.db.Reads, "news of "+engine.User(userID),
		`SELECT EXISTS (SELECT 1 FROM news WHERE user_id = $1 AND task_id = $2)`, userID, taskID)
}
