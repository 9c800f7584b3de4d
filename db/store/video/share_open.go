package video

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/engine"
)

// OpenShare opens the link with the token for a guest at the time now. It returns the link
// and its one video, or the videos of its collection or storyline in their order. It
// returns db.ErrNotFound if the link shows nothing (any more); a working link to a
// collection may show no videos. A link to a storyline shows nothing while the video that
// it was made for is private or in the bin.
func (s *Links) OpenShare(ctx context.Context, token string, now time.Time) (gallery.Share, []db.Task, error) {
	var share gallery.Share
	var shown []db.Task
	err := s.db.Read(ctx, func(tx *engine.Tx) {
		share = engine.One(tx, engine.ScanFields(shareFields), sharesWithVideo+` WHERE s.token = $1`, engine.Digest(secrets.HashToken(token)))
		share.Token = token
		if !tx.OK() {
			return
		}
		for _, t := range linked(tx, share) {
			if _, here := t.Video(); here && share.Shows(t, now) {
				shown = append(shown, t)
			}
		}
		tx.Require(!share.Story || share.Shows(share.Video, now), db.ErrNotFound)
		tx.Require(share.Open(now) && (share.TaskID == 0 || len(shown) > 0), db.ErrNotFound)
	})
	return share, shown, engine.About("share link", err) // the token gives access, so it must not be in an error
}

// Link returns the link with the token, if it works at the time now. It returns
// db.ErrNotFound for one that was revoked, has ended or never existed, and for one whose
// video or collection may not be shown.
func (s *Links) Link(ctx context.Context, token string, now time.Time) (gallery.Share, error) {
	hash := secrets.HashToken(token)
	share, err := s.open.Of(s.db.DB, hash, func() (gallery.Share, error) {
		return engine.ReadOne(ctx, s.db.Reads, "share link", engine.ScanFields(shareFields), sharesWithVideo+`
			WHERE s.token = $1 AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = s.collection_id AND c.deleted_at IS NOT NULL)`,
			engine.Digest(hash))
	})
	share.Token = token
	if err == nil && (!share.Open(now) || share.TaskID != 0 && !share.Shows(share.Video, now)) {
		err = engine.About("share link", db.ErrNotFound)
	}
	return share, err
}

// linked returns the videos that belong to the link, whether or not it may show them now.
func linked(tx *engine.Tx, share gallery.Share) []db.Task {
	switch {
	case share.Story:
		return scenesOf(tx, share.CreatedBy, share.TaskID)
	case share.CollectionID != 0:
		engine.One(tx, engine.ScanFields(collectionFields), bareCollection+` WHERE c.id = $1 AND c.deleted_at IS NULL`, share.CollectionID)
		return loadTasks(tx, collected(tx, share.CreatedBy, share.CollectionID, gallery.MaxCollection))
	}
	return loadTasks(tx, []int64{share.TaskID})
}

// SharedMedia returns the stored file if the link with the token shows its video at the
// time now, and db.ErrNotFound otherwise.
func (s *Links) SharedMedia(ctx context.Context, token string, id int64, now time.Time) (db.Media, error) {
	found, err := s.recent.Of(s.db.DB, sharedFile{secrets.HashToken(token), id}, func() (mediaOfShare, error) { return s.readSharedMedia(ctx, secrets.HashToken(token), id, now) })
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

func (s *Links) readSharedMedia(ctx context.Context, token secrets.TokenHash, id int64, now time.Time) (mediaOfShare, error) {
	var found mediaOfShare
	into := append(mediaFields(&found.media), shareFields(&found.share)...)
	err := s.db.Reads.QueryRowContext(ctx, `
		SELECT `+mediaColumns+`, `+shareColumns+`
		FROM shares s JOIN users u ON u.id = s.created_by
		JOIN media m ON m.id = $2 JOIN tasks t ON t.id = m.task_id
		WHERE s.token = $1 AND (s.task_id = t.id AND s.story = 0 OR s.story = 1 OR EXISTS (
			SELECT 1 FROM collection_tasks k JOIN collections c ON c.id = k.collection_id
			WHERE k.collection_id = s.collection_id AND k.task_id = t.id AND c.deleted_at IS NULL))`,
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
		share := engine.One(tx, engine.ScanFields(shareFields), sharesWithVideo+` WHERE s.id = $1`, found.share.ID)
		if !tx.OK() {
			return
		}
		is := slices.ContainsFunc(linked(tx, share), func(t db.Task) bool { return t.ID == found.share.Video.ID })
		tx.Require(is && share.Shows(share.Video, found.share.CreatedAt), db.ErrNotFound)
	})
}
