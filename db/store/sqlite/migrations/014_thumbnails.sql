-- Covers get thumbnails, which are files of their own (kind 'thumb'). thumb_due is
-- when a cover's turn is to have one made, or made anew; NULL where there is one,
-- or none can be made. Whoever makes it sets it ahead, as a lease.
ALTER TABLE media ADD COLUMN width INTEGER NOT NULL DEFAULT 0; -- pixels, 0 where not known
ALTER TABLE media ADD COLUMN height INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media ADD COLUMN thumb_due INTEGER;
UPDATE media SET thumb_due = created_at WHERE kind = 'cover' AND lost_at IS NULL;
CREATE INDEX media_thumb_due ON media (thumb_due) WHERE thumb_due IS NOT NULL;
CREATE TRIGGER cover_added AFTER INSERT ON media WHEN new.kind = 'cover' BEGIN
  UPDATE media SET thumb_due = new.created_at WHERE id = new.id;
END;
CREATE TRIGGER cover_changed AFTER UPDATE OF hash, lost_at ON media WHEN new.kind = 'cover' AND new.lost_at IS NULL AND (new.hash <> old.hash OR old.lost_at IS NOT NULL) BEGIN
  UPDATE media SET thumb_due = new.created_at WHERE id = new.id;
END;
CREATE TRIGGER thumb_lost AFTER UPDATE OF lost_at ON media WHEN new.kind = 'thumb' AND new.lost_at IS NOT NULL BEGIN
  UPDATE media SET thumb_due = new.created_at WHERE task_id = new.task_id AND kind = 'cover' AND lost_at IS NULL;
END;
