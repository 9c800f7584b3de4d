package video

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

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
		found.share = engine.One(tx, engine.ScanFields(shareFields), sharesWithVideo+` WHERE s.token = $1`, engine.Digest(token))
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
		share := engine.One(tx, engine.ScanFields(shareFields), sharesWithVideo+` WHERE s.id = $1`, id)
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
		kit.Record(tx, audit.Entry{Action: audit.ShareChanged, UserID: share.CreatedBy, What: shared(share), After: fmt.Sprintf("shows video %d", taskID)})
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
	return append(storiesWith(tx, []int64{take.ID}, now), engine.All(tx, engine.ScanFields(shareFields), openLinks, take.Stack, engine.Instant(now))...)
}

// openLinks selects the working links to takes of the stack $1, and to collections with one, at
// the time $2.
const openLinks = sharesWithVideo + `
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
