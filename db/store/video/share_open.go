package video

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// OpenShare opens the link with the token for a guest at the time now. It returns the link
// and its one video, the scenes of its storyline, or a part of its collection, in their order.
// It returns db.ErrNotFound if the link shows nothing (any more); a working link to a
// collection may show no videos. A link to a storyline shows nothing while the video that
// it was made for is private or in the bin.
func (s *Links) OpenShare(ctx context.Context, token string, at gallery.Opening,
	now time.Time) (share gallery.Share, shown gallery.Shown, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		if share = openLink(tx, token, now); !tx.OK() {
			return
		}
		if share.Target() == gallery.OfCollection {
			shown = partOf(tx, share, at)
			return
		}
		for _, t := range linked(tx, share) {
			if _, here := t.Video(); here && share.Shows(t, now) {
				shown.Tasks, shown.IDs = append(shown.Tasks, t), append(shown.IDs, t.ID)
			}
		}
		tx.Require(len(shown.Tasks) > 0, db.ErrNotFound)
	})
	return share, shown, engine.About("share link", err) // the token gives access, so it must not be in an error
}

// openLink returns the link with the token, and db.ErrNotFound unless it shows something at the
// time now.
func openLink(tx *engine.Tx, token string, now time.Time) gallery.Share {
	share := engine.One(tx, schema.Shares.Scan(), shareByToken, engine.Digest(secrets.HashToken(token)))
	share.Token = token
	tx.Require(share.Open(now) && (!share.Story || share.Shows(share.Video, now)), db.ErrNotFound)
	if tx.OK() && share.Target() == gallery.OfCollection {
		mustExist(tx, share.CollectionID)
	}
	return share
}

var keptCollection = bareCollection + ` WHERE c.id = $1 AND c.deleted_at IS NULL`

// mustExist fails with db.ErrNotFound if the collection was deleted.
func mustExist(tx *engine.Tx, collectionID int64) {
	engine.One(tx, schema.Collections.Scan(), keptCollection, collectionID)
}

// partOf returns the part of the link's collection that is opened. Of all its other videos, it
// reads no more than the file.
func partOf(tx *engine.Tx, share gallery.Share, at gallery.Opening) (shown gallery.Shown) {
	shown.Files = filesOf(tx, share)
	for _, f := range shown.Files {
		shown.IDs = append(shown.IDs, f.TaskID)
	}
	if picked := pickedOn(tx, share.ID); tx.OK() && (share.Takes || len(picked) > 0) {
		shown.Files = append(shown.Files, takesBeside(tx, share)...)
	}
	if !tx.OK() {
		return shown
	}
	place := func(is func(gallery.ShownFile) bool) int {
		i := slices.IndexFunc(shown.Files, is)
		if i >= len(shown.IDs) { // the take of a video
			i = slices.Index(shown.IDs, shown.Files[i].Of)
		}
		return i
	}
	i := place(func(f gallery.ShownFile) bool { return f.MediaID == at.File })
	if i < 0 {
		i = place(func(f gallery.ShownFile) bool { return f.TaskID == at.Task })
	}
	if shown.From = max(0, i) / gallery.PerCollection * gallery.PerCollection; i < 0 {
		shown.From = slices.Index(shown.IDs, at.After) + 1
	}
	if shown.From == len(shown.IDs) {
		shown.From = 0
	}
	shown.Tasks = loadTasks(tx, shown.IDs[shown.From:min(shown.From+gallery.PerCollection, len(shown.IDs))])
	return shown
}

