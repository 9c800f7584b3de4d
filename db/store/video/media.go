package video

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Files stores which files belong to a video, and which to nothing any more.
type Files struct {
	db     *teamdb.DB
	leases *Leases
	recent engine.Recents[int64, mediaOfTask]
}

// Media returns the stored file and, of its task, only the fields that decide who may
// see it: browsers ask for every picture and every part of a video separately.
func (s *Files) Media(ctx context.Context, id int64) (db.Media, db.Task, error) {
	found, err := s.recent.Of(s.db.DB, id, func() (mediaOfTask, error) { return s.readMedia(ctx, id) })
	return found.media, found.task, err
}

// mediaOfTask is a stored file and those fields of its task that decide who may see it.
type mediaOfTask struct {
	media db.Media
	task  db.Task
}

var mediaWithTask = `
	SELECT ` + schema.Media.Columns + `,
		t.id, t.user_id, t.state, t.private, t.deleted_at, t.purged_at
	FROM media m JOIN tasks t ON t.id = m.task_id
	WHERE m.id = $1`

func (s *Files) readMedia(ctx context.Context, id int64) (mediaOfTask, error) {
	var m db.Media
	var t db.Task
	err := s.db.Reads.QueryRowContext(ctx, mediaWithTask, id).Scan(append(schema.Media.Fields(&m), &t.ID, &t.UserID, &t.State,
		&t.Private, (*engine.Instant)(&t.DeletedAt), (*engine.Instant)(&t.PurgedAt))...)
	return mediaOfTask{m, t}, engine.About(fmt.Sprintf("media %d", id), err)
}

var mediaByTask = `
	SELECT ` + schema.Media.Columns + `
	FROM media m WHERE task_id = $1
	ORDER BY id`

func mediaOf(tx *engine.Tx, taskID int64) []db.Media {
	return engine.All(tx, schema.Media.Scan(), mediaByTask, taskID)
}

// KeptBytes returns the total size of the stored files, including uploaded pictures, in
// bytes. A blob that two files share counts twice. Triggers keep the total, so that it
// takes no longer with many files.
func (s *Files) KeptBytes(ctx context.Context) (int64, error) {
	return engine.ReadValue[int64](ctx, s.db.Reads, "size of all media", `SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM kept_bytes`)
}

// WaitingForSpace returns how many finished videos could not be stored for lack of
// space.
func (s *Files) WaitingForSpace(ctx context.Context) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "videos that wait for room", `
		SELECT count(*) FROM tasks WHERE keeping = 'saving' AND blame = $1`, db.SpaceError)
}

var mediaByTasks = `
	SELECT ` + schema.Media.Columns + `
	FROM media m WHERE task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))
	ORDER BY id`

// withMedia fills in the media of all the tasks with one query.
func withMedia(tx *engine.Tx, tasks []db.Task) {
	place := make(map[int64]int, len(tasks))
	ids := make([]int64, len(tasks))
	for i, t := range tasks {
		place[t.ID], ids[i] = i, t.ID
	}
	media := engine.All(tx, schema.Media.Scan(), mediaByTasks, engine.AsJSON(&ids))
	for _, m := range media {
		t := &tasks[place[m.TaskID]]
		t.Media = append(t.Media, m)
	}
}

// putMedia adds those of the task's files that have no ID yet and sets their IDs, and
// updates the others.
func putMedia(tx *engine.Tx, t *db.Task) {
	for i := range t.Media {
		m := &t.Media[i]
		m.TaskID = t.ID
		put := addMedia
		if m.ID != 0 {
			put = setMedia
		}
		put(tx.About(fmt.Sprintf("%s %d", m.Kind, m.Position)), m)
	}
}

var mediaByID = `SELECT ` + schema.Media.Columns + ` FROM media m WHERE id = $1`

var addedMedia = schema.Media.Part(schema.Added)

var insertMedia = `INSERT INTO media (` + addedMedia.Names + `) VALUES (` + addedMedia.Places(1) + `) RETURNING id`

func addMedia(tx *engine.Tx, m *db.Media) {
	tx.Insert(&m.ID, insertMedia, addedMedia.Values(m)...)
}

