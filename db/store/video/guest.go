package video

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Guests stores the names that people give on the page of a link, and their decisions.
type Guests struct {
	db *teamdb.DB
}

var guestByToken = `SELECT ` + schema.Guests.Columns + ` FROM guests c WHERE c.token = $1 AND c.share_id = $2`

// Guest returns the guest of the link whom the cookie's token remembers.
func (s *Guests) Guest(ctx context.Context, shareID int64, token string) (review.Guest, error) {
	return engine.ReadOne(ctx, s.db.Reads, "guest", schema.Guests.Scan(), // the token gives access, so it must not be in an error
		guestByToken, engine.Digest(secrets.HashToken(token)), shareID)
}

// AddGuest adds a guest with the name, and sets the ID and the number. It returns db.ErrFull if
// the link has review.MaxGuests already, or review.MaxGuestsFrom the guest's network address, and
// review.ErrManyMails if they gave an address that cannot be asked for confirmation now. If
// the link has a guest with this token already, because a form was sent twice, it adds nobody
// and returns that guest.
func (s *Guests) AddGuest(ctx context.Context, g *review.Guest) error {
	added := *g
	err := s.db.Write(ctx, func(tx *engine.Tx) { added = addGuest(tx, added) })
	if err == nil {
		*g = added
	}
	return engine.About(fmt.Sprintf("guest of share link %d", g.ShareID), err)
}

var addedGuest = schema.Guests.Part(schema.Added)

var insertGuest = `
	INSERT INTO guests (token, name_key, source, ` + addedGuest.Names + `) VALUES ($1, $2, $3, ` + addedGuest.Places(4) + `)
	RETURNING id`

func addGuest(tx *engine.Tx, g review.Guest) review.Guest {
	token := engine.Digest(secrets.HashToken(g.Token))
	if tx.Row(`SELECT id, name, number FROM guests WHERE token = $1 AND share_id = $2`, token, g.ShareID).Find(&g.ID, &g.Name, &g.Number) {
		return g
	}
	tx.Require(tx.Count(`SELECT 1 FROM guests WHERE share_id = $1`, g.ShareID) < review.MaxGuests, db.ErrFull)
	if g.Source != "" {
		tx.Require(tx.Count(`SELECT 1 FROM guests WHERE share_id = $1 AND source = $2`,
			g.ShareID, []byte(g.Source)) < review.MaxGuestsFrom, db.ErrFull)
	}
	if !tx.OK() {
		return g
	}
	g.Number = nextNumber(tx, g)
	tx.Insert(&g.ID, insertGuest, addedGuest.Values(&g, token, naming.Key(g.Name), []byte(g.Source))...)
	subscribe(tx, g, g.CreatedAt)
	return g
}

// RenameGuest gives the guest another name, and sets the number. If they gave an address, it is
// like AddGuest about that.
func (s *Guests) RenameGuest(ctx context.Context, g *review.Guest, now time.Time) error {
	renamed := *g
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		var before string
		tx.Row(`SELECT name, number FROM guests WHERE id = $1`, renamed.ID).Scan(&before, &renamed.Number)
		if tx.OK() && before != renamed.Name {
			renamed.Number = nextNumber(tx, renamed)
		}
		tx.ExecOr(db.ErrNotFound, `UPDATE guests SET name = $1, name_key = $2, number = $3 WHERE id = $4`,
			renamed.Name, naming.Key(renamed.Name), renamed.Number, renamed.ID)
		subscribe(tx, renamed, now)
	})
	if err == nil {
		*g = renamed
	}
	return engine.About(fmt.Sprintf("guest %d", g.ID), err)
}

// nextNumber returns the guest's number among those of the link whose names look the same.
func nextNumber(tx *engine.Tx, g review.Guest) int {
	return 1 + engine.Value[int](tx, `SELECT coalesce(max(number), 0) FROM guests WHERE share_id = $1 AND name_key = $2 AND id <> $3`,
		g.ShareID, naming.Key(g.Name), g.ID)
}