// filesOf returns the file of each video that a link to a collection shows, in their order:
// the rule of gallery.Share.Shows and of db.Task.Playable as SQL.
func filesOf(tx *engine.Tx, share gallery.Share) []gallery.ShownFile {
	files := engine.All(tx, engine.ScanFields(shownFileFields), `
		SELECT m.task_id, m.id, m.hash, 0
		FROM collection_tasks k JOIN gallery y ON y.id = k.task_id JOIN media m ON m.task_id = y.id
		WHERE k.collection_id = $1 AND y.team = 1 AND m.kind = 'video' AND m.lost_at IS NULL
		ORDER BY k.position, k.task_id, m.position, m.id`, share.CollectionID)
	return slices.CompactFunc(files, func(a, b gallery.ShownFile) bool { return a.TaskID == b.TaskID })
}

// takesBeside returns the files of the takes that a link to a collection shows beside its videos.
func takesBeside(tx *engine.Tx, share gallery.Share) []gallery.ShownFile {
	files := engine.All(tx, engine.ScanFields(shownFileFields), `
		SELECT m.task_id, m.id, m.hash, b.id
		FROM shares s JOIN collection_tasks k ON k.collection_id = s.collection_id
		JOIN tasks b ON b.id = k.task_id JOIN gallery y ON y.id = b.id
		JOIN tasks o ON o.stack = b.stack AND o.id <> b.id JOIN gallery z ON z.id = o.id JOIN media m ON m.task_id = z.id
		WHERE s.id = $1 AND y.team = 1 AND `+takeCollected+` AND m.kind = 'video' AND m.lost_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM collection_tasks e WHERE e.collection_id = s.collection_id AND e.task_id = o.id)
		ORDER BY k.position, k.task_id, o.created_at, o.id, m.position, m.id`, share.ID)
	return slices.CompactFunc(files, func(a, b gallery.ShownFile) bool { return a.TaskID == b.TaskID && a.Of == b.Of })
}

func shownFileFields(f *gallery.ShownFile) []any { return []any{&f.TaskID, &f.MediaID, &f.Hash, &f.Of} }

// VideoOn returns the task and the link with the token, if it shows the task at the time now: as
// a video of its own, or as a take of one. Otherwise it returns db.ErrNotFound.
func (s *Links) VideoOn(ctx context.Context, token string, taskID int64, now time.Time) (share gallery.Share, t db.Task, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		share, t = openLink(tx, token, now), LoadTask(tx, taskID)
		if !tx.OK() {
			return
		}
		videos := slices.DeleteFunc(linkedWith(tx, share, t), func(v db.Task) bool {
			_, here := v.Video()
			return !here || !share.Shows(v, now)
		})
		is := has(videos, t.ID)
		if picked := pickedOn(tx, share.ID); tx.OK() && !is && (share.Takes || len(picked) > 0) {
			is = slices.ContainsFunc(videos, func(v db.Task) bool {
				return v.Stack != 0 && v.Stack == t.Stack && has(takesOn(tx, share, v, idsOf(videos), picked, now).Tasks, t.ID)
			})
		}
		tx.Require(is, db.ErrNotFound)
	})
	return share, t, engine.About("share link", err)
}

var workingShare = sharesWithVideo + `
	WHERE s.token = $1 AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = s.collection_id AND c.deleted_at IS NOT NULL)`

// Link returns the link with the token, if it works at the time now. It returns
// db.ErrNotFound for one that was revoked, has ended or never existed, and for one whose
// video or collection may not be shown.
func (s *Links) Link(ctx context.Context, token string, now time.Time) (gallery.Share, error) {
	hash := secrets.HashToken(token)
	share, err := s.open.Of(s.db.DB, hash, func() (gallery.Share, error) {
		return engine.ReadOne(ctx, s.db.Reads, "share link", schema.Shares.Scan(), workingShare,
			engine.Digest(hash))
	})
	share.Token = token
	if err == nil && (!share.Open(now) || share.TaskID != 0 && !share.Shows(share.Video, now)) {
		err = engine.About("share link", db.ErrNotFound)
	}
	return share, err
}

// linked returns the videos that belong to a link to a video or a storyline, whether or not it
// may show them now.
func linked(tx *engine.Tx, share gallery.Share) []db.Task {
	if share.Story {
		return scenesOf(tx, share.CreatedBy, share.TaskID)
	}
	return loadTasks(tx, []int64{share.TaskID})
}