// setMedia updates a file that was lost or stored again. If its content changed, the
// old blob becomes a leftover, to be removed later.
func setMedia(tx *engine.Tx, m *db.Media) {
	var before string
	changed := tx.Row(`
		SELECT hash FROM media WHERE id = $1 AND (hash <> $2 OR lost_at IS DISTINCT FROM $3)`,
		m.ID, m.Hash, engine.Instant(m.LostAt)).Find(&before)
	if !changed {
		return
	}
	tx.Exec(`
		UPDATE media SET hash = $1, type = $2, size = $3, source = $4, created_at = $5, lost_at = $6, marks = $7, served_hash = $8, film = $9 WHERE id = $10`,
		m.Hash, m.Type, m.Size, m.Source, engine.Instant(m.CreatedAt), engine.Instant(m.LostAt), m.Marks,
		m.ServedHash, engine.AsJSON(&m.Film), m.ID)
	if tx.OK() && before != m.Hash {
		leaveOver(tx, []string{before}, m.CreatedAt)
	}
}

// SetMarks records which marks of its origin a file carries, unless its content has changed
// meanwhile.
func (s *Files) SetMarks(ctx context.Context, m db.Media) error {
	return engine.About(fmt.Sprintf("marks of media %d", m.ID), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`UPDATE media SET marks = $1 WHERE id = $2 AND hash = $3`, m.Marks, m.ID, m.Hash)
	}))
}

// unreadFilms selects the stored videos whose content is not known yet.
const unreadFilms = `kind = 'video' AND film = '{}' AND lost_at IS NULL`

// ClaimFilm leases, until the time until, a stored video whose content is not known yet:
// those of earlier versions were stored without reading it. It returns db.ErrNotFound if
// there is none.
func (s *Files) ClaimFilm(ctx context.Context, now, until time.Time) (m db.Media, err error) {
	const due = `SELECT id FROM media WHERE ` + unreadFilms + ` AND film_due <= $1 ORDER BY film_due LIMIT 1`
	if _, err := engine.ReadValue[int64](ctx, s.db.Reads, "video that has not been read", due, engine.Instant(now)); err != nil {
		return m, err // usually nothing is due, and no write is needed
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		id := engine.Value[int64](tx, `UPDATE media SET film_due = $2 WHERE id = (`+due+`) RETURNING id`,
			engine.Instant(now), engine.Instant(until))
		tx.Row(mediaByID, id).Scan(schema.Media.Fields(&m)...)
	})
	return m, engine.About("video that has not been read", err)
}

// SetFilm records what a video contains, unless its file has changed meanwhile.
func (s *Files) SetFilm(ctx context.Context, m db.Media) error {
	return engine.About(fmt.Sprintf("content of media %d", m.ID), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`UPDATE media SET film = $1 WHERE id = $2 AND hash = $3`, engine.AsJSON(&m.Film), m.ID, m.Hash)
	}))
}

// RemovePoster removes the poster that a browser has drawn from the task's video. It
// returns db.ErrConflict if there is none.
func (s *Files) RemovePoster(ctx context.Context, taskID int64, now time.Time) error {
	return engine.About("picture of "+engine.Task(taskID), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		var hash string
		found := tx.Row(`
			DELETE FROM media WHERE task_id = $1 AND kind = 'cover' AND source = '' RETURNING hash`, taskID).Find(&hash)
		tx.Require(found, db.ErrConflict)
		leaveOver(tx, []string{hash}, now)
		dropThumb(tx, taskID, now)
	}))
}

// ClaimCover leases, until the time until, the cover that has waited longest for its
// thumbnail. It returns db.ErrNotFound if none is waiting.
func (s *Files) ClaimCover(ctx context.Context, now, until time.Time) (m db.Media, err error) {
	const due = `SELECT id FROM media WHERE thumb_due <= $1 ORDER BY thumb_due LIMIT 1`
	if _, err := engine.ReadValue[int64](ctx, s.db.Reads, "cover without a thumbnail", due, engine.Instant(now)); err != nil {
		return m, err // usually nothing is due, and no write is needed
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		id := engine.Value[int64](tx, `UPDATE media SET thumb_due = $2 WHERE id = (`+due+`) RETURNING id`,
			engine.Instant(now), engine.Instant(until))
		tx.Row(mediaByID, id).Scan(schema.Media.Fields(&m)...)
	})
	return m, engine.About("cover without a thumbnail", err)
}

