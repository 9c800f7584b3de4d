-- How many of the videos that the whole team may see were ordered on each day, for the menu of
-- dates. Triggers keep them, also while a process of the previous version writes. They are
-- spread over several rows, because transactions that end videos of the same day run at the
-- same time.
CREATE TABLE day_counts (
  day    BIGINT NOT NULL, -- in UTC, since 1970
  part   BIGINT NOT NULL,
  videos BIGINT NOT NULL,
  PRIMARY KEY (day, part)
);
INSERT INTO day_counts (day, part, videos)
SELECT created_at / 86400000, id % 16, count(*) FROM gallery WHERE team = 1 GROUP BY 1, 2;

CREATE FUNCTION day_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND old.team = 1 THEN
    UPDATE day_counts SET videos = videos - 1 WHERE day = old.created_at / 86400000 AND part = old.id % 16;
  END IF;
  IF TG_OP <> 'DELETE' AND new.team = 1 THEN
    INSERT INTO day_counts (day, part, videos) VALUES (new.created_at / 86400000, new.id % 16, 1)
    ON CONFLICT (day, part) DO UPDATE SET videos = day_counts.videos + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER day_counted AFTER INSERT OR DELETE ON gallery FOR EACH ROW EXECUTE FUNCTION day_counted();
CREATE TRIGGER day_recounted AFTER UPDATE OF team, created_at ON gallery FOR EACH ROW
  WHEN ((old.team, old.created_at) <> (new.team, new.created_at)) EXECUTE FUNCTION day_counted();