// linkedWith is like linked for any link, but of a collection returns only those that are the
// task or a take of the same video.
func linkedWith(tx *engine.Tx, share gallery.Share, t db.Task) []db.Task {
	if share.Target() != gallery.OfCollection {
		return linked(tx, share)
	}
	mustExist(tx, share.CollectionID)
	return LoadSelected(tx, `
		SELECT k.task_id FROM collection_tasks k JOIN gallery g ON g.id = k.task_id
		WHERE k.collection_id = $2 AND `+visible+` AND (k.task_id = $3 OR k.task_id IN (SELECT id FROM tasks WHERE stack = $4))
		ORDER BY k.position, k.task_id`, share.CreatedBy, share.CollectionID, t.ID, t.Stack)
}

// SharedMedia returns the stored file if the link with the token shows its video at the
// time now, and db.ErrNotFound otherwise.
func (s *Links) SharedMedia(ctx context.Context, token string, id int64, now time.Time) (db.Media, error) {
	found, err := s.recent.Of(s.db.DB, sharedFile{secrets.HashToken(token), id},
		func() (mediaOfShare, error) { return s.readSharedMedia(ctx, secrets.HashToken(token), id, now) })
	if err == nil && !found.shows(now) {
		err = engine.About(fmt.Sprintf("shared media %d", id), db.ErrNotFound)
	}
	return found.media, err
}

// sharedFile names a file that is requested with a share link.
type sharedFile struct {
	token secrets.TokenHash
	id    int64
}

// mediaOfShare is a stored file and the link that shows it.
type mediaOfShare struct {
	media db.Media
	share gallery.Share
	take  bool // it is that of another take, which the link showed when this was read
}

// shows reports whether the link shows the file now. What a link shows of takes changes only
// with the database.
func (m mediaOfShare) shows(now time.Time) bool {
	if m.take {
		return m.share.Open(now)
	}
	return m.share.Shows(m.share.Video, now)
}

var sharedMedia = `
	SELECT ` + schema.Media.Columns + `, ` + schema.Shares.Columns + `
	FROM shares s JOIN users u ON u.id = s.created_by
	JOIN media m ON m.id = $2 JOIN tasks t ON t.id = m.task_id
	WHERE s.token = $1 AND (s.task_id = t.id AND s.story = 0 OR s.story = 1 OR EXISTS (
		SELECT 1 FROM collection_tasks k JOIN collections c ON c.id = k.collection_id
		WHERE k.collection_id = s.collection_id AND k.task_id = t.id AND c.deleted_at IS NULL))`

func (s *Links) readSharedMedia(ctx context.Context, token secrets.TokenHash, id int64, now time.Time) (mediaOfShare, error) {
	var found mediaOfShare
	into := append(schema.Media.Fields(&found.media), schema.Shares.Fields(&found.share)...)
	err := s.db.Reads.QueryRowContext(ctx, sharedMedia,
		engine.Digest(token), id).Scan(into...)
	if err == nil && found.share.Story {
		err = s.readScene(ctx, found)
	}
	if errors.Is(err, sql.ErrNoRows) || found.share.Story && errors.Is(err, db.ErrNotFound) {
		found, err = s.sharedTake(ctx, token, id, now)
	}
	return found, engine.About(fmt.Sprintf("shared media %d", id), err)
}

// readScene returns db.ErrNotFound unless the file's video is a scene of the link's
// storyline, and that of the link itself may be shown.
func (s *Links) readScene(ctx context.Context, found mediaOfShare) error {
	return s.db.Read(ctx, func(tx *engine.Tx) {
		share := engine.One(tx, schema.Shares.Scan(), shareByID, found.share.ID)
		if !tx.OK() {
			return
		}
		is := slices.ContainsFunc(linked(tx, share), func(t db.Task) bool { return t.ID == found.share.Video.ID })
		tx.Require(is && share.Shows(share.Video, found.share.CreatedAt), db.ErrNotFound)
	})
}