// SetCoverThumb stores the thumbnail of a cover in place of any earlier one. A nil
// thumb records that none can be made. It returns db.ErrNotFound if the cover has
// changed or was deleted meanwhile.
func (s *Files) SetCoverThumb(ctx context.Context, cover db.Media, thumb *db.Media, now time.Time) error {
	return engine.About(fmt.Sprintf("thumbnail of media %d", cover.ID), s.db.Write(ctx, func(tx *engine.Tx) {
		cover.TaskID = engine.Value[int64](tx,
			`UPDATE media SET thumb_due = NULL WHERE id = $1 AND hash = $2 AND lost_at IS NULL RETURNING task_id`, cover.ID, cover.Hash)
		dropThumb(tx, cover.TaskID, now)
		if !tx.OK() || thumb == nil {
			return
		}
		thumb.TaskID, thumb.Kind, thumb.CreatedAt = cover.TaskID, db.Thumb, now
		addMedia(tx, thumb)
	}))
}

// dropThumb removes the task's thumbnail, if it has one.
func dropThumb(tx *engine.Tx, taskID int64, now time.Time) {
	var hash string
	if tx.Row(`DELETE FROM media WHERE task_id = $1 AND kind = 'thumb' RETURNING hash`, taskID).Find(&hash) {
		leaveOver(tx, []string{hash}, now)
	}
}

// unused is the condition that nothing refers to the hash in the column value.
const unused = `
	NOT EXISTS (SELECT 1 FROM media WHERE media.hash = value) AND NOT EXISTS (SELECT 1 FROM pictures WHERE pictures.hash = value)`

// LeaveOver records the files with these hashes as leftovers, except for those to which
// something refers.
func (s *Files) LeaveOver(ctx context.Context, now time.Time, hashes ...string) error {
	return engine.About("leftovers", s.db.Write(ctx, func(tx *engine.Tx) { leaveOver(tx, hashes, now) }))
}

func leaveOver(tx *engine.Tx, hashes []string, now time.Time) []string {
	if len(hashes) == 0 {
		return nil
	}
	return engine.All(tx, engine.ScanValue[string], `
		INSERT INTO leftovers (hash, at) SELECT DISTINCT value, CAST($1 AS BIGINT) FROM json_each($2) WHERE`+unused+`
		ORDER BY 1
		ON CONFLICT (hash) DO UPDATE SET at = excluded.at
		RETURNING hash`, engine.Instant(now), engine.AsJSON(&hashes))
}

// Leftovers returns the hashes of the leftovers that were recorded up to the time
// until: files to which nothing referred, and which were not removed yet.
func (s *Files) Leftovers(ctx context.Context, until time.Time) ([]string, error) {
	return engine.ReadAll(ctx, s.db.Reads, "leftovers", engine.ScanValue[string],
		`SELECT hash FROM leftovers WHERE at <= $1 ORDER BY at, hash`, engine.Instant(until))
}

// removalTimeout is how long the removal of a file may take. Its lease lasts twice as
// long, so that a process that waits for the end of the lease waits long enough.
const removalTimeout = 30 * time.Second

// removal returns the name of the job that removes the file.
func removal(hash string) string { return "removal of " + hash }

// DropLeftover deletes the record of the leftover. If still nothing refers to the file,
// it first calls remove; if that reports false, the file stays a leftover. remove must
// spare a file that was stored recently, because a new reference to it may be about to
// be recorded. Meanwhile IsRemoving returns true: whoever stores the file at that time
// must store it again afterwards. A removal that has failed may still take effect
// later, so its lease is left to expire.
func (s *Files) DropLeftover(ctx context.Context, hash string, remove func(context.Context) (bool, error)) error {
	owner, now := s.leases.NewOwner(), s.db.Now()
	mine, err := s.leases.TakeJob(ctx, removal(hash), owner, now, now.Add(2*removalTimeout))
	if !mine || err != nil {
		return err
	}
	bounded, stop := context.WithTimeout(ctx, removalTimeout)
	defer stop()
	look := s.db.Reading(ctx)
	unreferenced := engine.Value[bool](look, `SELECT `+unused+` FROM (SELECT CAST($1 AS TEXT) AS value) file`, hash)
	gone, err := true, look.Err()
	if err == nil && unreferenced {
		gone, err = remove(bounded)
	}
	if err == nil && gone {
		err = s.db.Write(ctx, func(tx *engine.Tx) { tx.Exec(`DELETE FROM leftovers WHERE hash = $1`, hash) })
	}
	if err == nil {
		err = s.leases.EndJob(ctx, removal(hash), owner)
	}
	return engine.About("leftover "+hash, err)
}

// IsRemoving reports whether a process is removing the file at this moment.
func (s *Files) IsRemoving(ctx context.Context, hash string) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "leftover "+hash, `
		SELECT EXISTS (SELECT 1 FROM jobs WHERE name = $1 AND leased_until > $2)`, removal(hash), engine.Instant(s.db.Now()))
}