// DeleteGuest removes the guest with everything that they wrote; replies of others stay. It
// returns db.ErrNotFound if there is no such guest.
func (s *Guests) DeleteGuest(ctx context.Context, id int64, now time.Time) error {
	return engine.About(fmt.Sprintf("guest %d", id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		share := engine.One(tx, schema.Shares.Scan(),
			sharesWithVideo+` WHERE s.id = (SELECT share_id FROM guests WHERE id = $1)`, id)
		tx.Exec(`DELETE FROM verdicts WHERE guest_id = $1`, id)
		for _, n := range notes(tx, notesWithAuthor+` WHERE n.guest_id = $1 ORDER BY n.parent_id IS NULL, n.id`, id) { // replies first
			switch replies := tx.Count(`SELECT 1 FROM notes WHERE parent_id = $1`, n.ID); {
			case !tx.OK():
				return
			case replies > 0:
				empty(tx, n.ID, now)
			default:
				remove(tx, n)
			}
		}
		tx.Exec(`DELETE FROM guests WHERE id = $1`, id)
		tx.Exec(
			`DELETE FROM guest_mails WHERE share_id = $1 AND NOT EXISTS (SELECT 1 FROM guests c WHERE c.mail_id = guest_mails.id)`,
			share.ID,
		)
		teamdb.Record(tx, audit.Entry{Action: audit.GuestRemoved, UserID: share.CreatedBy,
			What: fmt.Sprintf("guest of the %s", shared(share))})
	}))
}

// verdictColumns are the columns of verdicts v and guests c.
var verdictColumns = schema.Verdicts.Columns + `, ` + schema.Guests.Columns

func guestOfVerdict(v *review.Verdict) []any { return schema.Guests.Fields(&v.Guest) }

var addedVerdict = schema.Verdicts.Part(schema.Added)

// Decide stores the guest's answer to the video, in place of an earlier one, and as a note with
// its words. The words of the earlier one stay as a note, too. The makers of the video and of
// the link have news, unless the same was answered before. No limit of notes refuses an answer.
//
// A guest without an ID is added with the name.
func (s *Guests) Decide(ctx context.Context, v review.Verdict) error {
	return engine.About("answer to "+engine.Task(v.TaskID), s.db.Write(ctx, func(tx *engine.Tx) {
		if v.Guest.ID == 0 {
			v.Guest = addGuest(tx, v.Guest)
		}
		engine.Value[int64](tx, `SELECT id FROM guests WHERE id = $1 AND share_id = $2`, v.Guest.ID, v.ShareID)
		before := answerNow(tx, v)
		if !tx.OK() {
			return
		}
		if before.ID != 0 && before.Answer == v.Answer && before.Body == v.Body {
			place(tx, before.ID, v)
			return
		}
		v.NoteID = insertNote(tx, review.Note{
			TaskID: v.TaskID, ShareID: v.ShareID, Author: v.Guest.Author(), Position: v.Position, Body: v.Body,
			Mark: v.Mark, Answer: v.Answer, CreatedAt: v.ChangedAt,
		})
		tx.Exec(`
			INSERT INTO verdicts (`+addedVerdict.Names+`) VALUES (`+addedVerdict.Places(1)+`)
			ON CONFLICT (task_id, guest_id) DO UPDATE SET `+schema.Verdicts.Part(schema.Changed).Excluded(),
			addedVerdict.Values(&v)...)
		dropWordless(tx, before)
		boundEarlier(tx, v)
		tell(tx, news{taskID: v.TaskID, guestID: v.Guest.ID, shareID: v.ShareID, at: v.ChangedAt}, nil)
	}))
}

// answerNow returns the note with what the guest has answered to the video; the zero Note if
// they have not.
func answerNow(tx *engine.Tx, v review.Verdict) review.Note {
	for _, n := range notes(tx,
		notesWithAuthor+` JOIN verdicts v ON v.note_id = n.id WHERE v.task_id = $1 AND v.guest_id = $2`, v.TaskID, v.Guest.ID) {
		return n
	}
	return review.Note{}
}

// place gives the note of an answer that was sent again the moment and the mark that came with
// it, if any did.
func place(tx *engine.Tx, noteID int64, v review.Verdict) {
	if v.IsTimed() {
		tx.Exec(`UPDATE notes SET at = $1, until = $2, frame = $3 WHERE id = $4 OR parent_id = $4`, v.At, v.Until, v.Frame, noteID)
	}
	if !v.Mark.IsZero() {
		tx.Exec(`UPDATE notes SET mark = $1 WHERE id = $2`, v.Mark.JSON(), noteID)
	}
}

// dropWordless deletes the note of an earlier answer that had no words, unless there are
// replies to it.
func dropWordless(tx *engine.Tx, before review.Note) {
	if before.ID != 0 && before.IsWordless() {
		tx.Exec(`DELETE FROM notes WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM notes r WHERE r.parent_id = notes.id)`, before.ID)
	}
}