// TakesOn returns the takes that the link shows of each of its videos, itself included, by
// the ID of the video: the oldest first. Videos without others are left out. The videos must
// be those that OpenShare has returned.
func (s *Links) TakesOn(ctx context.Context, share gallery.Share, videos gallery.Shown, now time.Time) (map[int64]gallery.Takes, error) {
	if !slices.ContainsFunc(videos.Tasks, func(t db.Task) bool { return t.Stack != 0 }) {
		return nil, nil
	}
	found := map[int64]gallery.Takes{}
	err := s.db.Read(ctx, func(tx *engine.Tx) {
		picked := pickedOn(tx, share.ID)
		if !tx.OK() || !share.Takes && len(picked) == 0 {
			return
		}
		for _, t := range videos.Tasks {
			if takes := takesOn(tx, share, t, videos.IDs, picked, now); tx.OK() && len(takes.Tasks) > 1 {
				found[t.ID] = takes
			}
		}
	})
	return found, engine.About("takes of a share link", err)
}

// pickedOn returns the IDs of the takes that the team has shown on the link.
func pickedOn(tx *engine.Tx, shareID int64) []int64 {
	return engine.All(tx, engine.ScanValue[int64], `SELECT task_id FROM shared_takes WHERE share_id = $1`, shareID)
}

// takesOn returns the takes of the video. Those that have a place of their own among the videos
// of the link are left out: nothing is shown in two places. Of these videos, ids must have at
// least those of the same stack.
func takesOn(tx *engine.Tx, share gallery.Share, video db.Task, ids []int64, picked []int64, now time.Time) (shown gallery.Takes) {
	if video.Stack == 0 {
		return shown
	}
	for _, t := range takesFor(tx, share.CreatedBy, video.Stack) {
		if t.ID != video.ID && slices.Contains(ids, t.ID) {
			continue
		}
		is := slices.Contains(picked, t.ID)
		if _, here := t.Video(); here && (t.ID == video.ID || share.ShowsTake(t, video, is, now)) {
			if t.ID == video.ID || is || t.CreatedAt.After(share.CreatedAt) {
				shown.First = len(shown.Tasks)
			}
			shown.Tasks = append(shown.Tasks, t)
		}
	}
	return shown
}

func has(tasks []db.Task, id int64) bool {
	return slices.ContainsFunc(tasks, func(t db.Task) bool { return t.ID == id })
}

// sharedTake returns the file if it is that of a take that the link shows.
func (s *Links) sharedTake(ctx context.Context, token secrets.TokenHash, id int64, now time.Time) (found mediaOfShare, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		found.share = engine.One(tx, schema.Shares.Scan(), shareByToken, engine.Digest(token))
		take := LoadTask(tx, engine.Value[int64](tx, `SELECT task_id FROM media WHERE id = $1`, id))
		tx.Require(take.Stack != 0 && (!found.share.Story || found.share.Shows(found.share.Video, now)), db.ErrNotFound)
		if !tx.OK() {
			return
		}
		picked, videos, is := pickedOn(tx, found.share.ID), linkedWith(tx, found.share, take), false
		for _, t := range videos {
			if t.Stack == take.Stack && found.share.Shows(t, now) {
				is = is || has(takesOn(tx, found.share, t, idsOf(videos), picked, now).Tasks, take.ID)
			}
		}
		at := slices.IndexFunc(take.Media, func(m db.Media) bool { return m.ID == id })
		if tx.Require(is && at >= 0, db.ErrNotFound); tx.OK() {
			found.media, found.share.Video, found.take = take.Media[at], take, true
		}
	})
	return found, err
}

