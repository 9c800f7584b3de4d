-- What a stored video contains (JSON, as db.Film), '{}' until its file has been read, and when
-- it is the file's turn. Files of earlier versions are read in the background.
ALTER TABLE media ADD COLUMN film TEXT NOT NULL DEFAULT '{}';
ALTER TABLE media ADD COLUMN film_due BIGINT NOT NULL DEFAULT 0;
CREATE INDEX media_unread_films ON media (film_due) WHERE kind = 'video' AND film = '{}' AND lost_at IS NULL;

-- An earlier version that saves a file again does not say what the new one contains.
CREATE FUNCTION film_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.film = '{}';
  new.film_due = 0;
  RETURN new;
END $$;
CREATE TRIGGER film_replaced BEFORE UPDATE OF hash ON media FOR EACH ROW
  WHEN (new.kind = 'video' AND new.hash <> old.hash AND new.film = old.film) EXECUTE FUNCTION film_replaced();