// boundEarlier deletes the earlier answers of the guest to the video but for the newest
// review.MaxEarlier and those with replies: answers are not limited otherwise.
func boundEarlier(tx *engine.Tx, v review.Verdict) {
	tx.Exec(`
		DELETE FROM notes WHERE guest_id = $1 AND task_id = $2 AND answer <> '' AND NOT EXISTS (SELECT 1 FROM notes r WHERE r.parent_id = notes.id)
			AND id < (SELECT n.id FROM notes n WHERE n.guest_id = $1 AND n.task_id = $2 AND n.answer <> '' ORDER BY n.id DESC LIMIT 1 OFFSET $3 + 0)`,
		v.Guest.ID, v.TaskID, review.MaxEarlier)
}

// Visitors returns the guests of each of the links, the first of them first.
func (s *Guests) Visitors(ctx context.Context, shareIDs []int64) (map[int64][]review.Visitor, error) {
	if len(shareIDs) == 0 {
		return nil, nil
	}
	return engine.Read(ctx, s.db, "guests of links", func(tx *engine.Tx) map[int64][]review.Visitor {
		guests := engine.All(tx,
			engine.ScanFields(func(v *review.Visitor) []any { return append(schema.Guests.Fields(&v.Guest), &v.Notes) }), `
			SELECT `+schema.Guests.Columns+`, (SELECT count(*) FROM notes n WHERE n.guest_id = c.id AND n.answer = '' AND n.deleted_at IS NULL) FROM guests c
			WHERE c.share_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY c.id`, engine.AsJSON(&shareIDs))
		given := map[int64][]review.Verdict{} // by guest
		for _, v := range engine.All(tx, schema.Verdicts.Scan(guestOfVerdict), `
			SELECT `+verdictColumns+` FROM guests c JOIN verdicts v ON v.guest_id = c.id
			WHERE c.share_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY v.changed_at DESC`, engine.AsJSON(&shareIDs)) {
			given[v.Guest.ID] = append(given[v.Guest.ID], v)
		}
		found := map[int64][]review.Visitor{}
		for _, v := range guests {
			v.Verdicts = given[v.ID]
			found[v.ShareID] = append(found[v.ShareID], v)
		}
		return found
	})
}

// Verdicts returns the answers that guests gave to the videos, the newest first.
func (s *Guests) Verdicts(ctx context.Context, taskIDs []int64) ([]review.Verdict, error) {
	return engine.Read(ctx, s.db, "answers of guests", func(tx *engine.Tx) []review.Verdict { return verdicts(tx, taskIDs) })
}

var verdictsOnVideos = `
	SELECT ` + verdictColumns + ` FROM verdicts v JOIN guests c ON c.id = v.guest_id
	WHERE v.task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY v.changed_at DESC, c.id DESC`

func verdicts(tx *engine.Tx, taskIDs []int64) []review.Verdict {
	return engine.All(tx, schema.Verdicts.Scan(guestOfVerdict), verdictsOnVideos, engine.AsJSON(&taskIDs))
}

var verdictsBy = `
	SELECT ` + verdictColumns + ` FROM verdicts v JOIN guests c ON c.id = v.guest_id WHERE v.guest_id = $1`

// VerdictsBy returns the guest's own answers to the videos of the link, by the video's ID.
func (s *Guests) VerdictsBy(ctx context.Context, guestID int64) (map[int64]review.Verdict, error) {
	given, err := engine.ReadAll(ctx, s.db.Reads, "answers of a guest", schema.Verdicts.Scan(guestOfVerdict), verdictsBy, guestID)
	found := map[int64]review.Verdict{}
	for _, v := range given {
		found[v.TaskID] = v
	}
	return found, err
}

func subscriptionName(id int64) string { return fmt.Sprintf("subscription %d", id) }

var subscriptionByID = `SELECT ` + schema.Subscriptions.Columns + ` FROM guest_mails e WHERE e.id = $1`

// Subscription returns the subscription with the ID.
func (s *Guests) Subscription(ctx context.Context, id int64) (review.Subscription, error) {
	return engine.ReadOne(ctx, s.db.Reads, subscriptionName(id), schema.Subscriptions.Scan(), subscriptionByID, id)
}

var subscriptionByGuest = `
	SELECT ` + schema.Subscriptions.Columns + ` FROM guest_mails e JOIN guests c ON c.mail_id = e.id WHERE c.id = $1`

// SubscriptionOf returns the subscription of the guest. It returns db.ErrNotFound if they have
// given no address.
func (s *Guests) SubscriptionOf(ctx context.Context, guestID int64) (review.Subscription, error) {
	return engine.ReadOne(ctx, s.db.Reads, fmt.Sprintf("subscription of guest %d", guestID), schema.Subscriptions.Scan(),
		subscriptionByGuest, guestID)
}