// ShowTake shows a take of the link's video, or of one in its collection or storyline, to the
// guests of the link. It returns db.ErrConflict if it is none, or may not be shown there.
func (s *Links) ShowTake(ctx context.Context, person db.User, id, taskID int64, now time.Time) error {
	return engine.About(fmt.Sprintf("share link %d", id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		share := engine.One(tx, schema.Shares.Scan(), shareByID, id)
		tx.Require(share.Open(now), db.ErrNotFound)
		if !tx.OK() {
			return
		}
		tasks := loadTasks(tx, []int64{taskID})
		tx.Require(len(tasks) > 0 && tasks[0].ListedFor(person.ID) && tasks[0].Playable(), db.ErrConflict)
		if !tx.OK() {
			return
		}
		take, videos := tasks[0], linkedWith(tx, share, tasks[0])
		is := slices.ContainsFunc(videos, func(t db.Task) bool { return share.ShowsTake(take, t, true, now) })
		tx.Require(is && !has(videos, take.ID), db.ErrConflict)
		before := tx.Count(`SELECT 1 FROM shared_takes WHERE share_id = $1 AND task_id = $2`, id, taskID)
		if !tx.OK() || before > 0 {
			return
		}
		tx.Exec(`INSERT INTO shared_takes (share_id, task_id, shown_at) VALUES ($1, $2, $3)`, id, taskID, engine.Instant(now))
		teamdb.Record(tx, audit.Entry{Action: audit.ShareChanged, UserID: share.CreatedBy, What: shared(share),
			After: fmt.Sprintf("shows video %d", taskID)})
		if !share.Takes {
			tellOfTake(tx, id, taskID, now)
		}
	}))
}

// openLinksOf returns the working links to takes of the task, and to collections and storylines
// with one.
func openLinksOf(tx *engine.Tx, take db.Task, now time.Time) []gallery.Share {
	if take.Stack == 0 {
		return nil
	}
	return append(storiesWith(tx, []int64{take.ID}, now),
		engine.All(tx, schema.Shares.Scan(), openLinks, take.Stack, engine.Instant(now))...)
}

// openLinks selects the working links to takes of the stack $1, and to collections with one, at
// the time $2.
var openLinks = sharesWithVideo + `
	WHERE s.story = 0 AND s.revoked_at IS NULL AND s.expires_at > $2 AND (
		s.task_id IN (SELECT id FROM tasks WHERE stack = $1)
		OR s.collection_id IN (SELECT k.collection_id FROM tasks b JOIN collection_tasks k ON k.task_id = b.id WHERE b.stack = $1))
	ORDER BY s.id DESC`

// LinksWithout returns the working links to other takes of the video on which guests could see
// this one, too, but do not.
func (s *Links) LinksWithout(ctx context.Context, take db.Task, now time.Time) (found []gallery.Share, err error) {
	if take.Stack == 0 || !take.Playable() {
		return nil, nil
	}
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		for _, share := range openLinksOf(tx, take, now) {
			picked, could, does := pickedOn(tx, share.ID), false, false
			for _, t := range linkedWith(tx, share, take) {
				does = does || t.ID == take.ID || share.ShowsTake(take, t, slices.Contains(picked, take.ID), now)
				could = could || share.ShowsTake(take, t, true, now)
			}
			if tx.OK() && could && !does {
				found = append(found, share)
			}
		}
	})
	return found, engine.About("share links", err)
}

// tellOfReadyTake tells the guests of the links that show the task, which has just become
// ready, by themselves.
func tellOfReadyTake(tx *engine.Tx, take db.Task, now time.Time) {
	for _, share := range openLinksOf(tx, take, now) {
		if !share.Takes {
			continue
		}
		videos := linkedWith(tx, share, take)
		shown := slices.ContainsFunc(videos, func(t db.Task) bool { return share.ShowsTake(take, t, false, now) })
		if tx.OK() && shown && !has(videos, take.ID) {
			tellOfTake(tx, share.ID, take.ID, now)
		}
	}
}
