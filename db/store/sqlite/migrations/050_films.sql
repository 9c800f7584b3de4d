-- What a stored video contains (JSON, as db.Film), '{}' until its file has been read, and when
-- it is the file's turn. Files of earlier versions are read in the background.
ALTER TABLE media ADD COLUMN film TEXT NOT NULL DEFAULT '{}';
ALTER TABLE media ADD COLUMN film_due INTEGER NOT NULL DEFAULT 0;
CREATE INDEX media_unread_films ON media (film_due) WHERE kind = 'video' AND film = '{}' AND lost_at IS NULL;

-- An earlier version that saves a file again does not say what the new one contains.
CREATE TRIGGER film_replaced AFTER UPDATE OF hash ON media WHEN new.kind = 'video' AND new.hash <> old.hash AND new.film = old.film BEGIN
  UPDATE media SET film = '{}', film_due = 0 WHERE id = new.id;
END;