// TurnMails turns the mails of the subscription on, which also confirms the address, or off.
func (s *Guests) TurnMails(ctx context.Context, id int64, on bool, now time.Time) error {
	return engine.About(subscriptionName(id), s.db.Write(ctx, func(tx *engine.Tx) {
		if on {
			tx.ExecOr(db.ErrNotFound, `UPDATE guest_mails SET confirmed_at = coalesce(confirmed_at, $1), stopped_at = NULL WHERE id = $2`,
				engine.Instant(now), id)
			return
		}
		tx.ExecOr(db.ErrNotFound, `UPDATE guest_mails SET stopped_at = coalesce(stopped_at, $1) WHERE id = $2`, engine.Instant(now), id)
	}))
}

var addedSubscription = schema.Subscriptions.Part(schema.Added)

var insertSubscription = `
	INSERT INTO guest_mails (address_key, ` + addedSubscription.Names + `) VALUES ($1, ` + addedSubscription.Places(2) + `)
	RETURNING id`

// subscribe gives the guest the subscription of their address on the link. A new one is asked
// for confirmation: if that cannot be done now, it fails with review.ErrManyMails.
func subscribe(tx *engine.Tx, g review.Guest, now time.Time) {
	if g.Email == "" {
		return
	}
	var id int64
	key := db.EmailKey(g.Email)
	if known := tx.Row(`SELECT id FROM guest_mails WHERE share_id = $1 AND address_key = $2`, g.ShareID, key).Find(&id); tx.OK() && !known {
		tx.Insert(&id, insertSubscription,
			addedSubscription.Values(&review.Subscription{ShareID: g.ShareID, Address: g.Email, CreatedAt: now}, key)...)
		tx.Require(teamdb.AskGuest(tx, id, g.Email, now), review.ErrManyMails)
	}
	tx.Exec(`UPDATE guests SET mail_id = $1 WHERE id = $2`, id, g.ID)
}

// wanting is the condition for a subscription e, of the link s, to which mails are sent at the
// time $1.
const wanting = `e.confirmed_at IS NOT NULL AND e.stopped_at IS NULL AND s.revoked_at IS NULL AND s.expires_at > $1`

// tellOfReply queues mails to the guests in whose thread the reply is, except for its author.
func tellOfReply(tx *engine.Tx, reply review.Note) {
	if reply.Internal {
		return
	}
	for _, e := range engine.All(tx, schema.Subscriptions.Scan(), `
		SELECT DISTINCT `+schema.Subscriptions.Columns+`
		FROM notes n JOIN guests c ON c.id = n.guest_id JOIN guest_mails e ON e.id = c.mail_id JOIN shares s ON s.id = e.share_id
		WHERE (n.id = $2 OR n.parent_id = $2) AND `+wanting+` AND (CAST($3 AS BIGINT) = 0 OR c.share_id = $3)
			AND NOT EXISTS (SELECT 1 FROM guests a WHERE a.id = $4 AND a.mail_id = e.id)`,
		engine.Instant(reply.CreatedAt), reply.ParentID, reply.ShareID, reply.Author.GuestID) {
		teamdb.MailReplies(tx, e.ID, e.Address, reply.CreatedAt)
	}
}

// tellOfTake queues mails to the guests of the link about a new take that is ready on it. The
// mail is not sent if the link does not show the take by then.
func tellOfTake(tx *engine.Tx, shareID, taskID int64, now time.Time) {
	for _, e := range engine.All(tx, schema.Subscriptions.Scan(), `
		SELECT `+schema.Subscriptions.Columns+` FROM guest_mails e JOIN shares s ON s.id = e.share_id
		WHERE e.share_id = $2 AND `+wanting, engine.Instant(now), shareID) {
		teamdb.MailTake(tx, e.ID, e.Address, taskID, now)
	}
}

// RepliesFor returns the replies since the time by others to what guests with the subscription
// wrote, the oldest first, as far as guests of the link see them.
func (s *Notes) RepliesFor(ctx context.Context, sub review.Subscription, since time.Time) ([]review.Note, error) {
	return engine.Read(ctx, s.db, "replies for "+subscriptionName(sub.ID), func(tx *engine.Tx) []review.Note {
		return notes(tx, notesWithAuthor+`
			WHERE n.parent_id IN (
				SELECT coalesce(w.parent_id, w.id) FROM guests g JOIN notes w ON w.guest_id = g.id WHERE g.mail_id = $1
			) AND n.created_at >= $2 AND n.internal = 0 AND n.share_id IN (0, $3)
				AND NOT EXISTS (SELECT 1 FROM guests a WHERE a.id = n.guest_id AND a.mail_id = $1)
			ORDER BY n.id`, sub.ID, engine.Instant(since), sub.ShareID)
	})
}
